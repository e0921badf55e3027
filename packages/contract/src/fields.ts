import {
  EVENT_STATUSES,
  INTRO_STATUSES,
  LANES,
  LANGUAGES,
  NAME_MAX_LENGTH,
  type Lane as PlainLane,
  type Responsibility as PlainResponsibility,
  type TouchpointContext as PlainTouchpointContext,
  RESPONSIBILITIES,
  SCRIPT_FIT_SECONDS,
  SCRIPT_FIT_WORDS,
  SCRIPT_MAX_LENGTH,
  SLUG_MAX_LENGTH,
  TITLE_MAX_LENGTH,
  TOUCHPOINT_CONTEXTS,
  TRADES,
} from './plain/index.ts';
import { type TSchema, type TStringOptions, Type } from './schema.ts';

/**
 * `x-problem` completes the error message "<field> …"; the validator reads it, and the published document omits it.
 * The validator stores an `x-phone` in its one spelling. There, `x-component` makes a schema a component of that name, `x-choices` a choice between objects of these names, and
 * `x-open` an enum that may grow.
 */
export const SingleLine = (options: TStringOptions & { readonly 'x-problem'?: string }) =>
  Type.String({
    // Cc: control characters including NUL; Cs: unpaired surrogates.
    pattern: '^[^\\p{Cc}\\p{Cs}]*$',
    'x-problem': 'must be text without control characters or invalid Unicode',
    ...options,
  });

export const Nullable = <T extends TSchema>(schema: T, description?: string) =>
  Type.Union([schema, Type.Null()], description === undefined ? {} : { description });

const ID_BODY = '[0-9a-z]{26}';

export const Id = (prefix: string, description: string) =>
  Type.String({ pattern: `^${prefix}_${ID_BODY}$`, description });

/** Accepts any text: an id that matches nothing is "not found" rather than malformed. */
export const AnyId = (description: string, example: string) => Type.String({ description, examples: [example] });

/** An id in an optional field or parameter. Empty text is not an id: a body does not send the field, and a query is rejected. */
export const OptionalId = (description: string, example: string) =>
  Type.Optional(Type.String({ minLength: 1, description, examples: [example] }));

export const Timestamp = (description: string) => Type.String({ format: 'date-time', description });

const DATE_TIME = '\\d{4}-\\d{2}-\\d{2}[Tt]\\d{2}:\\d{2}(:\\d{2}(\\.\\d+)?)?';
const OFFSET = '([Zz]|[+-]\\d{2}(:?\\d{2})?)';

/** A time in a request. `format` checks the whole rule; the published document has only the pattern, because `date-time` is stricter. */
export const Instant = (description: string) =>
  Type.String({
    format: 'instant',
    pattern: `^${DATE_TIME}${OFFSET}$`,
    'x-problem': 'must be an ISO 8601 date-time with an offset or Z, such as 2026-03-10T09:15:00Z',
    description: `${description}: ISO 8601 with an offset or \`Z\`. Seconds are optional.`,
    examples: ['2026-03-10T09:15:00Z'],
  });

/** A time that may be local to a time zone next to it. */
export const ZonedTime = (description: string) =>
  Type.String({
    format: 'appointment-time',
    pattern: `^${DATE_TIME}${OFFSET}?$`,
    'x-problem': 'must be an ISO 8601 date-time, such as 2026-03-12T14:30:00-05:00 or 2026-03-12T14:30:00',
    description: `${description}: ISO 8601. Without an offset, the time is local to \`timezone\`. Seconds are optional.`,
    examples: ['2026-03-12T14:30:00'],
  });

/** The format, which only our validator knows, requires something that can be seen. */
export const Name = (description: string, example: string) =>
  SingleLine({ format: 'visible', minLength: 1, maxLength: NAME_MAX_LENGTH, description, examples: [example] });
export const ExternalText = (description: string, example: string) =>
  SingleLine({ minLength: 1, maxLength: 255, description, examples: [example] });
export const Title = SingleLine({
  minLength: 1,
  maxLength: TITLE_MAX_LENGTH,
  description: 'The line above the video.',
  examples: ['Ana from Acme Roofing has a message for you'],
});

/** Line breaks, and tabs, which count as spaces. */
export const LINES_PATTERN = '^[^\\p{Cs}\\u0000-\\u0008\\u000B\\u000C\\u000E-\\u001F\\u007F-\\u009F]*$';

export const Script = Type.String({
  minLength: 1,
  maxLength: SCRIPT_MAX_LENGTH,
  pattern: LINES_PATTERN,
  'x-problem': 'must be text without control characters (line breaks and tabs are allowed) or invalid Unicode',
  description: `The text that the member reads while recording. ${SCRIPT_FIT_WORDS} words take about ${SCRIPT_FIT_SECONDS} seconds. Tabs become spaces.`,
  examples: ['Hi Dana, this is Ana from Acme Roofing. I will be at your place on Thursday at 2:30.'],
});

export const Email = Type.String({
  minLength: 3,
  maxLength: 254,
  pattern: '^[^\\s@\\p{Cc}\\p{Cs}]+@[^\\s@\\p{Cc}\\p{Cs}]+$',
  'x-problem': 'must be an email address, such as ana@acme.example',
  description: 'An email address; matching ignores case.',
  examples: ['ana@acme.example'],
});

export const Phone = Type.String({
  pattern: '^\\+[1-9][0-9]{7,14}$',
  'x-phone': true,
  'x-problem': 'must be a mobile number in E.164 format: a plus sign and 8 to 15 digits, such as +14155550123',
  description: 'Mobile number in E.164 format.',
  examples: ['+14155550123'],
});

export const Slug = Type.String({
  pattern: `^[a-z0-9_]{1,${SLUG_MAX_LENGTH}}$`,
  'x-problem': `must be the slug of a touchpoint: 1 to ${SLUG_MAX_LENGTH} of a-z, 0-9 and _`,
  description: "Slug of one of the organization's touchpoints, listed by `GET /v1/touchpoints`.",
  examples: ['new_appointment'],
});

/** `component` names it in the OpenAPI document. */
export const oneOf = <const T extends readonly string[]>(values: T, description: string, component?: string) =>
  Type.Enum<[...T]>([...values], {
    type: 'string',
    ...(component !== undefined && { 'x-component': component }),
    'x-problem': `must be one of ${values.join(', ')}`,
    description,
    examples: [values[0]],
  });

/** The known values in responses. Callers must accept others, so that values can be added. */
export const openEnum = <const T extends readonly string[]>(component: string, values: T, description?: string) =>
  Type.Enum<[...T]>([...values], {
    type: 'string',
    'x-component': component,
    'x-open': true,
    ...(description !== undefined && { description }),
  });

/** An open enum, so that languages can be added. */
export const RecipientLanguage = openEnum(
  'RecipientLanguage',
  LANGUAGES,
  "The language of the page and of the texts: as sent, or the organization's language when the intro was created.",
);
export const ScriptLanguage = openEnum(
  'ScriptLanguage',
  LANGUAGES,
  "The language of the script. It differs from the recipient's if the touchpoint has no script in that language.",
);

/** A query parameter with one or more of these values, separated by commas or sent several times. `readQuery` splits them. */
export const severalOf = <const T extends string>(values: readonly T[], description: string) =>
  Type.Array(Type.Enum([...values], { type: 'string', 'x-problem': `must be one of ${values.join(', ')}` }), {
    minItems: 1,
    'x-problem': `must be one or more of ${values.join(', ')}, separated by commas`,
    description: `${description} Separate several values with commas, or repeat the parameter.`,
    examples: [values.slice(0, 1)],
  });

export const Trade = oneOf(TRADES, 'The trade that the event concerns.', 'Trade');
export const Lane = oneOf(LANES, 'The lane that the event belongs to.', 'Lane');
export type Lane = PlainLane;
export const Language = oneOf(
  LANGUAGES,
  '`en`: English. `es`: Spanish. The language of the page, the texts and the script.',
  'Language',
);
export const Responsibility = oneOf(
  RESPONSIBILITIES,
  '`integration`: Foreword prepares the intro and your system delivers the link. `service`: Foreword sends it.',
  'Responsibility',
);
export type Responsibility = PlainResponsibility;
export const IntroStatus = oneOf(INTRO_STATUSES, 'Status of the intro.', 'IntroStatus');
export const EventStatus = oneOf(EVENT_STATUSES, 'Status of the event.', 'EventStatus');
export const TouchpointContext = oneOf(TOUCHPOINT_CONTEXTS, 'The kind of event.', 'TouchpointContext');
export type TouchpointContext = PlainTouchpointContext;
export const Environment = Type.Literal('test', { description: 'Only the test environment exists.' });

const METADATA_KEY_PATTERN = '^[A-Za-z0-9_.-]{1,40}$';
const METADATA_MAX_LENGTH = 500;
const METADATA_MAX_PAIRS = 20;

export const Metadata = Type.Record(
  Type.String({ pattern: METADATA_KEY_PATTERN }),
  Type.Union(
    [
      SingleLine({ maxLength: METADATA_MAX_LENGTH }),
      // Beyond 2^53 a double cannot represent every integer, so the value might not be returned as sent.
      Type.Number({
        minimum: -Number.MAX_SAFE_INTEGER,
        maximum: Number.MAX_SAFE_INTEGER,
        'x-problem': 'must be a number between -(2^53-1) and 2^53-1 (send a larger one as text)',
      }),
      Type.Boolean(),
    ],
    { 'x-problem': 'must be text, a number, or true or false' },
  ),
  {
    'x-component': 'Metadata',
    maxProperties: METADATA_MAX_PAIRS,
    additionalProperties: false,
    'x-problem': 'is not a valid key: use 1 to 40 letters, digits, dots, dashes or underscores',
    description:
      'Your own key/value pairs: at most 20, with keys of 1 to 40 letters, digits, `_`, `.` or `-`; values are text of up to ' +
      '500 characters, numbers or booleans. Stored and returned as sent, never interpreted; numbers keep 15 significant digits.',
    examples: [{ crm_owner: 'west', priority: 2 }],
  },
);

/** Pairs of a filter, sent as `metadata[key]=value`. */
export const MetadataFilter = Type.Record(
  Type.String({ pattern: METADATA_KEY_PATTERN }),
  SingleLine({ minLength: 1, maxLength: METADATA_MAX_LENGTH }),
  {
    maxProperties: METADATA_MAX_PAIRS,
    additionalProperties: false,
    'x-problem': 'is not a valid key: use 1 to 40 letters, digits, dots, dashes or underscores',
    description:
      'Pairs that the metadata must contain, each as `metadata[key]=value`. Numbers and booleans match as their JSON text.',
    examples: [{ crm_owner: 'west' }],
  },
);

export const IdempotencyKey = Type.String({
  'x-component': 'IdempotencyKey',
  pattern: '^[\\x20-\\x7E]{1,255}$',
  'x-problem': 'must be 1 to 255 printable ASCII characters',
  description:
    'Distinguishes a retry from a new request: use the same key for every attempt of one request, and a new key for every other. ' +
    'Build it from your data, as `<source>:<record_id>:<touchpoint_slug>` and, for an appointment, `:` and its start in UTC to the ' +
    'minute. Never use random values or the current time.',
  examples: ['acme_crm:appt_8812:new_appointment:2026-03-12T19:30Z'],
});
