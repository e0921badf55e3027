import type { Static } from 'typebox';
import type { WEBHOOK_EVENTS, WEBHOOK_TEST, WebhookEventType } from '../webhooks.ts';
import { FAILED, PROCESSED } from './objects/events.ts';
import {
  ASKED,
  CANCELLED,
  DECLINED,
  DIRECT_READY,
  EXPIRED,
  OPENED,
  READY,
  REASSIGNED,
  REPLIED,
  REQUESTED,
  SENT,
  TAKEN_DOWN,
  UNDELIVERABLE,
  UNREACHABLE,
  WATCHED,
} from './objects/intros.ts';
import { CRM_ENDPOINT } from './objects/webhooks.ts';
import { ERASED } from './recipients.ts';
import type { NamedExamples } from './types.ts';

type TestType = (typeof WEBHOOK_TEST)['type'];
type DataOf<T extends WebhookEventType | TestType> = T extends WebhookEventType
  ? Static<(typeof WEBHOOK_EVENTS)[T]['data']>
  : Static<(typeof WEBHOOK_TEST)['data']>;

export interface WebhookPayload<T extends WebhookEventType | TestType> {
  readonly type: T;
  readonly timestamp: string;
  readonly data: DataOf<T>;
}

type PayloadExamples = {
  readonly [T in WebhookEventType | TestType]: NamedExamples<WebhookPayload<T>>;
};

function payload<T extends WebhookEventType | TestType>(type: T, timestamp: string | null, data: DataOf<T>) {
  if (timestamp === null) throw new Error(`the example of ${type} has not happened yet`);
  return { type, timestamp, data };
}

/** The body of a webhook of each type. */
export const WEBHOOK_EXAMPLES: PayloadExamples = {
  'intro.requested': {
    requested: { summary: 'A new intro', value: payload('intro.requested', REQUESTED.created_at, REQUESTED) },
  },
  'intro.reassigned': {
    reassigned: {
      summary: 'Marcus records instead of Ana',
      value: payload('intro.reassigned', '2026-03-10T14:24:37.859Z', REASSIGNED),
    },
  },
  'intro.declined': {
    declined: {
      summary: 'Ana is away',
      value: payload('intro.declined', '2026-03-10T14:20:11.482Z', DECLINED),
    },
  },
  'intro.member_unreachable': {
    bounces: {
      summary: "Ana's email bounces",
      value: payload('intro.member_unreachable', '2026-03-10T14:15:03.127Z', UNREACHABLE),
    },
  },
  'intro.ready': {
    integration: {
      summary: 'Your system sends the link now',
      value: payload('intro.ready', DIRECT_READY.recorded_at, DIRECT_READY),
    },
    service: { summary: 'Foreword texts the link', value: payload('intro.ready', READY.recorded_at, READY) },
  },
  'intro.sent': { sent: { summary: 'The link was sent', value: payload('intro.sent', SENT.sent_at, SENT) } },
  'intro.opened': {
    opened: { summary: 'A person opened the page', value: payload('intro.opened', OPENED.opened_at, OPENED) },
  },
  'intro.watched': {
    watched: { summary: 'Watched to the end', value: payload('intro.watched', WATCHED.watched_at, WATCHED) },
  },
  'intro.replied': {
    confirmed: {
      summary: 'The recipient confirms the appointment',
      value: payload('intro.replied', '2026-03-10T14:52:51.930Z', REPLIED),
    },
    question: {
      summary: 'The recipient has a question',
      value: payload('intro.replied', '2026-03-10T18:05:12.604Z', ASKED),
    },
  },
  'intro.cancelled': {
    cancelled: { summary: 'Cancelled', value: payload('intro.cancelled', CANCELLED.cancelled_at, CANCELLED) },
  },
  'intro.taken_down': {
    takenDown: {
      summary: 'The page was taken down',
      value: payload('intro.taken_down', TAKEN_DOWN.taken_down_at, TAKEN_DOWN),
    },
  },
  'intro.expired': {
    expired: { summary: 'Not recorded in time', value: payload('intro.expired', EXPIRED.expires_at, EXPIRED) },
  },
  'intro.delivery_failed': {
    invalidNumber: {
      summary: 'The number does not exist',
      value: payload('intro.delivery_failed', '2026-03-10T19:47:32.406Z', UNDELIVERABLE),
    },
  },
  'touchpoint_event.processed': {
    processed: {
      summary: 'It created an intro',
      value: payload('touchpoint_event.processed', REQUESTED.created_at, PROCESSED),
    },
  },
  'touchpoint_event.failed': {
    failed: {
      summary: 'The recipient has opted out',
      value: payload('touchpoint_event.failed', '2026-03-09T16:40:11.951Z', FAILED),
    },
  },
  'recipient.opted_out': {
    optedOut: {
      summary: 'A recipient replied STOP',
      value: payload('recipient.opted_out', '2026-03-07T18:22:46.090Z', {
        object: 'recipient',
        phone: '+13125550186',
        source: 'text',
        opted_out_at: '2026-03-07T18:22:46.090Z',
      }),
    },
  },
  'recipient.opted_in': {
    optedIn: {
      summary: 'A recipient replied START',
      value: payload('recipient.opted_in', '2026-03-08T09:02:17.351Z', {
        object: 'recipient',
        phone: '+13125550186',
        source: 'text',
        opted_in_at: '2026-03-08T09:02:17.351Z',
      }),
    },
  },
  'recipient.erased': {
    erased: { summary: 'Everything is removed', value: payload('recipient.erased', ERASED.completed_at, ERASED) },
  },
  'webhook.test': {
    test: {
      summary: 'A test of the endpoint',
      value: payload('webhook.test', '2026-03-10T16:50:00.120Z', { object: 'webhook_test', endpoint: CRM_ENDPOINT.id }),
    },
  },
};
