import { type ByteRange, ObjectsError } from './interface.ts';

const KEY_LENGTH_MAX = 512;
/** A part begins with a letter or digit: neither `..` nor a hidden name can be one, and no two spellings mean one file. */
const PART = '[a-z0-9][a-z0-9_.-]{0,199}';
const KEY = new RegExp(`^${PART}(/${PART})*$`);

export function checkKey(key: string): void {
  if (key.length > KEY_LENGTH_MAX || !KEY.test(key)) {
    throw new ObjectsError('misused', `not a key of an object: ${JSON.stringify(key.slice(0, 100))}`);
  }
}

export function checkPrefix(prefix: string): void {
  if (!prefix.endsWith('/') || prefix.length > KEY_LENGTH_MAX || !KEY.test(prefix.slice(0, -1))) {
    throw new ObjectsError('misused', `not a prefix of keys: ${JSON.stringify(prefix.slice(0, 100))}`);
  }
}

/** Within the object, or a RangeError: no adapter asks its store for bytes that are not there. */
export function fitRange({ start, end }: ByteRange, size: number): ByteRange {
  const isWhole = Number.isSafeInteger(start) && Number.isSafeInteger(end);
  if (!isWhole || start < 0 || end < start || start >= size) {
    throw new RangeError(`no bytes ${start} to ${end} in an object of ${size} bytes`);
  }
  return { start, end: Math.min(end, size - 1) };
}
