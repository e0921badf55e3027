import { invalidArgument } from './errors.ts';

const MAX_LENGTH = 255;

export interface IdempotencyKeyParts {
  /** The system that the record is in. */
  readonly source: string;
  /** The record's own id: never a random value or a time. */
  readonly recordId: string | number | bigint;
  /** The touchpoint's slug. */
  readonly touchpoint: string;
  /** Distinguishes several moments of one record at one touchpoint, such as the trade. */
  readonly part?: string | number | bigint | null | undefined;
  /** When the appointment starts, with an offset or Z: a moved appointment is a new moment. */
  readonly appointmentAt?: string | Date | null | undefined;
  /** The revision of the appointment in the CRM, if it can move back to an earlier time. Needs `appointmentAt`. */
  readonly revision?: string | number | bigint | null | undefined;
}

/** Escapes the separator and everything that a header cannot contain, so that different parts give different keys. */
function escapePart(name: string, part: unknown): string {
  const isText = typeof part === 'string' && part !== '';
  if (!isText && typeof part !== 'bigint' && !Number.isSafeInteger(part))
    throw invalidArgument(name, `must be a non-empty text or an integer, but is ${describeValue(part)}`);
  try {
    return String(part).replaceAll(/[^!-~]+|[:%]/gu, encodeURIComponent);
  } catch {
    throw invalidArgument(name, 'is not valid Unicode');
  }
}

const describeValue = (value: unknown): string => (value === '' ? 'empty' : `${value}`);

/** ISO 8601 as the API accepts it. `Date` needs minutes in an offset and, in some runtimes, the colon. */
const INSTANT = /^(.*T.*?)(?:Z|([+-]\d{2}):?(\d{2})?)$/i;

function readInstant(text: string): Date {
  const [, time, hours, minutes = '00'] = INSTANT.exec(text) ?? [];
  return time === undefined
    ? new Date(Number.NaN)
    : new Date(time + (hours === undefined ? 'Z' : `${hours}:${minutes}`));
}

/** In UTC to the minute: `2030-03-12T19:30Z`. A local time depends on the zone of the machine. */
function minuteOf(at: string | Date): string {
  const date = at instanceof Date ? at : readInstant(at);
  if (Number.isNaN(date.getTime()))
    throw invalidArgument(
      'appointmentAt',
      `must be a Date, or a time with an offset or Z, but is ${describeValue(at)}`,
    );
  return `${date.toISOString().slice(0, -8)}Z`;
}

const isGiven = <T>(value: T | null | undefined): value is T => value !== undefined && value !== null && value !== '';

/** `source:recordId:touchpoint`, then `:part`, `:appointmentAt` and `:revision` if they are given. */
export function idempotencyKey(given: IdempotencyKeyParts): string {
  const { source, recordId, touchpoint, part, appointmentAt, revision } = given;
  const parts = [escapePart('source', source), escapePart('recordId', recordId), escapePart('touchpoint', touchpoint)];
  if (isGiven(part)) parts.push(escapePart('part', part));
  if (isGiven(appointmentAt)) parts.push(minuteOf(appointmentAt));
  if (isGiven(revision)) {
    if (!isGiven(appointmentAt)) throw invalidArgument('revision', 'needs appointmentAt');
    parts.push(escapePart('revision', revision));
  }
  const key = parts.join(':');
  if (key.length > MAX_LENGTH)
    throw invalidArgument('idempotencyKey', `has ${key.length} characters, more than ${MAX_LENGTH}: shorten recordId`);
  return key;
}
