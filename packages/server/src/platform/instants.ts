import { DAY_MS, twoDigits } from '@foreword/contract';
import { BoundedMap } from './bounded-map.ts';

/** ISO 8601 as people send it: seconds, a fraction and the offset are optional, and the offset may omit its colon or minutes. */
const DATE_TIME =
  /^(\d{4})-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])[Tt]((?:[01]\d|2[0-3]):[0-5]\d)(?::([0-5]\d|60)(?:\.(\d+))?)?([Zz]|[+-](?:[01]\d|2[0-3])(?::?[0-5]\d)?)?$/;
const RFC_3339 = /^.{10}T\d\d:\d\d:\d\d(?:\.\d{1,9})?(?:Z|[+-]\d\d:\d\d)?$/;
// The range that both PostgreSQL and four-digit years support.
const EARLIEST_MS = Date.parse('0001-01-01T00:00:00Z');
const FARTHEST_ZONE_MS = DAY_MS - 60_000;
const LATEST_MS = Date.parse('9999-12-31T23:59:59.999Z');

// A lookup takes 10 µs, and the few zones of one country repeat. The list of zones bounds the size.
const zones = new Set<string>();

/** True for a zone or link that IANA lists, in its exact spelling. Temporal also accepts any case, and offsets. */
export function isTimezone(name: string): boolean {
  if (zones.has(name)) return true;
  if (!/^[A-Z]/.test(name)) return false;
  try {
    if (new Temporal.ZonedDateTime(0n, name).timeZoneId !== name) return false;
  } catch {
    return false;
  }
  zones.add(name);
  return true;
}

interface WrittenTime {
  readonly date: string;
  /** Hours and minutes. */
  readonly time: string;
  readonly second: string;
  /** Milliseconds, as three digits. */
  readonly millisecond: string;
  /** `Z` or `+hh:mm`; empty for a local time. */
  readonly offset: string;
}

/** `+05`, `+0530` and `+05:30` with a colon; empty without an offset. */
function spellOffset(offset: string): string {
  if (offset.length <= 1) return offset.toUpperCase();
  return `${offset.slice(0, 3)}:${offset.length === 3 ? '00' : offset.slice(-2)}`;
}

let lastText: string | undefined;
let lastWritten: WrittenTime | null = null;

/** A request validates a time and then reads it several times. */
function readDateTime(text: string): WrittenTime | null {
  if (text !== lastText) {
    lastWritten = parseDateTime(text);
    lastText = text;
  }
  return lastWritten;
}

function parseDateTime(text: string): WrittenTime | null {
  const parts = DATE_TIME.exec(text);
  if (parts === null) return null;
  const [, year, month, day, time = '', second = '00', fraction = '', offset = ''] = parts;
  // Date.parse turns February 30 into March 2.
  if (Number(day) > new Date(Date.UTC(2000 + (Number(year) % 400), Number(month), 0)).getUTCDate()) return null;
  const millisecond = fraction.slice(0, 3).padEnd(3, '0');
  return { date: text.slice(0, 10), time, second, millisecond, offset: spellOffset(offset) };
}

/** The milliseconds of a time with this offset. Date has no leap second, so it counts as the second before it, plus one. */
function toMs({ date, time, second, millisecond }: WrittenTime, offset: string): number {
  const isLeap = second === '60';
  return Date.parse(`${date}T${time}:${isLeap ? '59' : second}.${millisecond}${offset}`) + (isLeap ? 1000 : 0);
}

const inRange = (ms: number): Date | null => (ms >= EARLIEST_MS && ms <= LATEST_MS ? new Date(ms) : null);

/** ISO 8601 with an offset or Z; null for anything else. */
export function parseInstant(text: string): Date | null {
  const written = readDateTime(text);
  return written === null || written.offset === '' ? null : inRange(toMs(written, written.offset));
}

/** True for a well-formed date-time without an offset. The instant then depends on a zone. */
export function isLocalTime(text: string): boolean {
  const written = readDateTime(text);
  if (written === null || written.offset !== '') return false;
  const ms = toMs(written, 'Z');
  // Every zone is less than a day from UTC, so these two checks cover all of them.
  return inRange(ms - FARTHEST_ZONE_MS) !== null && inRange(ms + FARTHEST_ZONE_MS) !== null;
}

/** True for a well-formed date-time with or without an offset. */
export const isWrittenTime = (text: string): boolean => parseInstant(text) !== null || isLocalTime(text);

/**
 * Spells a valid time as RFC 3339, with its offset, or without one if it is local. Stored requests contain only this form, which
 * PostgreSQL can read.
 */
export function toRfc3339(text: string): string {
  const written = RFC_3339.test(text) ? null : readDateTime(text);
  if (written === null) return text;
  const { date, time, second, millisecond, offset } = written;
  return `${date}T${time}:${second}.${millisecond}${offset}`;
}

// Temporal takes 8 µs, several times per appointment. Appointments start on the hour or half hour in the zones of one country,
// so the same times repeat.
const MAX_TIMES = 10_000;
const offsets = new BoundedMap<string, number>({ maxSize: MAX_TIMES });
const instants = new BoundedMap<string, number>({ maxSize: MAX_TIMES });

function cached(times: BoundedMap<string, number>, ms: number, timezone: string, find: () => number): number {
  const key = `${ms} ${timezone}`;
  const known = times.get(key);
  if (known !== undefined) return known;
  const found = find();
  times.set(key, found);
  return found;
}

const zonedTime = (ms: number, timezone: string) =>
  Temporal.Instant.fromEpochMilliseconds(ms).toZonedDateTimeISO(timezone);

/** How far the zone's clocks are ahead of UTC at an instant. */
const offsetMs = (ms: number, timezone: string): number =>
  cached(offsets, ms, timezone, () => zonedTime(ms, timezone).offsetNanoseconds / 1_000_000);

/** The local time of a zone, as the UTC fields of a date. */
export const wallTime = (at: Date, timezone: string): Date => new Date(at.getTime() + offsetMs(at.getTime(), timezone));

/** The date in a zone, such as `2026-03-12`. */
export const localDate = (at: Date, timezone: string): string => wallTime(at, timezone).toISOString().slice(0, 10);

/**
 * The instant of a local time, which is passed as if it were UTC. A time that a clock change repeats resolves to the first;
 * one that it skips moves forward by as much as the clocks do.
 */
const localToInstant = (localMs: number, timezone: string): number =>
  cached(instants, localMs, timezone, () => {
    const local = zonedTime(localMs, 'UTC').toPlainDateTime();
    return local.toZonedDateTime(timezone).epochMilliseconds;
  });

/** ISO 8601; without an offset the time is local to `timezone`, and one that a clock change skips moves forward. */
export function parseZonedTime(text: string, timezone: string): Date | null {
  const written = readDateTime(text);
  if (written === null) return null;
  if (written.offset !== '') return inRange(toMs(written, written.offset));
  const isLeap = written.second === '60';
  const localMs = toMs(written, 'Z') - (isLeap ? 1000 : 0);
  return inRange(localToInstant(localMs, timezone) + (isLeap ? 1000 : 0));
}

/** Longer than any pause between two days with hours. */
const MAX_DAYS = 14;

/** Minutes after midnight in local time; `until` is exclusive. */
export interface Hours {
  readonly from: number;
  readonly until: number;
}

/** The hours of a local date, such as `2026-03-12`. Null: none that day. */
type HoursOn = (date: string) => Hours | null;

/** The hours of each day in a time zone. */
export interface LocalHours {
  readonly timezone: string;
  readonly on: HoursOn;
}

const dayAfter = (date: string): string =>
  new Date(Date.parse(`${date}T12:00:00Z`) + DAY_MS).toISOString().slice(0, 10);

/** The first time from `at` on that lies within the hours of its day. Days have 23, 24 or 25 hours. Null: not within 14 days. */
function findNextTime(at: Date, { timezone, on }: LocalHours): Date | null {
  const local = wallTime(at, timezone);
  const minutes = local.getUTCHours() * 60 + local.getUTCMinutes();
  const today = local.toISOString().slice(0, 10);
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
    if (all.length === 1 || time.getTime() === before.getTime()) return time;
  }
}

/** The first time from `at` on that lies within the same hours of every day. */
export const nextDailyTime = (at: Date, timezone: string, hours: Hours): Date =>
  nextCommonTime(at, [{ timezone, on: () => hours }]) ?? at;
