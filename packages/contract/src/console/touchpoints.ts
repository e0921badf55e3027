import { type TSchema, Type } from 'typebox';
import { Lane, Name, Nullable, Responsibility, Slug, TouchpointContext } from '../fields.ts';
import { ACTION_LABEL_MAX, LANES, TEMPLATE_SOURCE_MAX } from '../plain/index.ts';
import { define, response } from './operation.ts';

/** What an address of a button begins with and may hold. */
export const ACTION_URL_PATTERN = 'https?://[^\\s\\p{Cc}\\p{Cs}]{1,2000}';

const orNull = <T extends TSchema>(schema: T, problem: string) =>
  Type.Union([schema, Type.Null()], { 'x-problem': problem });

const OneLine = Type.String({
  maxLength: TEMPLATE_SOURCE_MAX,
  pattern: '^[^\\p{Cc}\\p{Cs}]*$',
  'x-problem': 'must be one line of text, without control characters',
});
const Lines = Type.String({
  maxLength: TEMPLATE_SOURCE_MAX,
  // As the script of the API: a line break is the only control character.
  pattern: '^[^\\p{Cs}\\u0000-\\u0009\\u000B\\u000C\\u000E-\\u001F\\u007F-\\u009F]*$',
  'x-problem': 'must be text without control characters other than line breaks',
});
const ActionLabel = orNull(
  Type.String({ minLength: 1, maxLength: ACTION_LABEL_MAX, pattern: '^[^\\p{Cc}\\p{Cs}]*$' }),
  `must be text of 1 to ${ACTION_LABEL_MAX} characters, without control characters`,
);
const ActionUrl = orNull(
  Type.String({ pattern: `^${ACTION_URL_PATTERN}$` }),
  'must be an address that begins with https:// or http://',
);
const TextMessage = orNull(
  Lines,
  `must be text of at most ${TEMPLATE_SOURCE_MAX} characters, without control characters other than line breaks`,
);
const SomeLane = orNull(Lane, `must be one of ${LANES.join(', ')}, or null for every lane`);
const DaysToRecord = Type.Integer({
  minimum: 1,
  maximum: 365,
  'x-problem': 'must be a whole number of days, from 1 to 365',
});
const TouchpointName = Name('What the team calls it.', 'New appointment');
const Version = Type.Integer({ minimum: 1, 'x-problem': 'must be the version that the touchpoint was read with' });

/** What can be changed of a touchpoint after it was made. The slug cannot: events carry it. */
export interface TouchpointContent {
  readonly name: string;
  readonly context: TouchpointContext;
  /** Null: every lane. */
  readonly lane: Lane | null;
  readonly active: boolean;
  readonly delivery: Responsibility;
  readonly days_to_record: number;
  readonly page_title: string;
  readonly script: string;
  readonly action_label: string | null;
  readonly action_url: string | null;
  /** Null: the usual words. */
  readonly text_message: string | null;
  /** Whether a member who has not recorded yet is reminded. */
  readonly reminds: boolean;
}

export type TouchpointField = keyof TouchpointContent;

/** A number that is not counted to its end: with `more` it is at least this many. */
export interface PartialCount {
  readonly count: number;
  readonly more: boolean;
}

/** Null stands for a command of the operator. */
export type TouchpointAuthor = { readonly id: string; readonly name: string } | null;

export interface TouchpointSummary {
  readonly id: string;
  readonly slug: string;
  readonly name: string;
  readonly context: TouchpointContext;
  readonly lane: Lane | null;
  readonly active: boolean;
  readonly delivery: Responsibility;
  /** Of the script, as it comes out for sample people at the usual pace. */
  readonly words: number;
  readonly seconds: number;
  readonly open_intros: PartialCount;
  /** Accepted, and not processed yet. */
  readonly waiting_events: PartialCount;
  readonly version: number;
}

export interface TouchpointList {
  /** In the organization's own order. */
  readonly touchpoints: TouchpointSummary[];
  /** Those that a touchpoint of this organization may belong to. */
  readonly lanes: readonly Lane[];
}

export interface TouchpointDetail extends TouchpointContent {
  readonly id: string;
  readonly slug: string;
  /** Grows with each change; what is saved says which one it was made from. */
  readonly version: number;
  readonly created_at: string;
  readonly last_change: { readonly at: string; readonly by: TouchpointAuthor } | null;
  readonly open_intros: PartialCount;
  readonly waiting_events: PartialCount;
  /** What the industry's own has in these fields; null for one that the team made. */
  readonly original: Omit<TouchpointContent, 'active'> | null;
  readonly lanes: readonly Lane[];
  /** What a template may name, and what each says. */
  readonly variables: readonly { readonly path: string; readonly says: string }[];
  /** The text message that is sent where no other is written. */
  readonly default_text: string;
}

export interface TouchpointFieldChange {
  readonly field: TouchpointField;
  readonly before: string | number | boolean | null;
  readonly after: string | number | boolean | null;
}

export interface TouchpointChange {
  readonly id: string;
  readonly kind: 'created' | 'copied' | 'changed' | 'reset' | 'undone';
  readonly at: string;
  readonly by: TouchpointAuthor;
  readonly version: number;
  readonly fields: TouchpointFieldChange[];
  /** The change that this one took back. */
  readonly undoes: string | null;
  /** The slug of the touchpoint that this one was copied from. */
  readonly copy_of: string | null;
}

export interface TouchpointProblem {
  readonly field: 'page_title' | 'script' | 'text_message';
  readonly line: number | null;
  readonly message: string;
}

export interface TouchpointRendering {
  /** `usual`: sample people, with all that can be sent. `bare`: with nothing but what must be sent. `real`: of an intro. */
  readonly people: 'usual' | 'bare' | 'real';
  readonly recipient: string;
  readonly member: string;
  /** Null while the template has a problem. */
  readonly page_title: string | null;
  readonly script: string | null;
  readonly words: number;
  readonly seconds: number;
  readonly text: {
    readonly body: string;
    readonly encoding: 'GSM-7' | 'UCS-2';
    readonly units: number;
    readonly segments: number;
  } | null;
}

export interface TouchpointPreview {
  /** Each keeps the draft from being saved. */
  readonly problems: TouchpointProblem[];
  /** Can be saved, but would fail for some people. */
  readonly warnings: TouchpointProblem[];
  readonly renderings: TouchpointRendering[];
  /** A script of more words is longer than people like to watch: a hint, never a refusal. */
  readonly max_words: number;
}

export interface TouchpointFitResult {
  readonly id: string;
  readonly name: string;
  readonly words_per_minute: number;
  /** False: they have not chosen one, so that the usual one counts. */
  readonly is_own_pace: boolean;
  readonly words: number;
  readonly seconds: number;
}

/** Who would take longer than the limit, with the longest names that this organization knows. */
export interface TouchpointFit {
  /** Where the recorder's ring is full. */
  readonly limit_seconds: number;
  /** Where the recorder ends a take. */
  readonly end_seconds: number;
  readonly max_words: number;
  readonly default_words_per_minute: number;
  readonly longest_recipient: string;
  readonly longest_member: string | null;
  /** With the longest names, at the usual pace. */
  readonly words: number;
  readonly seconds: number;
  readonly active_members: number;
  /** The slowest ones; fewer than the active ones in a very large team. */
  readonly checked: number;
  readonly over: TouchpointFitResult[];
  /** Set when the script cannot be rendered; then nobody was checked. */
  readonly problem: TouchpointProblem | null;
}

const strict = { additionalProperties: false } as const;

export const TOUCHPOINTS_OPERATIONS = define({
  'GET /touchpoints': { role: 'manager', response: response<TouchpointList>() },
  'POST /touchpoints': {
    role: 'manager',
    body: Type.Object(
      {
        name: TouchpointName,
        slug: Type.Optional(Slug),
        context: TouchpointContext,
        lane: SomeLane,
      },
      strict,
    ),
    response: response<TouchpointDetail>(),
  },
  'GET /touchpoints/:slug': { role: 'manager', response: response<TouchpointDetail>() },
  /** Saves. Fields that are left out stay as they are. */
  'POST /touchpoints/:slug': {
    role: 'manager',
    body: Type.Object(
      {
        version: Version,
        name: Type.Optional(TouchpointName),
        context: Type.Optional(TouchpointContext),
        lane: Type.Optional(SomeLane),
        active: Type.Optional(Type.Boolean()),
        delivery: Type.Optional(Responsibility),
        days_to_record: Type.Optional(DaysToRecord),
        page_title: Type.Optional(OneLine),
        script: Type.Optional(Lines),
        action_label: Type.Optional(ActionLabel),
        action_url: Type.Optional(ActionUrl),
        text_message: Type.Optional(TextMessage),
        reminds: Type.Optional(Type.Boolean()),
      },
      strict,
    ),
    response: response<TouchpointDetail>(),
  },
  'POST /touchpoints/:slug/copy': {
    role: 'manager',
    body: Type.Object({ name: TouchpointName, slug: Type.Optional(Slug) }, strict),
    response: response<TouchpointDetail>(),
  },
  /** Without a version: on is on, whoever said it last, and nothing else is touched. */
  'POST /touchpoints/:slug/active': {
    role: 'manager',
    body: Type.Object({ active: Type.Boolean() }, strict),
    response: response<TouchpointDetail>(),
  },
  'POST /touchpoints/:slug/reset': {
    role: 'manager',
    body: Type.Object({ version: Version }, strict),
    response: response<TouchpointDetail>(),
  },
  'GET /touchpoints/:slug/history': {
    role: 'manager',
    query: Type.Object({ before: Type.Optional(Type.String({ maxLength: 64 })) }, strict),
    response: response<{ changes: TouchpointChange[]; has_more: boolean }>(),
  },
  /** Takes one change back, by a new one. */
  'POST /touchpoints/:slug/undo': {
    role: 'manager',
    body: Type.Object({ change: Type.String({ maxLength: 64 }), version: Version }, strict),
    response: response<TouchpointDetail>(),
  },
  /** Moves one, so that of two people who move different ones at once both are heard. */
  'POST /touchpoint-order': {
    role: 'manager',
    body: Type.Object({ slug: Slug, before: Nullable(Slug, 'Null: to the end.') }, strict),
    response: response<{ slugs: string[] }>(),
  },
  'POST /touchpoint-preview': {
    role: 'manager',
    body: Type.Object({ page_title: OneLine, script: Lines, text_message: TextMessage }, strict),
    response: response<TouchpointPreview>(),
  },
  'POST /touchpoint-fit': {
    role: 'manager',
    body: Type.Object({ script: Lines }, strict),
    response: response<TouchpointFit>(),
  },
});
