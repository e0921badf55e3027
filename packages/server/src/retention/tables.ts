import { AUDIT_DAYS, type RetentionRule } from '@foreword/contract';
import type { AllTables } from '../tables.ts';

interface Retained {
  /** The rule that removes the rows. */
  readonly rule: RetentionRule;
}

interface Kept {
  /** How long rows are kept without a rule. */
  readonly kept: string;
  readonly reason: string;
}

const WITH_ORGANIZATION = 'as long as the organization';
const SETUP: Kept = { kept: WITH_ORGANIZATION, reason: 'It is part of the setup, and an owner changes or removes it.' };
const PROOF: Kept = {
  kept: WITH_ORGANIZATION,
  reason: 'Without it, a person who opted out would be texted again.',
};

const CONSENT: Kept = {
  kept: WITH_ORGANIZATION,
  reason: 'It proves which text a member agreed to, and when the consent was withdrawn. It names no recipient.',
};

/** The retention of each table. A table without an entry is a type error. */
export const TABLE_RETENTION: Readonly<Record<keyof AllTables, Retained | Kept>> = {
  recordings: { rule: 'videos' },
  intros: { rule: 'intros' },
  intro_replies: { rule: 'intros' },
  intro_declines: { rule: 'intros' },
  intro_answers: { rule: 'intros' },
  listed_intros: { rule: 'intros' },
  intro_reassignments: { rule: 'intros' },
  texted_numbers: { rule: 'intros' },
  flagged_numbers: { rule: 'intros' },
  touchpoint_events: { rule: 'events' },
  messages: { rule: 'messages' },
  message_queue: { kept: 'until it is sent or dropped', reason: 'It is the queue of messages.' },
  owner_emails: { rule: 'messages' },
  weekly_summaries: { rule: 'messages' },
  request_log: { rule: 'requests' },
  request_log_gaps: { rule: 'requests' },
  webhook_messages: { rule: 'webhooks' },
  webhook_deliveries: { rule: 'webhooks' },
  webhook_attempts: { rule: 'webhooks' },
  idempotency_keys: { rule: 'responses' },
  audit_entries: { rule: 'audit' },
  likeness_consents: CONSENT,
  likeness_removals: CONSENT,
  opt_outs: PROOF,
  consents: PROOF,
  erased_opt_outs: PROOF,
  recipient_erasures: {
    kept: WITH_ORGANIZATION,
    reason: 'It is the proof that a recipient was erased, and does not identify them.',
  },
  organizations: SETUP,
  members: SETUP,
  touchpoints: SETUP,
  api_keys: SETUP,
  webhook_endpoints: SETUP,
  delivery_settings: SETUP,
  passkeys: SETUP,
  retention_settings: SETUP,
  link_domains: {
    kept: WITH_ORGANIZATION,
    reason: 'It is part of the setup. A removed domain keeps serving the links that were sent.',
  },
  test_clocks: SETUP,
  touchpoint_changes: {
    kept: WITH_ORGANIZATION,
    reason: 'Undo and the results of each script version need the whole history. It names no recipient.',
  },
  links: {
    kept: WITH_ORGANIZATION,
    reason: 'Only hashes: they tell the link of a removed intro, which answers 410, from an unknown one.',
  },
  replaced_links: { kept: WITH_ORGANIZATION, reason: 'Only hashes, as for links.' },
  text_counts: { kept: '30 days', reason: 'Daily limits compare a day with the four weeks before.' },
  carrier_holds: { kept: 'until the account works', reason: 'Texts wait meanwhile. It has no personal data.' },
  carrier_notices: {
    kept: 'one row for each fault of an account',
    reason: 'The owners are notified once. It has no personal data.',
  },
  received_texts: {
    kept: '7 days',
    reason: 'A carrier may report a text twice. It has no personal data.',
  },
  waiting_events: { kept: 'until they are processed', reason: 'The queue of events. It has only ids.' },
  traces: {
    kept: '30 days',
    reason: 'What happens to an intro later belongs to the trace of its request. It has only ids.',
  },
  signin_links: {
    kept: 'until 30 days after they expire',
    reason: 'An expired link still explains why it does not work.',
  },
  console_sessions: { kept: 'until 30 days after the last use', reason: 'Members see where they are signed in.' },
  encoding_claims: { kept: 'one row for each organization', reason: 'The order of encoding. It has no personal data.' },
  rate_buckets: { kept: 'one row for each API key and organization', reason: 'Rate limits. It has no personal data.' },
  server_key: { kept: 'one row', reason: 'The fingerprint of the server key.' },
  previous_server_keys: {
    kept: 'one row for each rotation',
    reason: 'Links that were sent derive from earlier keys. They are encrypted with the current one.',
  },
};

/** Data outside of the tables above, for the docs. */
export const OTHER_RETENTION: readonly (Kept & { readonly data: string })[] = [
  {
    data: 'Original recordings',
    kept: '`ORIGINALS_DAYS`, 7 days by default',
    reason: 'A video can be encoded again if a page shows a problem. This is a setting of the installation.',
  },
  {
    data: 'Videos of intros that were not sent',
    kept: 'until an hour after the intro was cancelled or has expired',
    reason: 'No recipient can watch them.',
  },
  { data: 'Unfinished uploads', kept: '24 hours', reason: 'A member resumes an upload on the same day.' },
  { data: 'Finished jobs', kept: '1 minute', reason: 'Events and intros record the results.' },
  {
    data: 'Hashes of idempotency keys and of their requests',
    kept: WITH_ORGANIZATION,
    reason:
      'A key is built from facts. If it were forgotten, a CRM that sends old records again would text a customer twice.',
  },
  {
    data: 'Audit log, at the least',
    kept: `${AUDIT_DAYS.min} days`,
    reason: 'The database rejects earlier deletions, whatever the settings.',
  },
];
