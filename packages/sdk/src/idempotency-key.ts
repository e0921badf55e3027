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

/** `source:recordId:touchpoint`, and `:part` if there is one. */
export function idempotencyKey({ source, recordId, touchpoint, part }: IdempotencyKeyParts): string {
  const parts = [escapePart('source', source), escapePart('recordId', recordId), escapePart('touchpoint', touchpoint)];
  if (part !== undefined && part !== null && part !== '') parts.push(escapePart('part', part));
  const key = parts.join(':');
  if (key.length > MAX_LENGTH)
    throw invalidArgument('idempotencyKey', `has ${key.length} characters, more than ${MAX_LENGTH}: shorten recordId`);
  return key;
}
