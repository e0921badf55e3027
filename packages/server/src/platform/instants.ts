import { createRequire } from 'node:module';

const DATE_TIME =
  /^(\d{4})-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])[Tt]([01]\d|2[0-3]):[0-5]\d:([0-5]\d|60)(?:\.\d{1,9})?(.*)$/;
const OFFSET = /^(?:[Zz]|[+-](?:[01]\d|2[0-3]):[0-5]\d)$/;
// What PostgreSQL and four-digit years can both hold.
const EARLIEST_MS = Date.parse('0001-01-01T00:00:00Z');
const DAY_MS = 86_400_000;
const FARTHEST_ZONE_MS = DAY_MS - 60_000;
const LATEST_MS = Date.parse('9999-12-31T23:59:59.999Z');

const zones: ReadonlySet<string> = new Set(
  Object.keys((createRequire(import.meta.url)('tzdata') as { zones: Record<string, unknown> }).zones),
);

// Asking Intl costs 50 µs, and the zones of one country come again and again. Bounded by the list itself.
const known = new Map<string, boolean>();

function isKnownToIntl(name: string): boolean {
  try {
    new Intl.DateTimeFormat('en-US', { timeZone: name });
    return true;
  } catch {
    return false;
  }
}

/** Listed by IANA, links included and in its own spelling, and known to this runtime. Intl alone takes "pst" as well. */
export function isTimezone(name: string): boolean {
  if (!zones.has(name)) return false;
  const answer = known.get(name) ?? isKnownToIntl(name);
  known.set(name, answer);
  return answer;
}

interface WrittenTime {
  /** With the leap second, which no clock of ours knows, read as the second before it. */
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

/** Whether it has the form of a time, with or without an offset; what instant it is depends on a zone. */
export function isWrittenTime(text: string): boolean {
  const written = readDateTime(text);
  if (written === null) return false;
  if (written.offset !== '') return parseInstant(text) !== null;
  const ms = Date.parse(`${written.text.toUpperCase()}Z`) + written.leapMs;
  // No zone is a day away from UTC: what stays in range on both sides does so in each of them.
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

// Asking Intl costs 3 µs, several times for each appointment. Those begin on the hour or the half, in the zones of one
// country: the same instants come again and again.
const OFFSETS_KEPT = 10_000;
const offsets = new Map<string, number>();

/** How far the zone's clocks are ahead of UTC at an instant. */
function offsetMs(ms: number, timezone: string): number {
  const asked = `${ms} ${timezone}`;
  const known = offsets.get(asked);
  if (known !== undefined) return known;
  const [month = 1, day = 1, year = 0, hour = 0, minute = 0, second = 0] = (
    wallClockOf(timezone).format(ms).match(/\d+/g) ?? []
  ).map(Number);
  const shown = new Date(0);
  shown.setUTCFullYear(year, month - 1, day);
  shown.setUTCHours(hour, minute, second);
  const offset = shown.getTime() - Math.floor(ms / 1000) * 1000;
  if (offsets.size === OFFSETS_KEPT) offsets.clear();
  offsets.set(asked, offset);
  return offset;
}

/** What a zone's clocks show at an instant: a date whose UTC fields are theirs. */
export const wallTime = (at: Date, timezone: string): Date => new Date(at.getTime() + offsetMs(at.getTime(), timezone));

/** `2026-03-12`, as the calendar of a zone says. */
export const localDate = (at: Date, timezone: string): string => wallTime(at, timezone).toISOString().slice(0, 10);

/**
 * The instant at which a zone's clocks show a local time, given as if it were UTC. Of a time that a clock change shows twice,
 * the first; one that it skips moves forward by as much as the clocks do.
 */
function localToInstant(localMs: number, timezone: string): number {
  const nearby = [localMs - DAY_MS, localMs + DAY_MS].map((near) => localMs - offsetMs(near, timezone));
  // The same, unless the clocks change within these days; asking a zone for its offset is what takes the time here.
  const candidates = [...new Set(nearby)];
  const shown = candidates.filter((candidate) => candidate + offsetMs(candidate, timezone) === localMs);
  return shown.length > 0 ? Math.min(...shown) : Math.max(...candidates);
}

/** RFC 3339, or the same without an offset, then read in `timezone`. A time that a clock change skips moves forward. */
export function parseZonedTime(text: string, timezone: string): Date | null {
  const written = readDateTime(text);
  if (written === null) return null;
  if (written.offset !== '') return parseInstant(text);
  return inRange(localToInstant(Date.parse(`${written.text.toUpperCase()}Z`), timezone) + written.leapMs);
}
