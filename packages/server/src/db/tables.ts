/** Describes every table once: who owns it, and how archive, retention and erasure treat it. */

import type { RetentionRule } from '@foreword/contract';
import type { AllTables } from './rows.ts';

export type TableName = keyof AllTables;

/** The column that says which recipient a row is about: directly, or through the intro or event. */
export type RecipientColumn =
  | 'address'
  | 'intro_id'
  | 'object_id'
  | 'phone'
  | 'recipient_phone'
  | 'request'
  | 'subject';

/** How erasing a recipient changes a table. */
type Erasure<Column> =
  /** Empties these columns in the rows about the recipient's intros or events. */
  | { readonly clears: readonly Column[] }
  /** Deletes the rows with the recipient's number. */
  | { readonly deletes: true }
  /** These columns may identify a recipient. Statements of their own change them. */
  | { readonly erases: readonly Column[]; readonly how: string }
  /** The table cannot identify a recipient. */
  | { readonly keeps: string };

export interface Table<Column extends string = string> {
  /** The room that writes to it, a folder of src. Others only read. */
  readonly owner: string;
  /** Types of columns about which SQL says too little. `npm run gen` writes them to rows.ts. */
  readonly types?: Readonly<Partial<Record<Column, string>>>;
  /** Without: no row is about a recipient. */
  readonly recipient?: Extract<RecipientColumn, Column>;
  /** If left out, an archive has all rows. `sealed`: encrypted or hashed with the server key, and unreadable with another one. */
  readonly archive?: 'sealed' | { readonly leftOut: string };
  /** A rule, or how long rows are kept. */
  readonly retention: RetentionRule | { readonly kept: string };
  readonly erasure: Erasure<Column>;
}

const WITH_ORGANIZATION = { kept: 'as long as the organization' };
const ABOUT_TEAM = { keeps: 'About the team.' };
const ABOUT_ACCOUNT = { keeps: 'About the account with a carrier, without phone numbers.' };

const OF_ORGANIZATION = { retention: WITH_ORGANIZATION, erasure: { keeps: 'About the organization.' } };
const OF_TEAM = { retention: WITH_ORGANIZATION, erasure: ABOUT_TEAM };
const OF_TEMPLATES = { retention: WITH_ORGANIZATION, erasure: { keeps: 'Templates, which name no recipient.' } };
/** Texts of a member or the recipient about an intro. */
const MESSAGE_OF_INTRO = {
  owner: 'intros',
  recipient: 'intro_id',
  retention: 'intros',
  erasure: { clears: ['message'] },
} as const;
const NUMBER_OF_INTROS = {
  owner: 'delivery',
  recipient: 'phone',
  retention: 'intros',
  erasure: { deletes: true },
} as const;

/** In the order of an archive, in which they are also imported. */
export const TABLES: { readonly [Name in TableName]: Table<keyof AllTables[Name] & string> } = {
  organizations: {
    owner: 'organizations',
    types: { lanes: 'contract.Lane[]' },
    ...OF_ORGANIZATION,
  },
  retention_settings: {
    owner: 'privacy',
    types: { rule: 'contract.RetentionRule' },
    ...OF_ORGANIZATION,
  },
  link_domains: {
    owner: 'organizations',
    types: { failure_code: 'contract.LinkDomainFailureCode' },
    // A removed domain keeps serving the links that were sent.
    ...OF_ORGANIZATION,
  },
  members: {
    owner: 'members',
    types: { lanes: 'contract.Lane[]' },
    ...OF_TEAM,
  },
  likeness_consents: {
    owner: 'privacy',
    types: { language: 'contract.Language' },
    // Both prove which text a member agreed to, and when the consent was withdrawn.
    ...OF_TEAM,
  },
  likeness_removals: { owner: 'privacy', ...OF_TEAM },
  passkeys: { owner: 'console', ...OF_TEAM },
  signin_links: {
    owner: 'console',
    archive: { leftOut: 'Users request a new link.' },
    // An expired link still explains why it does not work.
    retention: { kept: 'until 30 days after they expire' },
    erasure: ABOUT_TEAM,
  },
  console_sessions: {
    owner: 'console',
    archive: { leftOut: 'Users sign in again.' },
    // Members see where they are signed in.
    retention: { kept: 'until 30 days after the last use' },
    erasure: ABOUT_TEAM,
  },
  api_keys: { owner: 'http', ...OF_TEAM },
  rate_buckets: {
    owner: 'http',
    archive: { leftOut: 'They refill within seconds.' },
    retention: { kept: 'one row for each API key and organization' },
    erasure: { keeps: 'Counts.' },
  },
  touchpoints: { owner: 'touchpoints', ...OF_TEMPLATES },
  touchpoint_changes: {
    owner: 'touchpoints',
    // Undo and the results of each script version need the whole history.
    ...OF_TEMPLATES,
  },
  delivery_settings: { owner: 'delivery', ...OF_ORGANIZATION },
  test_clocks: {
    owner: 'testing',
    retention: WITH_ORGANIZATION,
    erasure: { keeps: 'Times.' },
  },
  touchpoint_events: {
    owner: 'intros',
    types: { status: "'accepted' | 'processed' | 'failed'" },
    recipient: 'request',
    retention: 'events',
    erasure: {
      erases: ['request', 'error_message'],
      how: 'Recipient, context and metadata leave the request when the erasure is accepted. A waiting event fails.',
    },
  },
  waiting_events: {
    owner: 'intros',
    archive: { leftOut: 'It only lists events that are not processed.' },
    retention: { kept: 'until they are processed' },
    erasure: { keeps: 'Ids of events.' },
  },
  intros: {
    owner: 'intros',
    recipient: 'recipient_phone',
    retention: 'intros',
    erasure: {
      erases: [
        'recipient_first_name',
        'recipient_last_name',
        'recipient_phone',
        'context',
        'script',
        'metadata',
        'delivery_error_message',
        'recording_id',
      ],
      how: 'Emptied when the erasure is accepted. Open intros are cancelled, and sent pages taken down.',
    },
  },
  intro_reassignments: {
    owner: 'intros',
    recipient: 'intro_id',
    retention: 'intros',
    erasure: { keeps: 'Ids and times.' },
  },
  intro_declines: MESSAGE_OF_INTRO,
  intro_replies: MESSAGE_OF_INTRO,
  intro_answers: MESSAGE_OF_INTRO,
  listed_intros: {
    owner: 'delivery',
    recipient: 'intro_id',
    archive: { leftOut: 'They number a list that a member got by text, for a day.' },
    retention: 'intros',
    erasure: { keeps: 'Ids and times.' },
  },
  recordings: {
    owner: 'recordings',
    recipient: 'intro_id',
    retention: 'videos',
    // All files are deleted: originals, video, pictures, captions and preview.
    erasure: { clears: ['captions'] },
  },
  encoding_claims: {
    owner: 'recordings',
    archive: { leftOut: 'They order the work of the media workers.' },
    retention: { kept: 'one row for each organization' },
    erasure: { keeps: 'Times.' },
  },
  links: {
    owner: 'intros',
    // They tell the link of a removed intro, which answers 410, from an unknown one.
    retention: WITH_ORGANIZATION,
    erasure: { keeps: 'Hashes of tokens. The pages answer 410.' },
  },
  replaced_links: {
    owner: 'intros',
    retention: WITH_ORGANIZATION,
    erasure: { keeps: 'Hashes of tokens.' },
  },
  idempotency_keys: {
    owner: 'http',
    recipient: 'object_id',
    retention: 'responses',
    erasure: {
      erases: ['response'],
      how: 'The stored response becomes the erased intro or event. The hash of the key and the fingerprint stay, so that a replay creates nothing.',
    },
  },
  message_queue: {
    owner: 'delivery',
    archive: { leftOut: 'Its messages are among the others.' },
    retention: { kept: 'until it is sent or dropped' },
    erasure: {
      erases: ['address', 'subject', 'body', 'error_message'],
      how: 'Messages that are not sent yet are dropped.',
    },
  },
  messages: {
    owner: 'delivery',
    recipient: 'address',
    retention: 'messages',
    erasure: { erases: ['address', 'subject', 'body', 'carrier_id', 'error_message'], how: 'Emptied.' },
  },
  owner_emails: {
    owner: 'delivery',
    types: {
      purpose:
        "'webhook_disabled' | 'key_expires' | 'texts_paused' | 'daily_limit' | 'weekly_summary' | 'intro_declined' | 'carrier_fault'",
    },
    retention: 'messages',
    erasure: { erases: ['subject', 'body'], how: 'Emptied if the email names the recipient.' },
  },
  weekly_summaries: {
    owner: 'delivery',
    retention: 'messages',
    erasure: { erases: ['figures'], how: 'The name is replaced.' },
  },
  texted_numbers: NUMBER_OF_INTROS,
  flagged_numbers: NUMBER_OF_INTROS,
  text_counts: {
    owner: 'delivery',
    recipient: 'subject',
    // Daily limits compare a day with the four weeks before.
    retention: { kept: '30 days' },
    erasure: { deletes: true },
  },
  consents: {
    owner: 'delivery',
    recipient: 'phone',
    // Without it, a person who opted out would be texted again.
    retention: WITH_ORGANIZATION,
    erasure: { erases: ['phone', 'said'], how: 'The number becomes a keyed hash, the words are deleted.' },
  },
  opt_outs: {
    owner: 'delivery',
    recipient: 'phone',
    // Without it, a person who opted out would be texted again.
    retention: WITH_ORGANIZATION,
    erasure: { erases: ['phone'], how: 'Moves to erased_opt_outs.' },
  },
  erased_opt_outs: {
    owner: 'delivery',
    archive: 'sealed',
    // Without it, a person who opted out would be texted again.
    retention: WITH_ORGANIZATION,
    erasure: { keeps: 'A keyed hash of the number, so that the person is never texted again.' },
  },
  received_texts: {
    owner: 'delivery',
    archive: { leftOut: 'They belong to the installation, and matter only while a carrier may repeat a report.' },
    // A carrier may report a text twice.
    retention: { kept: '7 days' },
    erasure: { keeps: "A carrier's ids and times." },
  },
  carrier_holds: {
    owner: 'delivery',
    archive: { leftOut: 'Accounts with carriers belong to the installation.' },
    retention: { kept: 'until the account works' },
    erasure: ABOUT_ACCOUNT,
  },
  carrier_notices: {
    owner: 'delivery',
    archive: { leftOut: 'Accounts with carriers belong to the installation.' },
    // The owners are notified once.
    retention: { kept: 'one row for each fault of an account' },
    erasure: ABOUT_ACCOUNT,
  },
  recipient_erasures: {
    owner: 'privacy',
    types: {
      removed: 'ColumnType<Readonly<Record<string, number>>, string, string>',
      accepted_at: 'ColumnType<Date, never, never>',
    },
    // The proof that a recipient was erased.
    retention: WITH_ORGANIZATION,
    erasure: { erases: ['sealed_phone'], how: 'The encrypted number is deleted when the erasure is complete.' },
  },
  webhook_endpoints: {
    owner: 'webhooks',
    retention: WITH_ORGANIZATION,
    erasure: { keeps: "The integrator's own addresses." },
  },
  webhook_messages: {
    owner: 'webhooks',
    recipient: 'object_id',
    archive: 'sealed',
    retention: 'webhooks',
    erasure: {
      erases: ['sealed_payload'],
      how: 'The payload is replaced by the erased object, including in messages that are still to be sent.',
    },
  },
  webhook_deliveries: {
    owner: 'webhooks',
    archive: 'sealed',
    retention: 'webhooks',
    erasure: { keeps: 'Ids, states and times.' },
  },
  webhook_attempts: {
    owner: 'webhooks',
    archive: 'sealed',
    retention: 'webhooks',
    erasure: { erases: ['sealed_answer'], how: 'Emptied, because a receiver may repeat the payload.' },
  },
  request_log: {
    owner: 'console',
    recipient: 'object_id',
    retention: 'requests',
    // Rejected requests have no object: those with the number are emptied, too.
    erasure: { clears: ['query', 'body', 'answer'] },
  },
  request_log_gaps: {
    owner: 'console',
    retention: 'requests',
    erasure: { keeps: 'Counts.' },
  },
  audit_entries: {
    owner: 'privacy',
    types: {
      action: 'contract.AuditAction',
      at: 'ColumnType<Date, never, never>',
      reason: 'contract.SignInFailure | contract.ConsentSource',
    },
    recipient: 'object_id',
    retention: 'audit',
    erasure: { keeps: 'Ids and names of fields, never their values.' },
  },
  traces: {
    owner: 'intros',
    archive: { leftOut: 'Traces exist only where they were recorded.' },
    // What happens to an intro later belongs to the trace of its request.
    retention: { kept: '30 days' },
    erasure: { keeps: 'Ids of objects and of traces.' },
  },
  server_key: {
    owner: 'db',
    archive: { leftOut: 'It belongs to the installation.' },
    retention: { kept: 'one row' },
    erasure: { keeps: 'A fingerprint of the key.' },
  },
  previous_server_keys: {
    owner: 'db',
    archive: { leftOut: 'They belong to the installation.' },
    // Links that were sent derive from earlier keys.
    retention: { kept: 'one row for each rotation' },
    erasure: { keeps: 'Keys, encrypted.' },
  },
};

/** The tables of which this is true, in the order of an archive. */
export const tablesWhere = (isTrue: (table: Table) => boolean): readonly TableName[] =>
  (Object.keys(TABLES) as TableName[]).filter((name) => isTrue(TABLES[name]));
