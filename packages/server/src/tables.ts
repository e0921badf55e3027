/** The row types of all tables. */

import type { AuditEntryTable } from './tables/audit.ts';
import type {
  ApiKeyRow,
  ConsoleSessionTable,
  PasskeyTable,
  PreviousServerKeyTable,
  RateBucketTable,
  RequestLogGapTable,
  RequestLogRow,
  ServerKeyTable,
  SignInLinkTable,
  TraceTable,
} from './tables/callers.ts';
import type {
  AllMessagesView,
  CarrierHoldTable,
  CarrierNoticeTable,
  ConsentTable,
  DeliverySettingsTable,
  FlaggedNumberTable,
  ListedIntroRow,
  MessageQueueTable,
  MessageTable,
  OptOutTable,
  OwnerEmailTable,
  ReceivedTextTable,
  TestClockTable,
  TextCountTable,
  TextedNumberTable,
  WeeklySummaryTable,
} from './tables/delivery.ts';
import type { ErasedOptOutTable, RecipientErasureTable } from './tables/erasure.ts';
import type {
  EncodingClaimTable,
  IdempotencyKeyTable,
  IntroAnswerRow,
  IntroDeclineRow,
  IntroReassignmentRow,
  IntroReplyRow,
  IntroTable,
  LinkTable,
  RecordingTable,
  ReplacedLinkTable,
  TouchpointEventTable,
  WaitingEventTable,
} from './tables/intros.ts';
import type { LikenessConsentTable, LikenessRemovalTable } from './tables/likeness.ts';
import type {
  LinkDomainRow,
  MemberRow,
  OrganizationRow,
  RetentionSettingTable,
  TouchpointChangeTable,
  TouchpointRow,
} from './tables/team.ts';
import type {
  WebhookAttemptRow,
  WebhookDeliveryTable,
  WebhookEndpointRow,
  WebhookMessageRow,
} from './tables/webhooks.ts';

export type * from './tables/audit.ts';
export type * from './tables/callers.ts';
export type * from './tables/delivery.ts';
export type * from './tables/erasure.ts';
export type * from './tables/intros.ts';
export type * from './tables/likeness.ts';
export type * from './tables/team.ts';
export type * from './tables/webhooks.ts';

/** Every table, as the migrations created it. A test compares these names with the real columns. */
export interface AllTables {
  organizations: OrganizationRow;
  members: MemberRow;
  touchpoints: TouchpointRow;
  touchpoint_changes: TouchpointChangeTable;
  api_keys: ApiKeyRow;
  idempotency_keys: IdempotencyKeyTable;
  touchpoint_events: TouchpointEventTable;
  waiting_events: WaitingEventTable;
  intros: IntroTable;
  intro_reassignments: IntroReassignmentRow;
  intro_replies: IntroReplyRow;
  intro_answers: IntroAnswerRow;
  intro_declines: IntroDeclineRow;
  likeness_consents: LikenessConsentTable;
  likeness_removals: LikenessRemovalTable;
  recordings: RecordingTable;
  encoding_claims: EncodingClaimTable;
  links: LinkTable;
  replaced_links: ReplacedLinkTable;
  delivery_settings: DeliverySettingsTable;
  message_queue: MessageQueueTable;
  messages: MessageTable;
  carrier_holds: CarrierHoldTable;
  carrier_notices: CarrierNoticeTable;
  received_texts: ReceivedTextTable;
  listed_intros: ListedIntroRow;
  owner_emails: OwnerEmailTable;
  weekly_summaries: WeeklySummaryTable;
  texted_numbers: TextedNumberTable;
  flagged_numbers: FlaggedNumberTable;
  text_counts: TextCountTable;
  consents: ConsentTable;
  opt_outs: OptOutTable;
  erased_opt_outs: ErasedOptOutTable;
  recipient_erasures: RecipientErasureTable;
  test_clocks: TestClockTable;
  server_key: ServerKeyTable;
  previous_server_keys: PreviousServerKeyTable;
  webhook_endpoints: WebhookEndpointRow;
  webhook_messages: WebhookMessageRow;
  webhook_deliveries: WebhookDeliveryTable;
  webhook_attempts: WebhookAttemptRow;
  request_log: RequestLogRow;
  request_log_gaps: RequestLogGapTable;
  traces: TraceTable;
  rate_buckets: RateBucketTable;
  signin_links: SignInLinkTable;
  console_sessions: ConsoleSessionTable;
  passkeys: PasskeyTable;
  audit_entries: AuditEntryTable;
  retention_settings: RetentionSettingTable;
  link_domains: LinkDomainRow;
}

/** Every table and view. */
export interface AllRelations extends AllTables {
  all_messages: AllMessagesView;
}

/** Tables whose rows belong to one organization. They are reached through `forTenant` (tenancy.ts). */
export type TenantTable = {
  [Name in keyof AllRelations]: AllRelations[Name] extends { environment: 'test' } ? Name : never;
}[keyof AllRelations];

/** The tables a database handle knows. Those of an organization require its tenant. */
export type Tables = Omit<AllTables, TenantTable>;

/** The organization and environment that own an object: the scope of every query. */
export interface Tenant {
  readonly organizationId: string;
  readonly environment: 'test';
}

export interface ObjectOfTenant {
  readonly tenant: Tenant;
  readonly id: string;
}
