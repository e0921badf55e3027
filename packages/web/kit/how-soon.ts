/** Folder: colors, type, spacing and shared rules of all pages. */

import { DAY_MS, HOUR_MS, MINUTE_MS } from '@foreword/contract/plain/times';

/** Beyond this, months are easier to read than days. */
const MANY_DAYS = 45;
const DAYS_OF_MONTH = 30.44;

/** A long list formats hundreds of times, and creating a format takes longer than that. */
const formats = new Map<string, Intl.DateTimeFormat>();

/**
 * The calendar day in the given zone, so that "tomorrow" means tomorrow at the appointment. Built from parts, because the
 * order of a formatted date depends on the browser's version, even for locales known for ISO dates.
 */
export function dayNumber(atMs: number, timezone: string): number {
  const day = { year: 'numeric', month: 'numeric', day: 'numeric', calendar: 'gregory' } as const;
  const format = formats.get(timezone) ?? new Intl.DateTimeFormat('en', { timeZone: timezone, ...day });
  formats.set(timezone, format);
  const parts = format.formatToParts(atMs);
  const numberOf = (name: keyof typeof day) => Number(parts.find(({ type }) => type === name)?.value);
  return Date.UTC(numberOf('year'), numberOf('month') - 1, numberOf('day')) / DAY_MS;
}

/** "in 40 minutes", "tomorrow", "in 3 days", "2 days ago". */
export function sayHowSoon(startsAt: string, timezone: string, nowMs: number, locale = 'en'): string {
  const at = Date.parse(startsAt);
  const ahead = at - nowMs;
  const words = new Intl.RelativeTimeFormat(locale, { numeric: 'auto' });
  if (Math.abs(ahead) < HOUR_MS) return words.format(Math.round(ahead / MINUTE_MS), 'minute');
  const days = dayNumber(at, timezone) - dayNumber(nowMs, timezone);
  if (Math.abs(days) >= MANY_DAYS) return words.format(Math.round(days / DAYS_OF_MONTH), 'month');
  return days === 0 ? words.format(Math.round(ahead / HOUR_MS), 'hour') : words.format(days, 'day');
}
