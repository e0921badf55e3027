// Constants and pure functions for servers and browsers alike. Nothing here imports TypeBox, to keep browser bundles small.

export { isolated, parseShown, sentence, withoutDirection, withoutReordering } from './direction.ts';

/** The values of each closed set, in the order in which lists and messages show them. */
export const INTRO_STATUSES = ['requested', 'ready', 'sent', 'cancelled', 'expired'] as const;
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
export type NotifyBy = (typeof NOTIFY_BY)[number];
export type WebhookMessageStatus = (typeof WEBHOOK_MESSAGE_STATUSES)[number];
export type KeyScope = (typeof KEY_SCOPES)[number];

/** As a touchpoint filter: intros without a touchpoint. */
export const WITHOUT_TOUCHPOINT = '-';

/** Fields of a touchpoint that the team can edit, in the order in which changes are listed. */
export const TOUCHPOINT_FIELDS = [
  'name',
  'active',
  'context',
  'lane',
  'delivery',
  'days_to_record',
  'script',
  'page_title',
  'text_message',
  'action_label',
  'action_url',
  'shows_action',
  'reminds',
] as const;

/** Fields of the brand that are columns of the organization. */
export const ORGANIZATION_BRAND_FIELDS = ['name', 'accent', 'office_phone', 'license', 'website', 'timezone'] as const;
export const BRAND_FIELDS = [...ORGANIZATION_BRAND_FIELDS, 'texts_from', 'texts_until'] as const;

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

/** Logos and photos. */
export const PICTURE_MAX_BYTES = 10_000_000;
export const IMPORT_MAX_LINES = 10_000;
export const IMPORT_MAX_CHARACTERS = 3_000_000;

/** How long a recording link of the API works, in seconds. Long enough to record a few takes, too short to be passed on. */
export const RECORDING_LINK_LIFE_S = 15 * 60;

/** Words per minute: what the teleprompter offers and starts with. */
export const PACE = { slowest: 60, fastest: 220, usual: 150, step: 10 } as const;
/** The console counts intros up to this limit, then shows "1,000+". */
export const COUNT_LIMIT = 1_000;
/** Periods that the overview offers. */
export const OVERVIEW_DAYS = [7, 30, 90] as const;

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

export const countWords = (text: string): number => text.split(/\s+/).filter((word) => word !== '').length;

/** Uses the word count alone, because the pace is an average. */
export const secondsToSay = (words: number, wordsPerMinute: number): number => (words / wordsPerMinute) * 60;
