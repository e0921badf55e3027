import { AUDIT_DAYS } from './audit.ts';

/** How long a recipient's page stays open after it was sent, in days. */
export const PAGE_LIFE_DAYS = 180;

/** The kinds of data that each organization keeps for a number of days. */
export const RETENTION_RULES = [
  'videos',
  'intros',
  'events',
  'messages',
  'requests',
  'webhooks',
  'responses',
  'audit',
] as const;
export type RetentionRule = (typeof RETENTION_RULES)[number];

export interface RetentionPolicy {
  readonly name: string;
  /** In days, like the limits. */
  readonly default: number;
  readonly min: number;
  readonly max: number;
  /** The moment from which the days count. */
  readonly since: string;
  readonly removes: string;
  /** Why the default is as long as it is. */
  readonly reason: string;
  /** Why it cannot be shorter. */
  readonly minReason: string;
}

/** The only list of these periods: the sweeps, the console, the command and the docs read it. */
export const RETENTION_POLICIES: Readonly<Record<RetentionRule, RetentionPolicy>> = {
  videos: {
    name: 'Videos',
    default: PAGE_LIFE_DAYS,
    min: 7,
    max: PAGE_LIFE_DAYS,
    since: 'the intro was sent',
    removes: 'The video of a sent intro with its poster and captions. The page then shows that it has closed.',
    reason: `A page closes after ${PAGE_LIFE_DAYS} days, and then no recipient can watch the video.`,
    minReason: 'Recipients watch a video again around the meeting.',
  },
  intros: {
    name: 'Intros',
    default: 1460,
    min: 365,
    max: 3650,
    since: 'the intro was sent, cancelled, or expired',
    removes:
      'The intro with its recipient, event, script, replies, messages, webhooks, stored responses, and emails to the team. Open intros are never removed. Its links show that the page has closed.',
    reason:
      'In the United States, claims about texts can be made for four years (TCPA), and the intro shows why a text was sent.',
    minReason: 'Script results compare the intros of a year, and pages are open for half a year.',
  },
  events: {
    name: 'Events',
    default: 400,
    min: 30,
    max: 3650,
    since: 'the event was processed',
    removes: 'The event with the request that a system sent. Waiting events are never removed. Its intro stays.',
    reason: 'Thirteen months allow a comparison with the same month of the previous year.',
    minReason: 'Failed events are found and retried within weeks.',
  },
  messages: {
    name: 'Messages',
    default: 1460,
    min: 90,
    max: 3650,
    since: 'the message was sent or failed',
    removes:
      'Texts and emails with their addresses and wording, and the figures of weekly summaries. Messages of open intros and scheduled messages are never removed. Opt-outs and consents stay.',
    reason:
      'The wording and the time of a text are the evidence in a dispute, which is possible for four years (TCPA).',
    minReason: 'Carriers and recipients ask about texts for weeks.',
  },
  requests: {
    name: 'Request log',
    default: 7,
    min: 1,
    max: 30,
    since: 'the request',
    removes: 'Logged API requests with their masked bodies.',
    reason: 'A week is enough to debug an integration, and bodies contain names.',
    minReason: 'Debugging needs the requests of the last day.',
  },
  webhooks: {
    name: 'Webhook payloads',
    default: 30,
    min: 7,
    max: 365,
    since: 'the webhook was created',
    removes: 'Webhook messages with their payloads and attempts. Pending ones are never removed.',
    reason: 'A receiver that was down for weeks can get them again.',
    minReason: 'An endpoint is disabled after five days of failures, and its webhooks can be sent again after that.',
  },
  responses: {
    name: 'Idempotency responses',
    default: 30,
    min: 7,
    max: 365,
    since: 'the first request with the key',
    removes:
      'The stored response. The key and its fingerprint stay, so a repeated request never creates a second object.',
    reason: 'Clients retry within minutes. A month also covers jobs that are run again by hand.',
    minReason: 'A queue that is stuck over a long weekend still gets the original response.',
  },
  audit: {
    name: 'Audit log',
    ...AUDIT_DAYS,
    since: 'the change',
    removes: 'Entries of the audit log, one whole day at a time.',
    reason: 'Audits usually cover a year.',
    minReason: 'A break-in is often noticed only after weeks.',
  },
};

/** A shorter period takes effect after this time, so that a mistake can be undone. */
export const RETENTION_GRACE_HOURS = 24;
/** A preview counts up to this number of objects. */
export const RETENTION_COUNT_LIMIT = 10_000;
