import type { AllTables } from '../tables.ts';

/** The tables of an archive, in the order in which they are imported. A test compares both lists with the schema. */
export const ARCHIVED_TABLES = [
  'organizations',
  'retention_settings',
  'link_domains',
  'members',
  'likeness_consents',
  'likeness_removals',
  'passkeys',
  'api_keys',
  'touchpoints',
  'touchpoint_changes',
  'delivery_settings',
  'test_clocks',
  'touchpoint_events',
  'intros',
  'intro_reassignments',
  'intro_declines',
  'intro_replies',
  'intro_answers',
  'recordings',
  'links',
  'replaced_links',
  'idempotency_keys',
  'messages',
  'owner_emails',
  'weekly_summaries',
  'texted_numbers',
  'flagged_numbers',
  'text_counts',
  'consents',
  'opt_outs',
  'erased_opt_outs',
  'recipient_erasures',
  'webhook_endpoints',
  'webhook_messages',
  'webhook_deliveries',
  'webhook_attempts',
  'request_log',
  'request_log_gaps',
  'audit_entries',
] as const satisfies readonly (keyof AllTables)[];

export type ArchivedTable = (typeof ARCHIVED_TABLES)[number];

export const isArchived = (table: string): table is ArchivedTable =>
  (ARCHIVED_TABLES as readonly string[]).includes(table);

/** The other tables, and why they are left out. The names are in the manifest. */
export const LEFT_OUT: Readonly<Record<Exclude<keyof AllTables, ArchivedTable>, string>> = {
  server_key: 'It belongs to the installation.',
  previous_server_keys: 'They belong to the installation.',
  console_sessions: 'Users sign in again.',
  signin_links: 'Users request a new link.',
  rate_buckets: 'They refill within seconds.',
  waiting_events: 'The events that wait say so themselves.',
  message_queue: 'Its messages are among the others.',
  traces: 'They are of use only where they were recorded.',
  encoding_claims: 'They order the work of the media workers.',
  carrier_holds: 'Accounts with carriers belong to the installation.',
  carrier_notices: 'Accounts with carriers belong to the installation.',
  listed_intros: 'They number a list that a member got by text, for a day.',
  received_texts: 'They belong to the installation, and matter only while a carrier may repeat a report.',
};

/** Their contents are encrypted or hashed with the server key, and unreadable with another one. */
export const SEALED_TABLES: readonly ArchivedTable[] = [
  'webhook_messages',
  'webhook_deliveries',
  'webhook_attempts',
  'erased_opt_outs',
  'recipient_erasures',
];

/** How a table's rows refer to a recipient. Tables without an entry have no data about recipients. */
export type RecipientLink = 'phone' | 'subject' | 'recipient_phone' | 'intro_id' | 'object_id' | 'event' | 'message';

export const RECIPIENT_TABLES: Partial<Record<ArchivedTable, RecipientLink>> = {
  touchpoint_events: 'event',
  intros: 'recipient_phone',
  intro_reassignments: 'intro_id',
  intro_declines: 'intro_id',
  intro_replies: 'intro_id',
  intro_answers: 'intro_id',
  recordings: 'intro_id',
  idempotency_keys: 'object_id',
  messages: 'message',
  texted_numbers: 'phone',
  flagged_numbers: 'phone',
  text_counts: 'subject',
  consents: 'phone',
  opt_outs: 'phone',
  webhook_messages: 'object_id',
  request_log: 'object_id',
  audit_entries: 'object_id',
};
