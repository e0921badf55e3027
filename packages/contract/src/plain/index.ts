// Constants and pure functions for servers and browsers alike. Nothing here imports TypeBox, to keep browser bundles small.
// Modules that only a few pages of the console need (audit, retention, text-segments) are imported from their own files, so that
// other pages do not load them.

import type { Language } from './languages.ts';

export * from './captions.ts';
export * from './consent.ts';
export * from './delivery-status.ts';
export * from './direction.ts';
export * from './erasure.ts';
export * from './languages.ts';
export * from './link-domains.ts';
export * from './names.ts';
export * from './recording-time.ts';
export * from './script-length.ts';
export * from './test-numbers.ts';
export * from './times.ts';

/** The values of each closed set, in the order in which lists and messages show them. */
export const INTRO_STATUSES = ['requested', 'ready', 'sent', 'cancelled', 'expired'] as const;
/** The orders of the console's list of intros. */
export const INTRO_SORTS = ['created', 'due', 'status'] as const;
export type IntroSort = (typeof INTRO_SORTS)[number];
export const EVENT_STATUSES = ['accepted', 'duplicate', 'processed', 'failed'] as const;
/** `duplicate` is only the response to a repeated request. */
export const STORED_EVENT_STATUSES = ['accepted', 'processed', 'failed'] as const;
export const TOUCHPOINT_CONTEXTS = ['appointment', 'status', 'milestone', 'none'] as const;
export const RESPONSIBILITIES = ['integration', 'service'] as const;
export const TRADES = ['roofing', 'siding', 'windows', 'doors', 'gutters'] as const;
export const LANES = ['retail', 'insurance'] as const;
export const INDUSTRIES = ['exterior_remodeling', 'real_estate'] as const;
/** From the least to the most permissions. */
export const ROLES = ['member', 'manager', 'owner'] as const;
export const NOTIFY_BY = ['text', 'email', 'both'] as const;
export const WEBHOOK_MESSAGE_STATUSES = ['pending', 'delivered', 'failed'] as const;
/** The operations that an API key may use: see `scopesOf`. */
export const KEY_SCOPES = ['full', 'events', 'read'] as const;

export type IntroStatus = (typeof INTRO_STATUSES)[number];
export type EventStatus = (typeof EVENT_STATUSES)[number];
export type TouchpointContext = (typeof TOUCHPOINT_CONTEXTS)[number];
export type Responsibility = (typeof RESPONSIBILITIES)[number];
export type Trade = (typeof TRADES)[number];
export type Lane = (typeof LANES)[number];
export type Industry = (typeof INDUSTRIES)[number];
export type Role = (typeof ROLES)[number];
export type WebhookMessageStatus = (typeof WEBHOOK_MESSAGE_STATUSES)[number];
export type KeyScope = (typeof KEY_SCOPES)[number];

/** As a touchpoint filter: intros without a touchpoint. */
export const WITHOUT_TOUCHPOINT = '-';

/** Settings that every touchpoint has at first, whether it starts from an original or is created by the team. */
export const TOUCHPOINT_DEFAULTS = {
  text_message: null,
  text_message_es: null,
  action_label: null,
  action_label_es: null,
  action_url: null,
  shows_action: true,
  reminds: true,
  invites_to_save: false,
} as const;

/** Fields of a touchpoint that the team can edit, in the order in which changes are listed. */
export const TOUCHPOINT_FIELDS = [
  ...(['name', 'active', 'context', 'lane', 'delivery', 'minutes_to_record'] as const),
  ...(['script', 'script_es', 'page_title', 'page_title_es'] as const),
  ...(Object.keys(TOUCHPOINT_DEFAULTS) as (keyof typeof TOUCHPOINT_DEFAULTS)[]),
];

/** Fields of the brand that are columns of the organization. */
export const ORGANIZATION_BRAND_FIELDS = [
  'name',
  'accent',
  'office_phone',
  'license',
  'website',
  'timezone',
  'language',
  'reply_confirm',
  'reply_reschedule',
  'reply_thanks',
  'reply_question',
] as const;
export const BRAND_FIELDS = [...ORGANIZATION_BRAND_FIELDS, 'texts_from', 'texts_until'] as const;

/** The labels of the reply buttons on the page, unless the organization has its own. */
export const DEFAULT_REPLY_LABELS = {
  en: {
    confirm: 'See you then',
    reschedule: 'I need another time',
    thanks: 'Thank you',
    question: 'I have a question',
  },
  es: {
    confirm: 'Nos vemos entonces',
    reschedule: 'Necesito otro horario',
    thanks: 'Muchas gracias',
    question: 'Tengo una pregunta',
  },
} as const satisfies Record<Language, object>;
export type ReplyType = keyof (typeof DEFAULT_REPLY_LABELS)['en'];
export const REPLY_TYPES = Object.keys(DEFAULT_REPLY_LABELS.en) as ReplyType[];
/** The label of a reply to the text, which has no button. */
export const TEXT_REPLY_LABELS = { en: 'Text message', es: 'Mensaje de texto' } as const satisfies Record<
  Language,
  string
>;
/** Fits a button on a small phone in two lines. */
export const REPLY_LABEL_MAX_LENGTH = 40;
/** The text of a question. */
export const REPLY_MESSAGE_MAX_LENGTH = 500;
/** When another time would suit. */
export const REPLY_NOTE_MAX_LENGTH = 200;
/** The longest text that carriers deliver. Longer ones are cut off. */
export const TEXT_REPLY_MAX_LENGTH = 1_600;

/** The links and buttons of the page that count as taps: the touchpoint's button, and ways to reach and save the member. */
export const CLICK_TYPES = ['action', 'call', 'text', 'calendar', 'contact'] as const;
export type ClickType = (typeof CLICK_TYPES)[number];

/** Why a member declines an intro, in the order in which the recorder lists them. */
export const DECLINE_REASONS = ['not_meeting', 'away', 'details_wrong', 'other'] as const;
export type DeclineReason = (typeof DECLINE_REASONS)[number];
/** The member's own words, which `other` requires. */
export const DECLINE_MESSAGE_MAX_LENGTH = 200;

/** Lengths count code points. */
export const NAME_MAX_LENGTH = 100;
export const SLUG_MAX_LENGTH = 64;
/** The rendered line above the video. */
export const TITLE_MAX_LENGTH = 120;
/** The rendered script. */
export const SCRIPT_MAX_LENGTH = 1000;
/** Four GSM-7 segments with the link. Longer texts are not read, and carriers charge for each segment. */
export const TEXT_MAX_LENGTH = 500;
/** A template before rendering. */
export const TEMPLATE_SOURCE_MAX = 4000;
export const ACTION_LABEL_MAX = 60;
/** Neither the API nor the console pages the list of touchpoints. */
export const TOUCHPOINTS_MAX = 200;

/** The least that remains of a trimmed take: less is too short to say anything. */
export const KEPT_MIN_MS = 1_000;

/** Logos and photos. */
export const PICTURE_MAX_BYTES = 10_000_000;
export const IMPORT_MAX_LINES = 10_000;
export const IMPORT_MAX_CHARACTERS = 3_000_000;

/** How long a recording link of the API works, in seconds. Long enough to record a few takes, too short to be passed on. */
export const RECORDING_LINK_LIFE_S = 15 * 60;

/** The console counts intros up to this limit, then shows "1,000+". */
export const COUNT_LIMIT = 1_000;
/** Periods that the overview offers. */
export const OVERVIEW_DAYS = [7, 30, 90] as const;
export const DEFAULT_OVERVIEW_DAYS = 30;

/** "After the storm: a check-up" → "after_the_storm_a_check_up"; empty when the name has no letter from a to z and no digit. */
export function slugFrom(name: string): string {
  const letters = name.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase().replace(/['’]/g, '');
  return letters
    .replace(/[^a-z0-9]+/g, '_')
    .slice(0, SLUG_MAX_LENGTH)
    .replace(/^_+|_+$/g, '');
}

/** The lanes of an organization. Remodelers without a selection have both; real estate has none. */
export function lanesOf(organization: {
  readonly industry: Industry;
  readonly lanes: readonly Lane[];
}): readonly Lane[] {
  if (organization.industry === 'real_estate') return [];
  return organization.lanes.length === 0 ? LANES : organization.lanes;
}

/** An empty list selects every lane, and an object without a lane belongs to all of them. */
export const isInLanes = (lane: Lane | null, lanes: readonly Lane[]): boolean =>
  lane === null || lanes.length === 0 || lanes.includes(lane);
