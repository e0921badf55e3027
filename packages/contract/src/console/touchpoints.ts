import {
  Lane,
  Language,
  LINES_PATTERN,
  Name,
  Nullable,
  Responsibility,
  SingleLine,
  Slug,
  TouchpointContext,
} from '../fields.ts';
import {
  ACTION_LABEL_MAX,
  LANES,
  RECORDING_TIME,
  TEMPLATE_SOURCE_MAX,
  type TOUCHPOINT_FIELDS,
} from '../plain/index.ts';
import type { SegmentPrice } from '../plain/text-segments.ts';
import { ClosedObject, type Static, type TSchema, Type } from '../schema.ts';
import { define, json, response } from './operation.ts';
import type { IntroStatistics } from './overview.ts';

/** Addresses that the page's button may open. Without a user name, which could pass for the host name, or a password, which every recipient would see. */
export const ACTION_URL_PATTERN =
  'https?://(?=[^\\s\\p{Cc}\\p{Cs}]{1,2000}$)[^\\s/?#@\\\\\\p{Cc}\\p{Cs}]+([/?#][^\\s\\p{Cc}\\p{Cs}]*)?';
export const ACTION_URL_PROBLEM =
  'must be an address that begins with https:// or http://, without a user name or password';

const orNull = <T extends TSchema>(schema: T, problem: string) =>
  Type.Union([schema, Type.Null()], { 'x-problem': problem });

const OneLine = SingleLine({
  maxLength: TEMPLATE_SOURCE_MAX,
  'x-problem': 'must be one line of text, without control characters',
});
const Lines = Type.String({
  maxLength: TEMPLATE_SOURCE_MAX,
  // As in the API's script.
  pattern: LINES_PATTERN,
  'x-problem': 'must be text without control characters other than line breaks and tabs',
});
const ActionLabel = orNull(
  Type.String({ minLength: 1, maxLength: ACTION_LABEL_MAX, pattern: '^[^\\p{Cc}\\p{Cs}]*$' }),
  `must be text of 1 to ${ACTION_LABEL_MAX} characters, without control characters`,
);
const ActionUrl = orNull(Type.String({ pattern: `^${ACTION_URL_PATTERN}$` }), ACTION_URL_PROBLEM);
const TextMessage = orNull(
  Lines,
  `must be text of at most ${TEMPLATE_SOURCE_MAX} characters, without control characters other than line breaks and tabs`,
);
const SpanishLine = orNull(OneLine, 'must be one line of text, without control characters, or null');
const SpanishLines = orNull(Lines, 'must be text without control characters other than line breaks and tabs, or null');
const SomeLane = orNull(Lane, `must be one of ${LANES.join(', ')}, or null for every lane`);
const MinutesToRecord = Type.Integer({
  minimum: RECORDING_TIME.shortest,
  maximum: RECORDING_TIME.longest,
  'x-problem': 'must be a time from 5 minutes to 365 days',
});
const TouchpointName = Name('The name that the team sees.', 'New appointment');
const Version = Type.Integer({ minimum: 1, 'x-problem': 'must be the version that the touchpoint was read with' });

/** The editable fields of a touchpoint. The slug is fixed, because events refer to it. */
export const TouchpointContent = ClosedObject({
  name: TouchpointName,
  context: TouchpointContext,
  /** Null: every lane. */
  lane: SomeLane,
  active: Type.Boolean(),
  delivery: Responsibility,
  /** Unless an appointment is the deadline. */
  minutes_to_record: MinutesToRecord,
  page_title: OneLine,
  script: Lines,
  /** Null: recipients who prefer Spanish get a page in Spanish with a script in English. */
  script_es: SpanishLines,
  /** Null: the page's own title in Spanish. */
  page_title_es: SpanishLine,
  action_label: ActionLabel,
  /** Null: pages in Spanish show the other label. */
  action_label_es: ActionLabel,
  action_url: ActionUrl,
  /** False hides the button and keeps its label and URL. */
  shows_action: Type.Boolean(),
  /** Null: the default text. */
  text_message: TextMessage,
  /** Null: the default text in Spanish. */
  text_message_es: TextMessage,
  /** Whether members who have not recorded yet are reminded. */
  reminds: Type.Boolean(),
  /** Whether the first text invites the recipient to save the number. */
  invites_to_save: Type.Boolean(),
} satisfies Record<(typeof TOUCHPOINT_FIELDS)[number], TSchema>);

export type TouchpointContent = Readonly<Static<typeof TouchpointContent>>;
export type TouchpointField = keyof TouchpointContent;

/** Counting stops at a limit; with `more`, there are at least `count`. */
export interface PartialCount {
  readonly count: number;
  readonly more: boolean;
}

/** Null: changed by the operator's command. */
export type TouchpointAuthor = { readonly id: string; readonly name: string } | null;

export interface TouchpointSummary
  extends Pick<TouchpointContent, 'name' | 'context' | 'lane' | 'active' | 'delivery'> {
  readonly slug: string;
  /** The script's length, rendered for sample people, at the default pace. */
  readonly words: number;
  readonly seconds: number;
  /** The recorder stops before the script is read, in any language. */
  readonly is_cut_off: boolean;
  readonly open_intros: PartialCount;
  /** Accepted, but not processed yet. */
  readonly waiting_events: PartialCount;
}

export interface TouchpointList {
  /** In the organization's order. */
  readonly touchpoints: TouchpointSummary[];
  /** The lanes of this organization. */
  readonly lanes: readonly Lane[];
}

export interface TouchpointDetail extends TouchpointContent {
  readonly id: string;
  readonly slug: string;
  /** Grows with each change. A save names the version that was edited. */
  readonly version: number;
  readonly created_at: string;
  readonly last_change: { readonly at: string; readonly by: TouchpointAuthor } | null;
  readonly open_intros: PartialCount;
  readonly waiting_events: PartialCount;
  /** The industry's default content. Null for touchpoints that the team created. */
  readonly original: Omit<TouchpointContent, 'active'> | null;
  readonly lanes: readonly Lane[];
  /** The variables of a template, with a description. */
  readonly variables: readonly { readonly path: string; readonly says: string }[];
  /** Sent when the touchpoint has no text message of its own in the language. */
  readonly default_text: string;
  readonly default_text_es: string;
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
  /** The slug of the original touchpoint. */
  readonly copy_of: string | null;
}

export interface TouchpointProblem {
  readonly field: 'page_title' | 'script' | 'text_message';
  readonly line: number | null;
  readonly message: string;
}

export interface TouchpointRendering {
  /** `typical`: sample people with every field. `minimal`: only required fields. `real`: the people of an intro. */
  readonly people: 'typical' | 'minimal' | 'real';
  readonly recipient: string;
  readonly member: string;
  /** Null while the template has a problem. */
  readonly page_title: string | null;
  /** The recipient page, for a frame. It works for a few minutes. Null while its title has a problem. */
  readonly page_path: string | null;
  readonly script: string | null;
  readonly words: number;
  readonly seconds: number;
  /** With a link of real length. */
  readonly text: { readonly body: string } | null;
}

export interface TouchpointPreview {
  /** Prevent the draft from being saved. */
  readonly problems: TouchpointProblem[];
  /** The draft can be saved, but fails for some people. */
  readonly warnings: TouchpointProblem[];
  readonly renderings: TouchpointRendering[];
  /** Longer scripts are saved with a hint: few people watch a longer video. */
  readonly max_words: number;
  /** Null: no price is set, or the organization has its own account with the carrier. */
  readonly segment_price: SegmentPrice | null;
}

export interface TouchpointFitResult {
  readonly id: string;
  readonly name: string;
  readonly words_per_minute: number;
  /** False: the member uses the default pace. */
  readonly is_own_pace: boolean;
  readonly words: number;
  readonly seconds: number;
}

/** Members who would exceed the limit, checked with the organization's longest names. */
export interface TouchpointFit {
  /** When the recorder's ring is full. */
  readonly limit_seconds: number;
  /** When the recorder ends a take. */
  readonly end_seconds: number;
  readonly max_words: number;
  readonly default_words_per_minute: number;
  readonly longest_recipient: string;
  readonly longest_member: string | null;
  /** With the longest names, at the default pace. */
  readonly words: number;
  readonly seconds: number;
  readonly active_members: number;
  /** Number of members checked, slowest first. Lower than `active_members` in a very large team. */
  readonly checked: number;
  readonly over: TouchpointFitResult[];
  /** Set when the script cannot be rendered. Then no member was checked. */
  readonly problem: TouchpointProblem | null;
}

/** One version of a touchpoint's script, with the results of its intros. */
export interface ScriptVersion extends IntroStatistics {
  /** Counts the versions of the script, from 1. */
  readonly number: number;
  /** Null: when the touchpoint was created. */
  readonly from: string | null;
  /** Null: the current version. */
  readonly until: string | null;
  readonly script: string;
  /** The script before. Null for the first version. */
  readonly previous: string | null;
  /** Null for the first version, and for a change with an operator command. */
  readonly by: TouchpointAuthor;
  /** Tapped something on the page. */
  readonly clicked: number;
  readonly replied: number;
  readonly median_ms: number | null;
}

export interface ScriptResults {
  /** Newest first. */
  readonly versions: ScriptVersion[];
  /** Whether there are older versions. */
  readonly has_more: boolean;
  /** Counts intros requested since then. */
  readonly since: string;
}

export const TOUCHPOINTS_OPERATIONS = define({
  readTouchpoints: { route: 'GET /touchpoints', role: 'manager', success: response<TouchpointList>() },
  createTouchpoint: {
    route: 'POST /touchpoints',
    role: 'manager',
    isKeyed: true,
    body: json({
      name: TouchpointName,
      slug: Type.Optional(Slug),
      context: TouchpointContext,
      lane: SomeLane,
    }),
    success: response<TouchpointDetail>(),
  },
  readTouchpoint: { route: 'GET /touchpoints/{slug}', role: 'manager', success: response<TouchpointDetail>() },
  /** Saves the given fields; the others stay unchanged. Without a version, whatever someone else has changed since. */
  changeTouchpoint: {
    route: 'POST /touchpoints/{slug}',
    role: 'manager',
    body: json({ version: Type.Optional(Version), ...Type.Partial(TouchpointContent).properties }),
    success: response<TouchpointDetail>(),
  },
  copyTouchpoint: {
    route: 'POST /touchpoints/{slug}/copy',
    role: 'manager',
    isKeyed: true,
    body: json({ name: TouchpointName, slug: Type.Optional(Slug) }),
    success: response<TouchpointDetail>(),
  },
  resetTouchpoint: {
    route: 'POST /touchpoints/{slug}/reset',
    role: 'manager',
    body: json({ version: Version }),
    success: response<TouchpointDetail>(),
  },
  readTouchpointHistory: {
    route: 'GET /touchpoints/{slug}/history',
    role: 'manager',
    query: ClosedObject({ before: Type.Optional(Type.String({ maxLength: 64 })) }),
    success: response<{ changes: TouchpointChange[]; has_more: boolean }>(),
  },
  readScriptResults: { route: 'GET /touchpoints/{slug}/results', role: 'manager', success: response<ScriptResults>() },
  /** Reverts one change by adding a new one. */
  undoTouchpointChange: {
    route: 'POST /touchpoints/{slug}/undo',
    role: 'manager',
    body: json({ change: Type.String({ maxLength: 64 }), version: Version }),
    success: response<TouchpointDetail>(),
  },
  /** Moves one touchpoint, so that concurrent moves of different touchpoints both apply. */
  moveTouchpoint: {
    route: 'POST /touchpoint-order',
    role: 'manager',
    body: json({ slug: Slug, before: Nullable(Slug, 'Null moves it to the end.') }),
    success: response<{ slugs: string[] }>(),
  },
  previewTouchpoint: {
    route: 'POST /touchpoint-preview',
    role: 'manager',
    body: json({
      /** Null: the page's own title. */
      page_title: SpanishLine,
      script: Lines,
      text_message: TextMessage,
      invites_to_save: Type.Optional(Type.Boolean()),
      /** The label of the page's button. Null or left out: it has none. */
      action_label: Type.Optional(SpanishLine),
      language: Type.Optional(Language),
      /** Left out: the same. */
      script_language: Type.Optional(Language),
    }),
    success: response<TouchpointPreview>(),
  },
  checkScriptLength: {
    route: 'POST /touchpoint-fit',
    role: 'manager',
    body: json({ script: Lines, language: Type.Optional(Language) }),
    success: response<TouchpointFit>(),
  },
});
