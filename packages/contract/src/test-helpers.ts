import {
  DELIVERY_FAILURES,
  type DeliveryFailureCode,
  RECORDING_FAILURES,
  type RecordingFailureCode,
} from './errors.ts';
import { Environment, Nullable, SingleLine, Timestamp } from './fields.ts';
import { INTRO_ID, INTRO_REPLY_TYPES, INTRO_STATES, Intro, introExample } from './intros.ts';
import { CLIP_BODY, define, returns } from './operation.ts';
import { REPLY_MESSAGE_MAX_LENGTH } from './plain/index.ts';
import { Component, RequestComponent, type Static, Type } from './schema.ts';

/** How far a page reports that its video was watched. */
export const WATCH_STEPS = [25, 50, 75, 100] as const;

/** The codes that each step can fail with. The first one is the default. */
export const TEST_FAILURES = {
  recording: Object.keys(RECORDING_FAILURES) as [RecordingFailureCode, ...RecordingFailureCode[]],
  delivery: [
    'undelivered',
    ...(Object.keys(DELIVERY_FAILURES) as DeliveryFailureCode[]).filter((code) => code !== 'undelivered'),
  ] as [DeliveryFailureCode, ...DeliveryFailureCode[]],
} as const;

const list = (codes: readonly string[]): string => codes.map((code) => `\`${code}\``).join(', ');

const WatchTestIntro = RequestComponent('WatchTestIntro', 'How far the video is watched: to the end by default.', {
  percent: Type.Optional(
    Type.Enum([...WATCH_STEPS], {
      type: 'integer',
      default: 100,
      'x-problem': `must be one of ${WATCH_STEPS.join(', ')}`,
      description: 'How much of the video is watched.',
      examples: [50],
    }),
  ),
});

const ReplyTestIntro = RequestComponent('ReplyTestIntro', 'The reply to simulate: `confirm` by default.', {
  type: Type.Optional(
    Type.Enum([...INTRO_REPLY_TYPES], {
      type: 'string',
      default: 'confirm',
      'x-problem': `must be one of ${INTRO_REPLY_TYPES.join(', ')}`,
      description: 'The button that is tapped. `message` is a reply to the text that sent the link.',
      examples: ['reschedule'],
    }),
  ),
  message: Type.Optional(
    SingleLine({
      minLength: 1,
      maxLength: REPLY_MESSAGE_MAX_LENGTH,
      'x-problem': `must be text of 1 to ${REPLY_MESSAGE_MAX_LENGTH} characters without control characters`,
      description: 'The text of a `question` or a `message`, which need one, or the note of a `reschedule`.',
      examples: ['Do you need access to the attic?'],
    }),
  ),
});

const FailTestIntro = RequestComponent('FailTestIntro', 'The step that fails, and why.', {
  step: Type.Enum(['recording', 'delivery'], {
    type: 'string',
    'x-problem': 'must be recording or delivery',
    description: 'The step that fails.',
    examples: ['delivery'],
  }),
  code: Type.Optional(
    Type.String({
      description:
        `Why it fails. For \`recording\`: ${list(TEST_FAILURES.recording)}. For \`delivery\`: ${list(TEST_FAILURES.delivery)}. ` +
        'The first one is the default.',
      examples: ['invalid_number'],
    }),
  ),
});

/** How far a test clock can be ahead: more than the life of every link. */
export const TEST_CLOCK_MAX_S = 400 * 86_400;

const TestClock = Component('TestClock', 'The clock of the organization.', {
  object: Type.Literal('test_clock'),
  status: Type.Enum(['ready', 'advancing'], {
    type: 'string',
    description: '`advancing`: what became due is being processed. `ready`: all of it is done.',
  }),
  offset_seconds: Type.Integer({
    description: 'How far the clock is ahead of the real time; 0 without a test clock.',
  }),
  now: Timestamp('The time on this clock, which keeps running.'),
  advanced_at: Nullable(Timestamp('When it was last advanced, in real time.'), 'Null without a test clock.'),
  environment: Environment,
});

const AdvanceTestClock = RequestComponent(
  'AdvanceTestClock',
  'By how much, or to which time: exactly one of `seconds` and `to`.',
  {
    seconds: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: TEST_CLOCK_MAX_S,
        'x-problem': `must be a whole number from 1 to ${TEST_CLOCK_MAX_S}`,
        description: 'By how much.',
        examples: [86_400],
      }),
    ),
    to: Type.Optional(
      Type.String({
        format: 'date-time',
        'x-problem': 'must be an ISO 8601 date-time with an offset or Z, such as 2026-03-10T09:15:00Z',
        description: 'To which time: ISO 8601 with an offset or `Z`.',
        examples: ['2026-03-18T08:00:00-05:00'],
      }),
    ),
  },
  { minProperties: 1, maxProperties: 1, examples: [{ seconds: 86_400 }] },
);

export type TestClock = Static<typeof TestClock>;
export type AdvanceTestClock = Static<typeof AdvanceTestClock>;
export type WatchTestIntro = Static<typeof WatchTestIntro>;
export type ReplyTestIntro = Static<typeof ReplyTestIntro>;
export type FailTestIntro = Static<typeof FailTestIntro>;

const clockExample: TestClock = {
  object: 'test_clock',
  status: 'ready',
  offset_seconds: 691_200,
  now: '2026-03-18T14:15:02.231Z',
  advanced_at: '2026-03-10T14:15:02.198Z',
  environment: 'test',
};

const changed = (example: Static<typeof Intro>) => returns(200, Intro, 'The intro after the request.', example);

/** Each one does what a person or a carrier would do, with the same consequences. No carrier is contacted. */
export const TEST_HELPER_OPERATIONS = define('Test helpers', {
  recordTestIntro: {
    route: 'POST /v1/test_helpers/intros/{id}/record',
    summary: 'Record as a simulated member',
    description:
      'In the test environment: records the intro as its member would, so that an end-to-end test needs no camera. Uses a ' +
      'built-in clip with sound, or the video you send as the body. It goes through the same checks and processing as ' +
      "a member's own take: the intro becomes `ready` a few seconds later. If the video is rejected, it stays `requested`. " +
      'The video is texted to test numbers, `+1500555…`, and to real numbers only if the organization allows it: otherwise ' +
      '`delivery.reason` is `test_recording`.',
    params: INTRO_ID,
    body: CLIP_BODY,
    success: returns(202, Intro, 'The intro; its video is being processed.', introExample),
    errors: ['intro_closed', 'storage_full'],
  },
  openTestIntro: {
    route: 'POST /v1/test_helpers/intros/{id}/open',
    summary: 'Open the page as a simulated recipient',
    description:
      'In the test environment: opens the page of the intro as a person would. `opened_at` is set, and an intro that your ' +
      'system delivers becomes `sent`. An intro that was opened before does not change.',
    params: INTRO_ID,
    success: changed(INTRO_STATES.watched),
    errors: ['intro_not_ready', 'intro_closed'],
  },
  watchTestIntro: {
    route: 'POST /v1/test_helpers/intros/{id}/watch',
    summary: 'Watch the video as a simulated recipient',
    description:
      'In the test environment: opens the page, and watches the video to the end or up to `percent`. Watching to the end sets ' +
      '`watched_at`. An intro that was watched this far before does not change.',
    params: INTRO_ID,
    body: {
      kind: 'optional',
      schema: WatchTestIntro,
      examples: { 'The whole video': {}, 'Half of the video': { percent: 50 } },
    },
    success: changed(INTRO_STATES.watched),
    errors: ['intro_not_ready', 'intro_closed'],
  },
  replyTestIntro: {
    route: 'POST /v1/test_helpers/intros/{id}/reply',
    summary: 'Reply as a simulated recipient',
    description:
      'In the test environment: opens the page, and taps a reply. The member is notified by text or email, as after a real reply. ' +
      'The same reply twice in a row counts once; a page accepts ten replies a day.',
    params: INTRO_ID,
    body: {
      kind: 'optional',
      schema: ReplyTestIntro,
      examples: {
        'Asks a question': { type: 'question', message: 'Do you need access to the attic?' },
        'Confirms the appointment': {},
      },
    },
    success: changed(INTRO_STATES.replied),
    errors: ['intro_not_ready', 'intro_not_sent', 'intro_closed', 'too_soon'],
  },
  optOutTestRecipient: {
    route: 'POST /v1/test_helpers/intros/{id}/opt_out',
    summary: 'Opt out as a simulated recipient',
    isDestructive: true,
    description:
      'In the test environment: the recipient replies STOP, so their number has opted out of every text message of the ' +
      'organization. Only `opt_in` undoes this for a test number, `+1500555…`; for any other number, only a START reply from ' +
      'the phone itself does.',
    params: INTRO_ID,
    success: changed({ ...INTRO_STATES.watched, recipient_opted_out: true }),
  },
  optInTestRecipient: {
    route: 'POST /v1/test_helpers/intros/{id}/opt_in',
    summary: 'Opt in again as a simulated recipient',
    description:
      'In the test environment: the recipient, who has a test number, `+1500555…`, replies START after an opt-out.',
    params: INTRO_ID,
    success: changed(INTRO_STATES.watched),
    errors: ['test_number_required'],
  },
  expireTestIntro: {
    route: 'POST /v1/test_helpers/intros/{id}/expire',
    summary: 'Expire an intro now',
    isDestructive: true,
    description:
      'In the test environment: the deadline of a `requested` or `ready` intro passes now. It becomes `expired` and its links ' +
      'stop working. An intro that has expired before does not change.',
    params: INTRO_ID,
    success: changed(INTRO_STATES.expired),
    errors: ['intro_closed'],
  },
  failTestIntro: {
    route: 'POST /v1/test_helpers/intros/{id}/fail',
    summary: 'Fail a recording or a delivery',
    isDestructive: true,
    description:
      'In the test environment. `recording`: the member records a video that is rejected; the status stays the same, and ' +
      '`POST /v1/intros/{id}/retry_recording` processes a valid video. `delivery`: the text to the recipient of an intro that ' +
      'Foreword delivers fails, and `delivery.error` says why.',
    params: INTRO_ID,
    body: {
      kind: 'required',
      schema: FailTestIntro,
      examples: {
        recording: { step: 'recording', code: 'not_a_video' },
        delivery: { step: 'delivery', code: 'invalid_number' },
      },
    },
    success: changed(INTRO_STATES.undeliverable),
    errors: ['intro_not_ready', 'intro_closed', 'delivery_refused', 'too_soon', 'storage_full'],
  },
  retrieveTestClock: {
    route: 'GET /v1/test_helpers/clock',
    agentGroup: 'test_clock',
    summary: 'Retrieve the test clock',
    description: 'The time of the organization: the real time, or ahead of it after the test clock was advanced.',
    success: returns(200, TestClock, 'The clock.', clockExample),
  },
  advanceTestClock: {
    route: 'POST /v1/test_helpers/clock/advance',
    agentGroup: 'test_clock',
    summary: 'Advance the test clock',
    isDestructive: true,
    description:
      'Moves the clock of the organization forward, by up to 400 days in total. Within seconds everything that becomes due ' +
      'happens, in order and with its webhooks: reminders, delayed texts, deadlines. While the clock is ahead, nothing leaves ' +
      'the service: texts to test numbers, `+1500555…`, and messages to members are simulated, and for other recipients ' +
      '`delivery.reason` is `test_clock`. Sending hours and the time between two texts apply to test numbers, too. API keys, ' +
      'sessions, rate limits and retries of webhooks stay on real time. With a text or email provider, this is refused while ' +
      'intros for real numbers are open.',
    body: { kind: 'required', schema: AdvanceTestClock, examples: { 'By eight days': { seconds: 691_200 } } },
    success: returns(200, TestClock, 'The clock, ahead of the real time.', { ...clockExample, status: 'advancing' }),
    errors: ['test_clock_refused'],
  },
  resetTestClock: {
    route: 'POST /v1/test_helpers/clock/reset',
    agentGroup: 'test_clock',
    summary: 'Reset the test clock',
    isDestructive: true,
    description:
      'Returns to the real time. Open intros are cancelled first, and texts that wait are dropped, so that nothing from the ' +
      'test is sent later. Other objects keep their times. Without a test clock, nothing changes.',
    success: returns(200, TestClock, 'The clock, at the real time.', {
      ...clockExample,
      offset_seconds: 0,
      now: clockExample.advanced_at,
      advanced_at: null,
    }),
  },
});
