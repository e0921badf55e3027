import type { Industry, Lane, NotifyBy, OrganizationBrand, Role, TouchpointContent } from '@foreword/contract';
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
  photo: string | null;
  words_per_minute: number | null;
  notify_by: NotifyBy;
  pages_replaced_at: Date | null;
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
