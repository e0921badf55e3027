import type {
  Industry,
  Lane,
  LinkDomainFailureCode,
  LinkDomainState,
  NotifyBy,
  OrganizationBrand,
  RetentionRule,
  Role,
  TouchpointContent,
} from '@foreword/contract';
import type { ColumnType } from 'kysely';

/** The columns of every row that belongs to an organization. */
export interface Owned {
  organization_id: string;
  environment: 'test';
  id: string;
}

type Json = ColumnType<unknown, string, string>;

export interface OrganizationRow extends OrganizationBrand {
  id: string;
  industry: Industry;
  lanes: Lane[];
  logo: string | null;
  version: number;
  created_at: Date;
  /** From when owners and managers need a passkey. */
  second_factor_from: Date | null;
  setup_dismissed_at: Date | null;
  /** How long entries of the audit log are kept. Null: the default. */
  audit_days: number | null;
}

export interface MemberRow extends Owned {
  external_id: string | null;
  first_name: string;
  last_name: string;
  email: string;
  phone: string | null;
  lanes: Lane[];
  role: Role;
  active: boolean;
  title: string | null;
  /** Null: pages in Spanish show `title`. */
  title_es: string | null;
  photo: string | null;
  words_per_minute: number | null;
  notify_by: NotifyBy;
  pages_replaced_at: Date | null;
  /** The member withdrew the consent to the use of their likeness, and has not given it again. */
  likeness_withdrawn_at: Date | null;
  /** Only for owners. */
  weekly_summary_off_at: Date | null;
  /** The address that bounces, in lower case. It counts only while it is the member's. */
  bounced_email: string | null;
  email_bounced_at: Date | null;
  email_bounce_reason: string | null;
  /** When a person last said that the address works. */
  email_confirmed_at: Date | null;
  created_at: Date;
}

export interface TouchpointRow extends Owned, TouchpointContent {
  slug: string;
  position: number;
  version: number;
  created_at: Date;
  updated_at: Date;
}

export interface TouchpointChangeTable extends Owned {
  touchpoint_id: string;
  member_id: string | null;
  kind: 'created' | 'copied' | 'changed' | 'reset' | 'undone';
  version: number;
  fields: Json;
  undoes: string | null;
  copy_of: string | null;
  created_at: Date;
}

export interface RetentionSettingTable {
  organization_id: string;
  environment: 'test';
  rule: RetentionRule;
  days: number;
  /** Applies for a day after the change. Null: the new period is not shorter. */
  earlier_days: number | null;
  changed_at: Date;
}

export interface LinkDomainRow extends Owned {
  host: string;
  challenge: string;
  state: LinkDomainState | 'removed';
  created_at: Date;
  /** Since then, requests for the host get the organization's pages, even after the domain was removed. */
  verified_at: Date | null;
  active_at: Date | null;
  failing_since: Date | null;
  checked_at: Date | null;
  check_at: Date | null;
  failure_code: LinkDomainFailureCode | null;
  failure_message: string | null;
}
