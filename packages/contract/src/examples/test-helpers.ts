import type { TestClock } from '../test-helpers.ts';
import {
  ASKED,
  DIRECT_READY,
  DIRECT_SENT,
  EXPIRED,
  OPENED,
  REPLIED,
  REQUESTED,
  TEST_NUMBER,
  UNDELIVERABLE,
  WATCHED,
} from './objects/intros.ts';
import type { Examples } from './types.ts';

const AHEAD: TestClock = {
  object: 'test_clock',
  status: 'ready',
  offset_seconds: 691_200,
  now: '2026-03-18T14:15:02.231Z',
  advanced_at: '2026-03-10T14:15:02.198Z',
  environment: 'test',
};

const REAL: TestClock = { ...AHEAD, offset_seconds: 0, now: '2026-03-10T14:21:40.117Z', advanced_at: null };

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
  replyTestIntro: {
    idempotencyKey: `${KEY}:reply`,
    requests: {
      confirm: { summary: 'Confirms the appointment', value: {} },
      question: {
        summary: 'Asks a question',
        value: { type: 'question', message: 'Do you need access to the attic?' },
      },
    },
    responses: {
      confirmed: { summary: 'The appointment is confirmed', value: REPLIED },
      question: { summary: 'A question', value: ASKED },
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
  retrieveTestClock: {
    responses: {
      ahead: { summary: 'Eight days ahead', value: AHEAD },
      real: { summary: 'At the real time', value: REAL },
    },
  },
  advanceTestClock: {
    idempotencyKey: 'test:reminders:day_8',
    requests: {
      seconds: { summary: 'By eight days', value: { seconds: 691_200 } },
      hour: { summary: 'By an hour', value: { seconds: 3_600 } },
    },
    responses: {
      advancing: {
        summary: 'Due messages and deadlines are being processed',
        value: { ...AHEAD, status: 'advancing' },
      },
      ready: { summary: 'Nothing became due', value: AHEAD },
    },
  },
  resetTestClock: {
    idempotencyKey: 'test:reminders:reset',
    requests: null,
    responses: { real: { summary: 'At the real time', value: REAL } },
  },
} satisfies Partial<Examples>;
