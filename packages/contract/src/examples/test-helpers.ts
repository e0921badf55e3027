import {
  DIRECT_READY,
  DIRECT_SENT,
  EXPIRED,
  OPENED,
  REQUESTED,
  TEST_NUMBER,
  UNDELIVERABLE,
  WATCHED,
} from './objects/intros.ts';
import type { Examples } from './types.ts';

const KEY = 'acme_crm:appt_8812:new_appointment';

export const TEST_HELPER_EXAMPLES = {
  openTestIntro: {
    idempotencyKey: `${KEY}:open`,
    requests: null,
    responses: {
      opened: { summary: 'The recipient opened the page', value: OPENED },
      sent: {
        summary: 'Your system sent the link, so opening the page marks the intro as sent',
        value: { ...DIRECT_SENT, opened_at: DIRECT_SENT.sent_at },
      },
    },
  },
  watchTestIntro: {
    idempotencyKey: `${KEY}:watch`,
    requests: {
      whole: { summary: 'The whole video', value: {} },
      half: { summary: 'Half of the video', value: { percent: 50 } },
    },
    responses: {
      watched: { summary: 'Watched to the end', value: WATCHED },
      opened: { summary: 'Watched in part', value: OPENED },
    },
  },
  optOutTestRecipient: {
    idempotencyKey: `${KEY}:opt_out`,
    requests: null,
    responses: {
      optedOut: { summary: 'The recipient replied STOP', value: { ...WATCHED, recipient_opted_out: true } },
    },
  },
  optInTestRecipient: {
    idempotencyKey: `${KEY}:opt_in`,
    requests: null,
    responses: {
      optedIn: {
        summary: 'The recipient replied START',
        value: TEST_NUMBER,
      },
    },
  },
  expireTestIntro: {
    idempotencyKey: `${KEY}:expire`,
    requests: null,
    responses: {
      unrecorded: { summary: 'The member did not record it', value: EXPIRED },
      unsent: {
        summary: 'It was recorded, and your system did not send the link',
        value: { ...DIRECT_READY, status: 'expired', version: 3, expires_at: '2026-03-11T09:00:00.000Z' },
      },
    },
  },
  failTestIntro: {
    idempotencyKey: `${KEY}:fail`,
    requests: {
      recording: { summary: 'The take is rejected', value: { step: 'recording', code: 'not_a_video' } },
      delivery: { summary: 'The text cannot be delivered', value: { step: 'delivery', code: 'invalid_number' } },
    },
    responses: {
      recording: { summary: 'Nothing changed but the timeline', value: REQUESTED },
      delivery: {
        summary: 'The text was not sent',
        value: UNDELIVERABLE,
      },
    },
  },
} satisfies Partial<Examples>;
