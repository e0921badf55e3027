import { createRequire } from 'node:module';
import { BoundedMap } from './bounded-map.ts';

const DATE_TIME =
  /^(\d{4})-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])[Tt]([01]\d|2[0-3]):[0-5]\d:([0-5]\d|60)(?:\.\d{1,9})?(.*)$/;
const OFFSET = /^(?:[Zz]|[+-](?:[01]\d|2[0-3]):[0-5]\d)$/;
// The range that both PostgreSQL and four-digit years support.
const EARLIEST_MS = Date.parse('0001-01-01T00:00:00Z');
const DAY_MS = 86_400_000;
const FARTHEST_ZONE_MS = DAY_MS - 60_000;
const LATEST_MS = Date.parse('9999-12-31T23:59:59.999Z');

const zones: ReadonlySet<string> = new Set(
  Object.keys((createRequire(import.meta.url)('tzdata') as { zones: Record<string, unknown> }).zones),
);

// An Intl lookup takes 50 µs, and the few zones of one country repeat. The list of zones bounds the size.
const known = new Map<string, boolean>();

function isKnownToIntl(name: string): boolean {
  try {
    new Intl.DateTimeFormat('en-US', { timeZone: name });
    return true;
  } catch {
    return false;
  }
}

/** True for a zone or link that IANA lists, in its exact spelling, and that this runtime supports. Intl alone also accepts "pst". */
export function isTimezone(name: string): boolean {
  if (!zones.has(name)) return false;
  const isSupported = known.get(name) ?? isKnownToIntl(name);
  known.set(name, isSupported);
  return isSupported;
}

interface WrittenTime {
  /** A leap second is replaced by the second before it, because Date has none. */
  text: string;
  offset: string;
  leapMs: number;
}

function readDateTime(text: string): WrittenTime | null {
  const parts = DATE_TIME.exec(text);
  if (parts === null) return null;
  const [, year, month, day, , second, offset = ''] = parts;
  // Date.parse turns February 30 into March 2.
  if (Number(day) > new Date(Date.UTC(2000 + (Number(year) % 400), Number(month), 0)).getUTCDate()) return null;
  if (second !== '60') return { text, offset, leapMs: 0 };
  return { text: text.replace(/^(.{17})60/, '$159'), offset, leapMs: 1000 };
}

const inRange = (ms: number): Date | null => (ms >= EARLIEST_MS && ms <= LATEST_MS ? new Date(ms) : null);

/** RFC 3339 with an offset or Z; null for anything else. */
export function parseInstant(text: string): Date | null {
  const written = readDateTime(text);
  if (written === null || !OFFSET.test(written.offset)) return null;
  return inRange(Date.parse(written.text.toUpperCase()) + written.leapMs);
}

/** True for a well-formed date-time with or without an offset. Without one, the instant depends on a zone. */
export function isWrittenTime(text: string): boolean {
  const written = readDateTime(text);
  if (written === null) return false;
  if (written.offset !== '') return parseInstant(text) !== null;
  const ms = Date.parse(`${written.text.toUpperCase()}Z`) + written.leapMs;
  // Every zone is less than a day from UTC, so these two checks cover all of them.
  return inRange(ms - FARTHEST_ZONE_MS) !== null && inRange(ms + FARTHEST_ZONE_MS) !== null;
}

const wallClocks = new Map<string, Intl.DateTimeFormat>();

function wallClockOf(timezone: string): Intl.DateTimeFormat {
  const known = wallClocks.get(timezone);
  if (known !== undefined) return known;
  const day = { era: 'short', year: 'numeric', month: 'numeric', day: 'numeric' } as const;
  const time = { hour: 'numeric', minute: 'numeric', second: 'numeric', hourCycle: 'h23' } as const;
  const wallClock = new Intl.DateTimeFormat('en-US', { timeZone: timezone, ...day, ...time });
  wallClocks.set(timezone, wallClock);
  return wallClock;
}

// An Intl lookup takes 3 µs, several times per appointment. Appointments start on the hour or half hour in the zones of one
// country, so the same instants repeat.
const MAX_OFFSETS = 10_000;
const offsets = new BoundedMap<string, number>({ maxSize: MAX_OFFSETS });

/** How far the zone's clocks are ahead of UTC at an instant. */
function offsetMs(ms: number, timezone: string): number {
  const key = `${ms} ${timezone}`;
  const known = offsets.get(key);
  if (known !== undefined) return known;
  const [month = 1, day = 1, year = 0, hour = 0, minute = 0, second = 0] = (
    wallClockOf(timezone).format(ms).match(/\d+/g) ?? []
  ).map(Number);
  const shown = new Date(0);
  shown.setUTCFullYear(year, month - 1, day);
  shown.setUTCHours(hour, minute, second);
  const offset = shown.getTime() - Math.floor(ms / 1000) * 1000;
  offsets.set(key, offset);
  return offset;
}

/** The local time of a zone, as the UTC fields of a date. */
export const wallTime = (at: Date, timezone: string): Date => new Date(at.getTime() + offsetMs(at.getTime(), timezone));

/** The date in a zone, such as `2026-03-12`. */
export const localDate = (at: Date, timezone: string): string => wallTime(at, timezone).toISOString().slice(0, 10);

/**
 * The instant of a local time, which is passed as if it were UTC. A time that a clock change repeats resolves to the first;
 * one that it skips moves forward by as much as the clocks do.
 */
function localToInstant(localMs: number, timezone: string): number {
  const nearby = [localMs - DAY_MS, localMs + DAY_MS].map((near) => localMs - offsetMs(near, timezone));
  // Equal unless the clocks change within these days; deduplicated because looking up an offset is the expensive part.
  const candidates = [...new Set(nearby)];
  const shown = candidates.filter((candidate) => candidate + offsetMs(candidate, timezone) === localMs);
  return shown.length > 0 ? Math.min(...shown) : Math.max(...candidates);
}

/** RFC 3339; without an offset the time is local to `timezone`, and one that a clock change skips moves forward. */
export function parseZonedTime(text: string, timezone: string): Date | null {
  const written = readDateTime(text);
  if (written === null) return null;
  if (written.offset !== '') return parseInstant(text);
  return inRange(localToInstant(Date.parse(`${written.text.toUpperCase()}Z`), timezone) + written.leapMs);
}
