import { type ByteRange, ObjectsError } from './interface.ts';

const KEY_LENGTH_MAX = 512;
/** A part starts with a letter or digit, which excludes `..` and hidden names. Lowercase only, so that no two keys name one file. */
const PART = '[a-z0-9][a-z0-9_.-]{0,199}';
const KEY = new RegExp(`^${PART}(/${PART})*$`);

export function checkKey(key: string): void {
  if (key.length > KEY_LENGTH_MAX || !KEY.test(key)) {
    throw new ObjectsError('misused', `not a valid object key: ${JSON.stringify(key.slice(0, 100))}`);
  }
}

export function checkPrefix(prefix: string): void {
  if (!prefix.endsWith('/') || prefix.length > KEY_LENGTH_MAX || !KEY.test(prefix.slice(0, -1))) {
    throw new ObjectsError('misused', `not a valid key prefix: ${JSON.stringify(prefix.slice(0, 100))}`);
  }
}

/** Limits the range to the object; throws a RangeError when it starts past the end. */
export function fitRange({ start, end }: ByteRange, size: number): ByteRange {
  const isWhole = Number.isSafeInteger(start) && Number.isSafeInteger(end);
  if (!isWhole || start < 0 || end < start || start >= size) {
    throw new RangeError(`no bytes ${start} to ${end} in an object of ${size} bytes`);
  }
  return { start, end: Math.min(end, size - 1) };
}
