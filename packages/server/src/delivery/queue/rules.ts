import { DAY_MS, type DeliveryFailureCode, HOUR_MS, MINUTE_MS } from '@foreword/contract';
import { countryOfPhone, countryOfTimezone } from '../../platform/countries.ts';
import { type Hours, localDate, nextDailyTime } from '../../platform/instants.ts';

/** How long texts to a number wait after it was asked whether to stop them, unless the person answers before. */
export const QUESTION_MS = DAY_MS;

/** How long the page offers to undo an opt-out, and waiting texts wait for it. */
export const UNDO_MS = 10 * MINUTE_MS;

/** 8:00 to 21:00: the hours in which US law (TCPA) allows such texts. */
export const DEFAULT_HOURS: Hours = { from: 8 * 60, until: 21 * 60 };

/** Minimum time between two texts of the same touchpoint to a number. */
export const TEXT_GAP_MS = DAY_MS;
/** How long before an appointment the last reminder is sent to a member who has not recorded yet. */
const LAST_REMINDER_MS = HOUR_MS;
/** Minimum time between two reminders, and between the request and a reminder. */
const REMINDER_GAP_MS = 30 * MINUTE_MS;
/** Minimum time between any message to a member and a manual reminder. */
export const MANUAL_REMINDER_GAP_MS = HOUR_MS;
/** Minimum time a text waits for the outcome of another one to its number. */
export const PENDING_TEXT_WAIT_MS = 5_000;
/** As long as an intro that is not sent at all stays ready. */
export const RESEND_LIFE_MS = 30 * DAY_MS;
/** Carriers err, and landlines are moved to mobile networks. */
export const FLAG_LIFE_MS = 90 * DAY_MS;
/** How long a message waits while a take is being processed. */
export const TAKE_WAIT_MS = 2 * MINUTE_MS;

/** Seconds to wait after each failed attempt. After the last retry, the message fails. */
const RETRY_DELAYS_S = [5, 30, 120, 600, 1_800, 3_600, 7_200, 14_400] as const;

/** Limit for one request to a carrier. A message that is claimed four times as long has lost its worker. */
export const CARRIER_LIMIT_MS = 15_000;
export const ABANDONED_AFTER_MS = 4 * CARRIER_LIMIT_MS;

export interface Reminder {
  readonly purpose: 'remind' | 'remind_last';
  readonly at: Date;
}

interface RecordingTime {
  readonly createdAt: Date;
  readonly deadline: Date;
  /** Whether the deadline is the appointment. */
  readonly isAppointment: boolean;
  /** The member's. */
  readonly timezone: string;
  readonly hours: Hours;
}

/** Halfway to the deadline and an hour before an appointment, within the allowed hours and with time left to record. */
export function remindersFor({ createdAt, deadline, isAppointment, timezone, hours }: RecordingTime): Reminder[] {
  const [createdMs, deadlineMs] = [createdAt.getTime(), deadline.getTime()];
  const earliestMs = createdMs + REMINDER_GAP_MS;
  const allowed = (ms: number) => nextDailyTime(new Date(ms), timezone, hours);
  const halfway = allowed((createdMs + deadlineMs) / 2);
  const last = allowed(deadlineMs - LAST_REMINDER_MS);
  const hasLast = isAppointment && last.getTime() >= earliestMs && last < deadline;
  const halfwayEndMs = (hasLast ? last.getTime() : deadlineMs) - REMINDER_GAP_MS;
  const hasHalfway = halfway.getTime() >= earliestMs && halfway.getTime() <= halfwayEndMs;
  return [
    ...(hasHalfway ? [{ purpose: 'remind', at: halfway } as const] : []),
    ...(hasLast ? [{ purpose: 'remind_last', at: last } as const] : []),
  ];
}

type HeldFor = 'quiet_hours' | 'recent_text' | 'recording' | 'opt_out_question';
/** Why the limits of an organization, or the account with its carrier, hold a text. */
type LimitHold = 'daily_limit' | 'texts_paused' | 'carrier_account';

export type Decision =
  | { readonly kind: 'send' }
  | { readonly kind: 'wait'; readonly until: Date; readonly heldFor: HeldFor | null }
  /** The message is no longer needed. */
  | { readonly kind: 'drop'; readonly code: string; readonly message: string }
  /** The message is needed but cannot be sent: the intro reports this as its delivery error. */
  | { readonly kind: 'fail'; readonly code: DeliveryFailureCode; readonly message: string };

/** CRMs report late, often at the end of the day. Members are not asked to record for appointments that began longer before the request. */
export const LATE_EVENT_MS = DAY_MS;

/** Why messages about an intro are not sent once its member has withdrawn consent. */
export const LIKENESS_WITHDRAWN = {
  code: 'likeness_withdrawn',
  message: 'The member withdrew the consent to the use of their likeness.',
} as const;

const TEXT_LIMITS = [
  'daily_limit',
  'texts_paused',
  'carrier_account',
  'country_not_allowed',
  'test_recording',
] as const;
export type TextLimit = (typeof TEXT_LIMITS)[number];
export const asTextLimit = (code: string | null | undefined): TextLimit | undefined =>
  TEXT_LIMITS.find((limit) => limit === code);

export interface LimitedText {
  readonly kind: 'wait';
  readonly until: Date;
  readonly heldFor: LimitHold;
  readonly account?: string;
}

/** When to retry a message after this many attempts; null after the last retry. */
export function retryAt(attempts: number, now: Date, retryAfterS: number | undefined): Date | null {
  const delayS = RETRY_DELAYS_S[attempts - 1];
  if (delayS === undefined) return null;
  return new Date(now.getTime() + Math.max(delayS, Math.min(retryAfterS ?? 0, 3_600)) * 1000);
}

/** Falls back to email if the member has no number or opted out, and to a text if emails to the member bounce. */
export function channelsFor(
  notifyBy: 'text' | 'email' | 'both',
  { canText, canEmail }: { readonly canText: boolean; readonly canEmail: boolean },
): readonly ['text' | 'email', ...('text' | 'email')[]] {
  if (!canText) return ['email'];
  if (!canEmail) return ['text'];
  return notifyBy === 'both' ? ['text', 'email'] : [notifyBy];
}

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

interface CountrySettings {
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
interface LimitSettings {
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

export type PauseReason = 'burst' | 'failures';

interface ActivityLimits extends Pick<LimitSettings, 'daily_texts'> {
  readonly busiest_day: number;
  readonly texts_resumed_at: Date | null;
}

/** Why the texts of the day are unusual; null if they are not. */
export function findAnomaly(
  { busiest_day: busiestDay, daily_texts: chosenLimit, texts_resumed_at: resumedAt }: ActivityLimits,
  { sent, failed }: { readonly sent: number; readonly failed: number },
  now: Date,
): PauseReason | null {
  // For a day after an owner resumed the texts, more of the same is what they expect.
  if (resumedAt !== null && now.getTime() - resumedAt.getTime() < DAY_MS) return null;
  // An operator who set the limit knows how many texts to expect.
  if (chosenLimit === null && sent > Math.max(BURST_TEXTS, BURST_GROWTH * busiestDay)) return 'burst';
  return failed >= FAILURES && failed > sent * FAILURE_SHARE ? 'failures' : null;
}

/** A pause has no end that is known, so its texts are checked again after this time. */
export const PAUSE_CHECK_MS = HOUR_MS;

/** When the counts of the next day begin. */
export function startOfNextDay(now: Date, timezone: string): Date {
  const next = Temporal.PlainDate.from(localDate(now, timezone)).add({ days: 1 });
  return new Date(next.toZonedDateTime(timezone).epochMilliseconds);
}
