import { type Static, Type } from 'typebox';
import { DELIVERY_FAILURES, type DeliveryFailureCode } from './errors.ts';
import { Environment, Nullable, Timestamp } from './fields.ts';
import { REPLY_MESSAGE_MAX_LENGTH } from './plain/index.ts';
import { INTRO_REPLY_TYPES } from './replies.ts';

const closed = { additionalProperties: false } as const;

/** How far a page reports that its video was watched. */
export const WATCH_STEPS = [25, 50, 75, 100] as const;

/** Why a take is rejected; `detail.code` of the step `recording_refused`. */
export const RECORDING_FAILURES = {
  not_a_video: 'The file is not a video.',
  too_long: 'The video is too long.',
  too_large: 'The picture is larger than 4K.',
  no_picture: 'The file has sound but no picture.',
  too_complex: 'The file is more complex than a video of its length should be.',
  too_demanding: 'The video takes too long to process.',
  broken: 'The video is damaged or too short.',
  processing_failed: 'The service could not process the video.',
} as const;

export type RecordingFailureCode = keyof typeof RECORDING_FAILURES;

/** The codes that each step can fail with. The first one is the default. */
export const TEST_FAILURES = {
  recording: Object.keys(RECORDING_FAILURES) as [RecordingFailureCode, ...RecordingFailureCode[]],
  delivery: [
    'undelivered',
    ...(Object.keys(DELIVERY_FAILURES) as DeliveryFailureCode[]).filter((code) => code !== 'undelivered'),
  ] as [DeliveryFailureCode, ...DeliveryFailureCode[]],
} as const;

const list = (codes: readonly string[]): string => codes.map((code) => `\`${code}\``).join(', ');

export const WatchTestIntro = Type.Object(
  {
    percent: Type.Optional(
      Type.Enum([...WATCH_STEPS], {
        type: 'integer',
        default: 100,
        'x-problem': `must be one of ${WATCH_STEPS.join(', ')}`,
        description: 'How much of the video is watched.',
        examples: [50],
      }),
    ),
  },
  { ...closed, 'x-component': 'WatchTestIntro', description: 'How far the video is watched: to the end by default.' },
);

export const ReplyTestIntro = Type.Object(
  {
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
      Type.String({
        minLength: 1,
        maxLength: REPLY_MESSAGE_MAX_LENGTH,
        pattern: '^[^\\p{Cc}\\p{Cs}]*$',
        'x-problem': `must be text of 1 to ${REPLY_MESSAGE_MAX_LENGTH} characters without control characters`,
        description: 'The text of a `question` or a `message`, which need one; not possible for other types.',
        examples: ['Do you need access to the attic?'],
      }),
    ),
  },
  { ...closed, 'x-component': 'ReplyTestIntro', description: 'The reply to simulate: `confirm` by default.' },
);

export const FailTestIntro = Type.Object(
  {
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
  },
  { ...closed, 'x-component': 'FailTestIntro', description: 'The step that fails, and why.' },
);

/** How far a test clock can be ahead: more than the life of every link. */
export const TEST_CLOCK_MAX_S = 400 * 86_400;

export const TestClock = Type.Object(
  {
    object: Type.Literal('test_clock', { description: 'Always `test_clock`.' }),
    status: Type.Enum(['ready', 'advancing'], {
      type: 'string',
      description: '`advancing`: what became due is being processed. `ready`: all of it is done.',
      examples: ['ready'],
    }),
    offset_seconds: Type.Integer({
      description: 'How far the clock is ahead of the real time; 0 without a test clock.',
      examples: [691_200],
    }),
    now: Timestamp('The time on this clock, which keeps running.'),
    advanced_at: Nullable(Timestamp('When it was last advanced, in real time.'), 'Null without a test clock.'),
    environment: Environment,
  },
  { 'x-component': 'TestClock', description: 'The clock of the organization.' },
);

export const AdvanceTestClock = Type.Object(
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
  {
    ...closed,
    'x-component': 'AdvanceTestClock',
    minProperties: 1,
    maxProperties: 1,
    description: 'By how much, or to which time: exactly one of `seconds` and `to`.',
    examples: [{ seconds: 86_400 }],
  },
);

export type TestClock = Static<typeof TestClock>;
export type AdvanceTestClock = Static<typeof AdvanceTestClock>;
export type WatchTestIntro = Static<typeof WatchTestIntro>;
export type ReplyTestIntro = Static<typeof ReplyTestIntro>;
export type FailTestIntro = Static<typeof FailTestIntro>;
