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
  accent: string | null;
  office_phone: string | null;
  license: string | null;
  logo: string | null;
  version: number;
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
  title: string | null;
  photo: string | null;
  words_per_minute: number | null;
  notify_by: 'text' | 'email' | 'both';
  pages_replaced_at: Date | null;
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
  action_label: string | null;
  action_url: string | null;
  text_message: string | null;
  reminds: boolean;
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

export interface ApiKeyRow extends Owned {
  name: string;
  hash: Buffer;
  ending: string;
  created_at: Date;
  revoked_at: Date | null;
  last_used_at: Date | null;
}

export interface RequestLogRow extends Owned {
  key_id: string;
  method: string;
  path: string;
  query: string | null;
  status: number;
  error_code: string | null;
  duration_ms: number;
  body: string | null;
  body_bytes: number;
  answer: string | null;
  object_id: string | null;
  created_at: Date;
}

export interface RequestLogGapTable {
  organization_id: string;
  environment: 'test';
  hour: Date;
  requests: number;
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
  recording_id: string | null;
  watched_percent: Generated<number>;
  delivery_error_code: string | null;
  delivery_error_message: string | null;
  member_opened_at: Date | null;
  cancelled_by: string | null;
  watched_times: ColumnType<unknown, string | undefined, string>;
  link_generation: Generated<number>;
}

export interface IntroReassignmentRow {
  organization_id: string;
  environment: 'test';
  intro_id: string;
  generation: number;
  from_member_id: string;
  to_member_id: string;
  by_member_id: string;
  opened_at: Date | null;
  created_at: Date;
}

export type RecordingStatus = 'uploading' | 'uploaded' | 'processing' | 'ready' | 'refused' | 'discarded';

export interface RecordingTable extends Owned {
  intro_id: string;
  status: RecordingStatus;
  media_type: string;
  upload_length: number | null;
  upload_offset: Generated<number>;
  parts: Generated<string[]>;
  progress: Generated<number>;
  attempts: Generated<number>;
  refusal_code: string | null;
  refusal_message: string | null;
  width: number | null;
  height: number | null;
  duration_ms: number | null;
  bytes: number | null;
  has_audio: boolean | null;
  has_captions: Generated<boolean>;
  has_preview: Generated<boolean>;
  created_at: Date;
  touched_at: Date;
  received_at: Date | null;
  ready_at: Date | null;
  original_deleted_at: Date | null;
  files_look_at: Date | null;
  deleted_at: Date | null;
}

export type LinkKind = 'record' | 'page';

export interface LinkTable {
  organization_id: string;
  environment: 'test';
  intro_id: string;
  kind: LinkKind;
  hash: Buffer;
}

export interface ServerKeyTable {
  only_one: Generated<boolean>;
  fingerprint: Buffer;
}

export interface WebhookEndpointRow extends Owned {
  url: string;
  events: string[];
  active: boolean;
  disabled_reason: 'gone' | 'failing' | null;
  secret: Buffer;
  previous_secret: Buffer | null;
  previous_secret_expires_at: Date | null;
  failing_since: Date | null;
  created_at: Date;
}

export interface WebhookMessageRow extends Owned {
  type: string;
  payload: string;
  object_id: string | null;
  created_at: Date;
}

export interface WebhookDeliveryTable {
  organization_id: string;
  environment: 'test';
  message_id: string;
  endpoint_id: string;
  status: 'pending' | 'delivered' | 'failed';
  claim: Generated<number>;
  failures: Generated<number>;
  due_at: Date | null;
  created_at: Date;
}

export interface WebhookAttemptRow extends Owned {
  endpoint_id: string;
  message_id: string;
  type: string;
  succeeded: boolean;
  status: number | null;
  error: string | null;
  duration_ms: number;
  answer: string | null;
  next_attempt_at: Date | null;
  created_at: Date;
}

export interface RateBucketTable {
  organization_id: string;
  key_id: string;
  kind: 'read' | 'write';
  tokens: number;
  refilled_at: Date;
}

export interface DeliverySettingsTable {
  organization_id: string;
  environment: 'test';
  texts_from: Generated<number>;
  texts_until: Generated<number>;
  twilio_account: Buffer | null;
  updated_at: Date;
}

export type MessageStatus = 'scheduled' | 'sending' | 'accepted' | 'delivered' | 'undelivered' | 'failed' | 'dropped';
export type Channel = 'text' | 'email';

export interface MessageTable extends Owned {
  intro_id: string;
  audience: 'member' | 'recipient';
  purpose: 'ask' | 'remind' | 'remind_last' | 'remind_by_hand' | 'deliver';
  channel: Channel | null;
  round: Generated<number>;
  status: MessageStatus;
  due_at: Date;
  held_for: 'quiet_hours' | 'recent_text' | 'recording' | null;
  held_until: Date | null;
  attempts: Generated<number>;
  in_doubt: Generated<boolean>;
  claimed_at: Date | null;
  address: string | null;
  subject: string | null;
  body: string | null;
  segments: number | null;
  carrier: string | null;
  carrier_id: string | null;
  error_code: string | null;
  error_message: string | null;
  created_at: Date;
  accepted_at: Date | null;
  settled_at: Date | null;
}

export interface OwnerLetterTable extends Owned {
  address: string;
  subject: string;
  body: string;
  status: 'scheduled' | 'sending' | 'accepted' | 'failed';
  due_at: Date;
  attempts: Generated<number>;
  claimed_at: Date | null;
  carrier: string | null;
  error_message: string | null;
  created_at: Date;
  settled_at: Date | null;
}

export interface TextedNumberTable {
  organization_id: string;
  environment: 'test';
  phone: string;
  touchpoint: string;
  message_id: string;
  texted_at: Date;
}

export type ConsentSource = 'text' | 'page' | 'carrier' | 'operator';

export interface ConsentTable extends Owned {
  phone: string;
  kind: 'opt_out' | 'opt_in';
  source: ConsentSource;
  said: string | null;
  created_at: Date;
}

export interface OptOutTable {
  organization_id: string;
  environment: 'test';
  phone: string;
  source: ConsentSource;
  opted_out_at: Date;
}

export interface SignInLinkTable extends Owned {
  member_id: string;
  hash: Buffer;
  browser_hash: Buffer | null;
  next_path: string;
  created_at: Date;
  expires_at: Date;
  used_at: Date | null;
}

export interface ConsoleSessionTable extends Owned {
  member_id: string;
  hash: Buffer;
  previous_hash: Buffer | null;
  previous_until: Date | null;
  device: string;
  created_at: Date;
  rotated_at: Date;
  seen_at: Date;
  ended_at: Date | null;
}

export interface Tables {
  organizations: OrganizationRow;
  members: MemberRow;
  touchpoints: TouchpointRow;
  touchpoint_changes: TouchpointChangeTable;
  api_keys: ApiKeyRow;
  idempotency_keys: IdempotencyKeyTable;
  touchpoint_events: TouchpointEventTable;
  intros: IntroTable;
  intro_reassignments: IntroReassignmentRow;
  recordings: RecordingTable;
  links: LinkTable;
  delivery_settings: DeliverySettingsTable;
  messages: MessageTable;
  owner_letters: OwnerLetterTable;
  texted_numbers: TextedNumberTable;
  consents: ConsentTable;
  opt_outs: OptOutTable;
  server_key: ServerKeyTable;
  webhook_endpoints: WebhookEndpointRow;
  webhook_messages: WebhookMessageRow;
  webhook_deliveries: WebhookDeliveryTable;
  webhook_attempts: WebhookAttemptRow;
  request_log: RequestLogRow;
  request_log_gaps: RequestLogGapTable;
  rate_buckets: RateBucketTable;
  signin_links: SignInLinkTable;
  console_sessions: ConsoleSessionTable;
}

/** Whose objects: the scope of every query. */
export interface Tenant {
  readonly organizationId: string;
  readonly environment: 'test';
}
