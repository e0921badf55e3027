import type { ColumnType, Generated } from 'kysely';

/** What stands in the database, as the migrations made it. A test holds these names against the real columns. */

type Json = ColumnType<unknown, string, string>;

interface Owned {
  organization_id: string;
  environment: 'test';
  id: string;
}

export interface OrganizationRow {
  id: string;
  name: string;
  industry: 'exterior_remodeling' | 'real_estate';
  lanes: ('retail' | 'insurance')[];
  timezone: string;
  created_at: Date;
}

export interface MemberRow extends Owned {
  external_id: string | null;
  first_name: string;
  last_name: string;
  email: string;
  phone: string | null;
  lanes: ('retail' | 'insurance')[];
  role: 'owner' | 'manager' | 'member';
  active: boolean;
  created_at: Date;
}

export interface TouchpointRow extends Owned {
  slug: string;
  name: string;
  context: 'appointment' | 'status' | 'milestone' | 'none';
  lane: 'retail' | 'insurance' | null;
  position: number;
  active: boolean;
  delivery: 'integration' | 'service';
  days_to_record: number;
  page_title: string;
  script: string;
  created_at: Date;
  updated_at: Date;
}

export interface ApiKeyRow extends Owned {
  name: string;
  hash: Buffer;
  ending: string;
  created_at: Date;
  revoked_at: Date | null;
}

export interface IdempotencyKeyTable {
  organization_id: string;
  environment: 'test';
  key: string;
  fingerprint: Buffer;
  object_id: string | null;
  response: string | null;
}

export interface TouchpointEventTable extends Owned {
  status: 'accepted' | 'processed' | 'failed';
  touchpoint_id: string;
  member_id: string;
  request: Json;
  created_at: Date;
  settled_at: Date | null;
  intro_id: string | null;
  error_code: string | null;
  error_message: string | null;
}

export type IntroStatus = 'requested' | 'ready' | 'sent' | 'cancelled' | 'expired';

export interface IntroTable extends Owned {
  status: IntroStatus;
  version: Generated<number>;
  event_id: string | null;
  touchpoint_slug: string | null;
  member_id: string;
  recipient_first_name: string;
  recipient_last_name: string | null;
  recipient_phone: string;
  reference: Json;
  reference_id: string | null;
  context: Json;
  script: string | null;
  instructed: boolean;
  responsibility: 'integration' | 'service';
  metadata: Json;
  created_at: Date;
  expires_at: Date | null;
  recorded_at: Date | null;
  sent_at: Date | null;
  opened_at: Date | null;
  watched_at: Date | null;
  cancelled_at: Date | null;
}

export interface RateBucketTable {
  organization_id: string;
  key_id: string;
  kind: 'read' | 'write';
  tokens: number;
  refilled_at: Date;
}

export interface Tables {
  organizations: OrganizationRow;
  members: MemberRow;
  touchpoints: TouchpointRow;
  api_keys: ApiKeyRow;
  idempotency_keys: IdempotencyKeyTable;
  touchpoint_events: TouchpointEventTable;
  intros: IntroTable;
  rate_buckets: RateBucketTable;
}

/** Whose objects: the scope of every query. */
export interface Tenant {
  readonly organizationId: string;
  readonly environment: 'test';
}
