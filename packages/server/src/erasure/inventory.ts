import type { AllTables } from '../tables.ts';

/** How erasing a recipient changes a table. */
export type Treatment =
  /** These columns may identify a recipient, and are emptied, deleted or hashed. */
  | { readonly erases: readonly string[]; readonly how: string }
  /** The table cannot identify a recipient. */
  | { readonly keeps: string };

/** Every table. A test compares the list with the schema, so that a new table is not forgotten. */
export const INVENTORY: Readonly<Record<keyof AllTables, Treatment>> = {
  intros: {
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
  touchpoint_events: {
    erases: ['request', 'error_message'],
    how: 'Recipient, context and metadata leave the request when the erasure is accepted. A waiting event fails.',
  },
  idempotency_keys: {
    erases: ['response'],
    how: 'The stored response becomes the erased intro or event. The hash of the key and the fingerprint stay, so that a replay creates nothing.',
  },
  message_queue: {
    erases: ['address', 'subject', 'body', 'error_message'],
    how: 'Messages that are not sent yet are dropped.',
  },
  messages: {
    erases: ['address', 'subject', 'body', 'carrier_id', 'error_message'],
    how: 'Emptied.',
  },
  owner_emails: { erases: ['subject', 'body'], how: 'Emptied if the email names the recipient.' },
  weekly_summaries: { erases: ['figures'], how: 'The name is replaced.' },
  texted_numbers: { erases: ['phone'], how: 'Deleted.' },
  flagged_numbers: { erases: ['phone'], how: 'Deleted.' },
  text_counts: { erases: ['subject'], how: 'The counts of the number are deleted.' },
  consents: { erases: ['phone', 'said'], how: 'The number becomes a keyed hash, the words are deleted.' },
  opt_outs: { erases: ['phone'], how: 'Moves to erased_opt_outs.' },
  erased_opt_outs: { keeps: 'A keyed hash of the number, so that the person is never texted again.' },
  intro_replies: { erases: ['message'], how: 'Emptied.' },
  intro_declines: { erases: ['message'], how: 'Emptied.' },
  intro_answers: { erases: ['message'], how: 'Emptied.' },
  recordings: {
    keeps: 'Sizes and states. All files are deleted: originals, video, pictures, captions and preview.',
  },
  webhook_messages: {
    erases: ['sealed_payload'],
    how: 'The payload is replaced by the erased object, including in messages that are still to be sent.',
  },
  webhook_attempts: { erases: ['sealed_answer'], how: 'Emptied, because a receiver may repeat the payload.' },
  request_log: {
    erases: ['query', 'body', 'answer'],
    how: 'Emptied for requests about the intros and events, and for rejected ones with the number.',
  },
  recipient_erasures: {
    erases: ['sealed_phone'],
    how: 'The encrypted number is deleted when the erasure is complete.',
  },
  links: { keeps: 'Hashes of tokens. The pages answer 410.' },
  replaced_links: { keeps: 'Hashes of tokens.' },
  intro_reassignments: { keeps: 'Ids and times.' },
  webhook_deliveries: { keeps: 'Ids, states and times.' },
  webhook_endpoints: { keeps: "The integrator's own addresses." },
  request_log_gaps: { keeps: 'Counts.' },
  audit_entries: { keeps: 'Ids and names of fields, never their values.' },
  waiting_events: { keeps: 'Ids of events.' },
  traces: { keeps: 'Ids of objects and of traces.' },
  encoding_claims: { keeps: 'Times.' },
  rate_buckets: { keeps: 'Counts.' },
  carrier_holds: { keeps: 'About the account with a carrier, without phone numbers.' },
  carrier_notices: { keeps: 'About the account with a carrier, without phone numbers.' },
  received_texts: { keeps: "A carrier's ids and times." },
  listed_intros: { keeps: 'Ids and times.' },
  test_clocks: { keeps: 'Times.' },
  server_key: { keeps: 'A fingerprint of the key.' },
  previous_server_keys: { keeps: 'Keys, encrypted.' },
  organizations: { keeps: 'About the organization.' },
  retention_settings: { keeps: 'About the organization.' },
  link_domains: { keeps: 'About the organization.' },
  delivery_settings: { keeps: 'About the organization.' },
  touchpoints: { keeps: 'Templates, which name no recipient.' },
  touchpoint_changes: { keeps: 'Templates, which name no recipient.' },
  members: { keeps: 'About the team.' },
  likeness_consents: { keeps: 'About the team.' },
  likeness_removals: { keeps: 'About the team.' },
  api_keys: { keeps: 'About the team.' },
  passkeys: { keeps: 'About the team.' },
  signin_links: { keeps: 'About the team.' },
  console_sessions: { keeps: 'About the team.' },
};
