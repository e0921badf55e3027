import { localDate, parseZonedTime, wallTime } from './instants.ts';

const DAY_MS = 86_400_000;
/** Longer than any pause between two days with hours. */
const MAX_DAYS = 14;

/** Minutes after midnight in local time; `until` is exclusive. */
export interface Hours {
  readonly from: number;
  readonly until: number;
}

/** The hours of a local date, such as `2026-03-12`. Null: none that day. */
export type HoursOn = (date: string) => Hours | null;

/** The hours of each day in a time zone. */
export interface LocalHours {
  readonly timezone: string;
  readonly on: HoursOn;
}

const dayAfter = (date: string): string =>
  new Date(Date.parse(`${date}T12:00:00Z`) + DAY_MS).toISOString().slice(0, 10);

const twoDigits = (value: number) => String(value).padStart(2, '0');

/** The first time from `at` on that lies within the hours of its day. Days have 23, 24 or 25 hours. Null: not within 14 days. */
function findNextTime(at: Date, { timezone, on }: LocalHours): Date | null {
  const local = wallTime(at, timezone);
  const minutes = local.getUTCHours() * 60 + local.getUTCMinutes();
  const today = localDate(at, timezone);
  let day = today;
  for (let days = 0; days < MAX_DAYS; days += 1) {
    const hours = on(day);
    const isToday = day === today;
    if (hours !== null && !(isToday && minutes >= hours.until)) {
      if (isToday && minutes >= hours.from) return at;
      const time = `${twoDigits(Math.floor(hours.from / 60))}:${twoDigits(hours.from % 60)}:00`;
      const opening = parseZonedTime(`${day}T${time}`, timezone);
      // When a clock change repeats an hour, the opening may be the first of the two.
      return opening === null || opening < at ? at : opening;
    }
    day = dayAfter(day);
  }
  return null;
}

/** The first time from `at` on that lies within all of these hours; null if they do not meet within 14 days. */
export function nextCommonTime(at: Date, all: readonly LocalHours[]): Date | null {
  const latestMs = at.getTime() + MAX_DAYS * DAY_MS;
  let time = at;
  for (;;) {
    const before = time;
    for (const hours of all) {
      const next = findNextTime(time, hours);
      if (next === null || next.getTime() > latestMs) return null;
      time = next;
    }
    if (time.getTime() === before.getTime()) return time;
  }
}

/** The first time from `at` on that lies within the same hours of every day. */
export const nextDailyTime = (at: Date, timezone: string, hours: Hours): Date =>
  nextCommonTime(at, [{ timezone, on: () => hours }]) ?? at;
