import { randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';

/** An object as it was when it was opened; `stream` never mixes versions. */
export interface StoredObject {
  readonly size: number;
  /** Without quotes. Changes when the content changes. */
  readonly etag: string;
  /**
   * An `end` past the last byte means the last byte; a `start` past it rejects with a RangeError. Rejects with `changed` when the
   * object was replaced or deleted. The caller must read the stream to its end or destroy it.
   */
  stream(range?: ByteRange): Promise<Readable>;
}

/** Both ends are inclusive. */
export interface ByteRange {
  readonly start: number;
  readonly end: number;
}

export type ObjectBody = Buffer | Readable | { readonly file: string };

export interface Objects {
  /** Atomic, and durable once it resolves. Replaces an existing object. */
  put(key: string, body: ObjectBody, options: { type: string }): Promise<void>;
  /** Null when the object does not exist. */
  open(key: string): Promise<StoredObject | null>;
  /** Does nothing when the object does not exist. */
  delete(key: string): Promise<void>;
  /** Deletes every key with this prefix, which must end with a slash. */
  deleteAll(prefix: string): Promise<void>;
  /** A short-lived URL for browsers; null when the store cannot create one (a folder). */
  presign(key: string, options: { seconds: number; type: string }): Promise<string | null>;
  /** Writes, reads and deletes a small object; rejects with the reason if that fails. */
  check(): Promise<void>;
}

export type ObjectsFault =
  | 'full' // no space left
  | 'denied' // wrong permissions or credentials
  | 'unreachable' // no response in time, after all attempts
  | 'changed' // replaced or deleted since it was opened
  | 'misused' // an invalid key, prefix or stream
  | 'failed'; // any other response

/** The message names the operation and the key, never a credential. */
export class ObjectsError extends Error {
  readonly code: ObjectsFault;

  constructor(code: ObjectsFault, message: string, options?: { cause?: unknown }) {
    super(message, options);
    this.name = 'ObjectsError';
    this.code = code;
  }
}

/** The setting is invalid. The message names OBJECTS_URL but contains no part of its value. */
export class ObjectsUrlError extends Error {}

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
