/** The values of each closed set, in the order in which lists and messages show them. */
export const INTRO_STATUSES = ['requested', 'ready', 'sent', 'cancelled', 'expired'] as const;
export const EVENT_STATUSES = ['accepted', 'duplicate', 'processed', 'failed'] as const;
export const TOUCHPOINT_CONTEXTS = ['appointment', 'status', 'milestone', 'none'] as const;
export const RESPONSIBILITIES = ['integration', 'service'] as const;
export const TRADES = ['roofing', 'siding', 'windows', 'doors', 'gutters'] as const;
export const LANES = ['retail', 'insurance'] as const;
export const INDUSTRIES = ['exterior_remodeling', 'real_estate'] as const;
/** From the least to the most permissions. */
export const ROLES = ['member', 'manager', 'owner'] as const;
export const NOTIFY_BY = ['text', 'email', 'both'] as const;

export type IntroStatus = (typeof INTRO_STATUSES)[number];
export type EventStatus = (typeof EVENT_STATUSES)[number];
export type TouchpointContext = (typeof TOUCHPOINT_CONTEXTS)[number];
export type Responsibility = (typeof RESPONSIBILITIES)[number];
export type Trade = (typeof TRADES)[number];
export type Lane = (typeof LANES)[number];
export type Industry = (typeof INDUSTRIES)[number];
export type Role = (typeof ROLES)[number];
export type NotifyBy = (typeof NOTIFY_BY)[number];

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
