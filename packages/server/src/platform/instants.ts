import { createRequire } from 'node:module';
import { DateTime } from 'luxon';

const DATE_TIME =
  /^(\d{4})-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])[Tt]([01]\d|2[0-3]):[0-5]\d:([0-5]\d|60)(?:\.\d{1,9})?(.*)$/;
const OFFSET = /^(?:[Zz]|[+-](?:[01]\d|2[0-3]):[0-5]\d)$/;
// What PostgreSQL and four-digit years can both hold.
const EARLIEST_MS = Date.parse('0001-01-01T00:00:00Z');
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
  return parseInstant(written.offset === '' ? `${text}Z` : text) !== null;
}

/** RFC 3339, or the same without an offset, then read in `timezone`. A time that a clock change skips moves forward. */
export function parseZonedTime(text: string, timezone: string): Date | null {
  const written = readDateTime(text);
  if (written === null) return null;
  if (written.offset !== '') return parseInstant(text);
  return inRange(DateTime.fromISO(written.text.toUpperCase(), { zone: timezone }).toMillis() + written.leapMs);
}
