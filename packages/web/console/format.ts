import { isolated } from '@foreword/contract/plain';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '@foreword/contract/plain/times';
import { dayNumber } from '../kit/how-soon.ts';

/** Formats numbers, times, and phone numbers. The only place that knows the language of the UI. */
const LOCALE = 'en-US';

const SECOND_MS = 1_000;
const WEEK_DAYS = 7;
const MONTH_DAYS = 30.44;
const YEAR_DAYS = 365.25;

const WHOLE = new Intl.NumberFormat(LOCALE);
const PERCENT = new Intl.NumberFormat(LOCALE, { style: 'percent', maximumFractionDigits: 0 });
const RELATIVE = new Intl.RelativeTimeFormat(LOCALE, { numeric: 'auto' });
const PLURAL = new Intl.PluralRules(LOCALE);
const LIST = new Intl.ListFormat(LOCALE, { type: 'conjunction' });

/** 12345 → "12,345" */
export const formatNumber = (value: number): string => WHOLE.format(value);
/** 0.42 → "42%" */
export const formatShare = (share: number): string => PERCENT.format(share);
/** A price as carriers state it, with fractions of a cent: 0.0083 → "$0.0083" */
export const formatMoney = (amount: number, currency: string): string =>
  new Intl.NumberFormat(LOCALE, { style: 'currency', currency, maximumFractionDigits: 4 }).format(amount);
/** "1 member", "12 members" */
export const formatCount = (amount: number, one: string, many = `${one}s`): string =>
  `${WHOLE.format(amount)} ${PLURAL.select(amount) === 'one' ? one : many}`;
export const capitalize = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

/** ["a", "b", "c"] → "a, b, and c" */
export const formatList = (words: readonly string[]): string => LIST.format(words);

const STYLES = {
  date: { year: 'numeric', month: 'short', day: 'numeric' },
  day: { weekday: 'long', year: 'numeric', month: 'short', day: 'numeric' },
  time: { hour: 'numeric', minute: '2-digit' },
  timeZone: { hour: 'numeric', minute: '2-digit', timeZoneName: 'short' },
  /** "Tue, Mar 3, 2:30 PM CST", with the year if it is not the current one. */
  dateTime: {
    ...{ weekday: 'short', month: 'short', day: 'numeric' },
    ...{ hour: 'numeric', minute: '2-digit', timeZoneName: 'short' },
  },
  full: { dateStyle: 'full', timeStyle: 'long' },
  appointment: {
    ...{ weekday: 'long', year: 'numeric', month: 'long', day: 'numeric' },
    ...{ hour: 'numeric', minute: '2-digit', timeZoneName: 'short' },
  },
} as const satisfies Record<string, Intl.DateTimeFormatOptions>;

export type TimeStyle = keyof typeof STYLES;

const formatters = new Map<string, Intl.DateTimeFormat>();

function formatterOf(style: TimeStyle, timeZone: string, needsYear: boolean): Intl.DateTimeFormat {
  const key = `${style} ${timeZone} ${needsYear}`;
  const year = needsYear ? ({ year: 'numeric' } as const) : {};
  const formatter = formatters.get(key) ?? new Intl.DateTimeFormat(LOCALE, { ...STYLES[style], ...year, timeZone });
  formatters.set(key, formatter);
  return formatter;
}

const yearOf = (ms: number, zone: string): string =>
  new Intl.DateTimeFormat(LOCALE, { year: 'numeric', timeZone: zone }).format(ms);

/** Formats an ISO time in this zone, such as the organization's. Never in the browser's, which may be another one. */
export function formatTime(at: string, style: TimeStyle, zone: string): string {
  const ms = Date.parse(at);
  const needsYear = style === 'dateTime' && yearOf(ms, zone) !== yearOf(nowMs(), zone);
  return formatterOf(style, zone, needsYear).format(ms);
}

/** "5 minutes ago", "in 2 days"; "now" within a minute. Days are those of the zone: 30 hours later may not be tomorrow. */
export function formatRelative(at: string, nowMs: number, zone: string): string {
  const ahead = Date.parse(at) - nowMs;
  const away = Math.abs(ahead);
  if (away < MINUTE_MS) return RELATIVE.format(0, 'second');
  if (away < HOUR_MS) return RELATIVE.format(Math.round(ahead / MINUTE_MS), 'minute');
  if (away < DAY_MS) return RELATIVE.format(Math.round(ahead / HOUR_MS), 'hour');
  const days = dayNumber(Date.parse(at), zone) - dayNumber(nowMs, zone);
  if (Math.abs(days) < 2 * WEEK_DAYS) return RELATIVE.format(days, 'day');
  if (Math.abs(days) < 2 * MONTH_DAYS) return RELATIVE.format(Math.round(days / WEEK_DAYS), 'week');
  if (Math.abs(days) < YEAR_DAYS) return RELATIVE.format(Math.round(days / MONTH_DAYS), 'month');
  return RELATIVE.format(Math.round(days / YEAR_DAYS), 'year');
}

/** A duration in its two largest units: "2 h 5 min", "40 s", "340 ms". */
export function formatDuration(ms: number): string {
  if (ms < SECOND_MS) return `${Math.round(ms)} ms`;
  if (ms < MINUTE_MS) return `${Math.round(ms / SECOND_MS)} s`;
  const minutes = Math.round(ms / MINUTE_MS);
  const [days, hours, rest] = [Math.floor(minutes / 1440), Math.floor(minutes / 60) % 24, minutes % 60];
  const parts = [
    [days, 'd'],
    [hours, 'h'],
    [rest, 'min'],
  ] as const;
  const first = parts.findIndex(([amount]) => amount > 0);
  return parts
    .slice(first, first + 2)
    .filter(([amount]) => amount > 0)
    .map(([amount, unit]) => `${amount} ${unit}`)
    .join(' ');
}

/** Minutes since midnight as a time of day: 480 → "8:00 AM". */
export const formatTimeOfDay = (minutes: number): string =>
  formatTime(new Date((minutes * MINUTE_MS) % DAY_MS).toISOString(), 'time', 'UTC');

/** "+14155550123" → "(415) 555-0123"; other countries are unchanged. */
export function formatPhone(phone: string): string {
  const [, area, office, line] = /^\+1(\d{3})(\d{3})(\d{4})$/.exec(phone) ?? [];
  return area === undefined ? phone : `(${area}) ${office}-${line}`;
}

/** Parses a typed phone number to E.164; ten digits are a US number. Returns other text unchanged. */
export function readPhone(text: string): string {
  const digits = text.replace(/[\s().\-–/]/g, '');
  if (/^\d{10}$/.test(digits)) return `+1${digits}`;
  if (/^1\d{10}$/.test(digits)) return `+${digits}`;
  if (/^\+[1-9]\d{7,14}$/.test(digits)) return digits;
  return text.trim();
}

export const formatName = ({ first_name, last_name }: { first_name: string; last_name: string | null }): string =>
  isolated(last_name === null ? first_name : `${first_name} ${last_name}`);

/** The wall clock in milliseconds. For display only: the clock of a user's device can be wrong. */
export const nowMs = (): number => performance.timeOrigin + performance.now();

/** UTC is missing from the list of some browsers, though all support it. */
export const zonesWith = (current: string): readonly string[] =>
  [...new Set([...Intl.supportedValuesOf('timeZone'), 'UTC', current])].sort();

/** "America/New_York" → "New York, America" */
export function zoneLabel(zone: string): string {
  const [place = zone, ...areas] = zone.replaceAll('_', ' ').split('/').reverse();
  return areas.length === 0 ? place : `${place}, ${areas.reverse().join(', ')}`;
}

/** Indents JSON. Returns other or truncated text unchanged. */
export function formatJson(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}

/** "CST": the short name of the zone at this time, or its offset: "GMT-5". */
export function zoneName(zone: string, atMs: number, timeZoneName: 'short' | 'shortOffset' = 'short'): string {
  const parts = new Intl.DateTimeFormat(LOCALE, { timeZone: zone, timeZoneName }).formatToParts(atMs);
  return parts.find(({ type }) => type === 'timeZoneName')?.value ?? zone;
}

/** The wall clock of the zone at this time, as if it were UTC. */
function wallClockMs(ms: number, zone: string): number {
  // Swedish dates are ISO 8601: "2026-03-03 14:30:00".
  const wall = new Date(ms).toLocaleString('sv-SE', { timeZone: zone });
  return Date.parse(`${wall.replace(' ', 'T')}Z`);
}

/** The value of a `datetime-local` input as an ISO time, read in this zone. Undefined if it is empty or invalid. */
export function readZonedTime(text: string | undefined, zone: string): string | undefined {
  const wallMs = Date.parse(`${text ?? ''}Z`);
  if (Number.isNaN(wallMs)) return;
  const guess = wallMs - (wallClockMs(wallMs, zone) - wallMs);
  // The offset at the guess differs from the first one next to a clock change.
  return new Date(guess - (wallClockMs(guess, zone) - wallMs)).toISOString();
}

/** The reverse of `readZonedTime`. */
export const toZonedTime = (at: string, zone: string): string =>
  new Date(wallClockMs(Date.parse(at), zone)).toISOString().slice(0, 16);
