import type { ErrorCode } from './errors.ts';
import { define, EVERY_POST } from './operation.ts';
import { EmptyBody, IdParams, NoQuery } from './requests.ts';
import { Intro } from './resources.ts';
import { AdvanceTestClock, FailTestIntro, ReplyTestIntro, TestClock, WatchTestIntro } from './test-helpers.ts';

const INTRO_ID = IdParams('The intro identifier.', 'int_01kahzv8e1f0rtx5m2q6n9d3bw');
const success = { status: 200, schema: Intro, description: 'The intro after the request.' } as const;
const EVERY_HELPER: readonly ErrorCode[] = [...EVERY_POST, 'not_found'];

/** Each one does what a person or a carrier would do, with the same consequences. No carrier is contacted. */
export const TEST_HELPER_OPERATIONS = define({
  openTestIntro: {
    method: 'POST',
    path: '/v1/test_helpers/intros/{id}/open',
    operationId: 'openTestIntro',
    tag: 'Test helpers',
    summary: 'Open the page as a simulated recipient',
    description:
      'In the test environment: opens the page of the intro as a person would. `opened_at` is set, and an intro that your ' +
      'system delivers becomes `sent`. An intro that was opened before does not change.',
    params: INTRO_ID,
    query: NoQuery,
    body: { kind: 'empty', schema: EmptyBody },
    success,
    errors: [...EVERY_HELPER, 'intro_not_ready', 'intro_closed'],
  },
  watchTestIntro: {
    method: 'POST',
    path: '/v1/test_helpers/intros/{id}/watch',
    operationId: 'watchTestIntro',
    tag: 'Test helpers',
    summary: 'Watch the video as a simulated recipient',
    description:
      'In the test environment: opens the page, and watches the video to the end or up to `percent`. Watching to the end sets ' +
      '`watched_at`. An intro that was watched this far before does not change.',
    params: INTRO_ID,
    query: NoQuery,
    body: { kind: 'optional', schema: WatchTestIntro },
    success,
    errors: [...EVERY_HELPER, 'intro_not_ready', 'intro_closed'],
  },
  replyTestIntro: {
    method: 'POST',
    path: '/v1/test_helpers/intros/{id}/reply',
    operationId: 'replyTestIntro',
    tag: 'Test helpers',
    summary: 'Reply as a simulated recipient',
    description:
      'In the test environment: opens the page, and taps a reply. The member is notified by text or email, as after a real reply. ' +
      'The same reply twice in a row counts once; a page accepts ten replies a day.',
    params: INTRO_ID,
    query: NoQuery,
    body: { kind: 'optional', schema: ReplyTestIntro },
    success,
    errors: [...EVERY_HELPER, 'intro_not_ready', 'intro_closed', 'too_soon'],
  },
  optOutTestRecipient: {
    method: 'POST',
    path: '/v1/test_helpers/intros/{id}/opt_out',
    operationId: 'optOutTestRecipient',
    tag: 'Test helpers',
    summary: 'Opt out as a simulated recipient',
    isDestructive: true,
    description:
      'In the test environment: the recipient replies STOP, so their number has opted out of every text message of the ' +
      'organization. Only `opt_in` undoes this for a test number, `+1500555…`; for any other number, only a START reply from ' +
      'the phone itself does.',
    params: INTRO_ID,
    query: NoQuery,
    body: { kind: 'empty', schema: EmptyBody },
    success,
    errors: EVERY_HELPER,
  },
  optInTestRecipient: {
    method: 'POST',
    path: '/v1/test_helpers/intros/{id}/opt_in',
    operationId: 'optInTestRecipient',
    tag: 'Test helpers',
    summary: 'Opt in again as a simulated recipient',
    description:
      'In the test environment: the recipient, who has a test number, `+1500555…`, replies START after an opt-out.',
    params: INTRO_ID,
    query: NoQuery,
    body: { kind: 'empty', schema: EmptyBody },
    success,
    errors: [...EVERY_HELPER, 'test_number_required'],
  },
  expireTestIntro: {
    method: 'POST',
    path: '/v1/test_helpers/intros/{id}/expire',
    operationId: 'expireTestIntro',
    tag: 'Test helpers',
    summary: 'Expire an intro now',
    isDestructive: true,
    description:
      'In the test environment: the deadline of a `requested` or `ready` intro passes now. It becomes `expired` and its links ' +
      'stop working. An intro that has expired before does not change.',
    params: INTRO_ID,
    query: NoQuery,
    body: { kind: 'empty', schema: EmptyBody },
    success,
    errors: [...EVERY_HELPER, 'intro_closed'],
  },
  failTestIntro: {
    method: 'POST',
    path: '/v1/test_helpers/intros/{id}/fail',
    operationId: 'failTestIntro',
    tag: 'Test helpers',
    summary: 'Fail a recording or a delivery',
    isDestructive: true,
    description:
      'In the test environment. `recording`: the member records a video that is rejected; the status stays the same, and ' +
      '`POST /v1/intros/{id}/retry_recording` processes a valid video. `delivery`: the text to the recipient of an intro that ' +
      'Foreword delivers fails, and `delivery.error` says why.',
    params: INTRO_ID,
    query: NoQuery,
    body: { kind: 'required', schema: FailTestIntro },
    success,
    errors: [...EVERY_HELPER, 'intro_not_ready', 'intro_closed', 'delivery_refused', 'too_soon', 'storage_full'],
  },
  retrieveTestClock: {
    method: 'GET',
    path: '/v1/test_helpers/clock',
    operationId: 'retrieveTestClock',
    tag: 'Test helpers',
    agentGroup: 'test_clock',
    summary: 'Retrieve the test clock',
    description: 'The time of the organization: the real time, or ahead of it after the test clock was advanced.',
    query: NoQuery,
    success: { status: 200, schema: TestClock, description: 'The clock.' },
    errors: ['validation_failed'],
  },
  advanceTestClock: {
    method: 'POST',
    path: '/v1/test_helpers/clock/advance',
    operationId: 'advanceTestClock',
    tag: 'Test helpers',
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
    query: NoQuery,
    body: { kind: 'required', schema: AdvanceTestClock },
    success: { status: 200, schema: TestClock, description: 'The clock, ahead of the real time.' },
    errors: [...EVERY_POST, 'test_clock_refused'],
  },
  resetTestClock: {
    method: 'POST',
    path: '/v1/test_helpers/clock/reset',
    operationId: 'resetTestClock',
    tag: 'Test helpers',
    agentGroup: 'test_clock',
    summary: 'Reset the test clock',
    isDestructive: true,
    description:
      'Returns to the real time. Open intros are cancelled first, and texts that wait are dropped, so that nothing from the ' +
      'test is sent later. Other objects keep their times. Without a test clock, nothing changes.',
    query: NoQuery,
    body: { kind: 'empty', schema: EmptyBody },
    success: { status: 200, schema: TestClock, description: 'The clock, at the real time.' },
    errors: EVERY_POST,
  },
});
