import { countryOfPhone, countryOfTimezone } from '../../platform/countries.ts';
import { localDate, parseZonedTime } from '../../platform/instants.ts';

const DAY_MS = 86_400_000;
/** Texts of an organization per day: about 400 intros with a text to the member, a reminder and one to the recipient. */
const ORGANIZATION_DAILY_TEXTS = 1_000;
/** A growing organization is not stopped: this many times its busiest day is always allowed. */
const DAILY_GROWTH = 4;
/** Texts about the intros of one member per day: no one records more than a hundred videos a day. */
const MEMBER_DAILY_TEXTS = 200;
/** Texts to one recipient per day. Each touchpoint sends at most one in 24 hours. */
const RECIPIENT_DAILY_TEXTS = 5;
/** The days whose busiest one is compared with today. */
export const HISTORY_DAYS = 28;
/** A day with this many times the texts of the busiest day pauses texts… */
const BURST_GROWTH = 3;
/** …but not below this number: the first real day of a new organization has no history. */
const BURST_TEXTS = 300;
/** Texts pause when most of at least this many texts of a day fail: the numbers are not those of customers. */
const FAILURES = 30;
const FAILURE_SHARE = 0.5;
/** The country of an organization in a time zone without a country, such as UTC. */
const FALLBACK_COUNTRY = 'US';

export interface CountrySettings {
  readonly timezone: string;
  /** The owner's choice; null: the default. */
  readonly countries: readonly string[] | null;
}

export const defaultCountries = ({ timezone }: CountrySettings): readonly string[] => [
  countryOfTimezone(timezone) ?? FALLBACK_COUNTRY,
];

export const allowedCountries = (settings: CountrySettings): readonly string[] =>
  settings.countries ?? defaultCountries(settings);

export function isCountryAllowed(phone: string, settings: CountrySettings): boolean {
  const country = countryOfPhone(phone);
  return country !== null && allowedCountries(settings).includes(country);
}

/** Set by the operator; null: the default. */
export interface LimitSettings {
  readonly daily_texts: number | null;
  readonly daily_texts_per_member: number | null;
  readonly daily_texts_per_recipient: number | null;
}

/** Texts per day. */
export interface DailyLimits {
  readonly organization: number;
  readonly member: number;
  readonly recipient: number;
}

export const dailyLimits = (settings: LimitSettings, busiestDay: number): DailyLimits => ({
  organization: settings.daily_texts ?? Math.max(ORGANIZATION_DAILY_TEXTS, DAILY_GROWTH * busiestDay),
  member: settings.daily_texts_per_member ?? MEMBER_DAILY_TEXTS,
  recipient: settings.daily_texts_per_recipient ?? RECIPIENT_DAILY_TEXTS,
});

/** For a day after an owner resumed the texts, more of the same is what they expect. */
export const isResumed = (resumedAt: Date | null, now: Date): boolean =>
  resumedAt !== null && now.getTime() - resumedAt.getTime() < DAY_MS;

export type PauseReason = 'burst' | 'failures';

/** More texts than this in one day pause the organization's texts. */
const burstThreshold = (busiestDay: number): number => Math.max(BURST_TEXTS, BURST_GROWTH * busiestDay);

/** Why the texts of the day are unusual; null if they are not. */
export function findAnomaly(day: {
  readonly sent: number;
  readonly failed: number;
  readonly busiestDay: number;
  /** The operator set the limit of the organization, and so knows how many texts to expect. */
  readonly isLimitChosen: boolean;
}): PauseReason | null {
  if (!day.isLimitChosen && day.sent > burstThreshold(day.busiestDay)) return 'burst';
  return day.failed >= FAILURES && day.failed > day.sent * FAILURE_SHARE ? 'failures' : null;
}

/** A pause has no end that is known, so its texts are checked again after this time. */
export const PAUSE_CHECK_MS = 3_600_000;

/** When the counts of the next day begin. */
export function startOfNextDay(now: Date, timezone: string): Date {
  const noonMs = Date.parse(`${localDate(now, timezone)}T12:00:00Z`);
  const next = new Date(noonMs + DAY_MS).toISOString().slice(0, 10);
  return parseZonedTime(`${next}T00:00:00`, timezone) ?? new Date(now.getTime() + DAY_MS);
}
