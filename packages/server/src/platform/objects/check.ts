import { randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { type ByteRange, type ObjectBody, type Objects, ObjectsError } from './interface.ts';

/** Checks at startup that the store can be written, read and deleted from, before a member records. */
export async function checkObjects(objects: Omit<Objects, 'check'>): Promise<void> {
  const content = randomUUID();
  // A unique key, because several nodes may start at once.
  const key = `check/${content}`;
  await objects.put(key, Buffer.from(content), { type: 'text/plain' });
  try {
    const stored = await objects.open(key);
    const read = stored === null ? null : (await buffer(await stored.stream())).toString();
    if (read !== content) throw new ObjectsError('failed', 'the store returned other content than was written');
  } finally {
    await objects.delete(key);
  }
  if ((await objects.open(key)) !== null) throw new ObjectsError('failed', 'the store still returns a deleted object');
}

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

/** A stream that was already read would silently be stored as an empty object. */
export function refuseSpentStream(body: Readable): void {
  if (body.errored !== null) throw body.errored;
  if (body.destroyed || body.readableEnded) throw new ObjectsError('misused', 'the stream was already read or closed');
}

/** An error of the source stream is thrown unchanged: a member's broken connection is not an error of the store. */
export const isFaultOf = (body: ObjectBody, error: unknown): boolean =>
  body instanceof Readable && body.errored !== null && body.errored === error;
