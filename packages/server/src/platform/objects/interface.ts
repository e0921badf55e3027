import type { Readable } from 'node:stream';

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
