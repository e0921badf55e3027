import type { Readable } from 'node:stream';

/** One object as it was when it was opened: what `stream` gives is that one whole, or nothing. */
export interface StoredObject {
  readonly size: number;
  /** Without quotes. Changes with the content; says nothing else. */
  readonly etag: string;
  /**
   * From `start` to `end`, both included; an `end` past the last byte means the last byte. A `start` past it rejects with
   * a RangeError. Rejects with `changed` when the key was replaced or deleted since. Read it to the end, or destroy it.
   */
  stream(range?: ByteRange): Promise<Readable>;
}

export interface ByteRange {
  readonly start: number;
  readonly end: number;
}

export type ObjectBody = Buffer | Readable | { readonly file: string };

export interface Objects {
  /** Whole or not at all, and durable when it resolves. Replaces what stood there. */
  put(key: string, body: ObjectBody, options: { type: string }): Promise<void>;
  /** Null when there is none. */
  open(key: string): Promise<StoredObject | null>;
  /** An absent key is fine. */
  delete(key: string): Promise<void>;
  /** Every key that begins with the prefix, which ends in a slash. */
  deleteAll(prefix: string): Promise<void>;
  /** A short-lived address a browser may read from; null when the store has none, as a folder. */
  presign(key: string, options: { seconds: number; type: string }): Promise<string | null>;
  /** Writes, reads and deletes a small object; rejects with the reason when that does not work. */
  check(): Promise<void>;
}

export type ObjectsFault =
  | 'full' // no room
  | 'denied' // the store refuses us: rights or credentials
  | 'unreachable' // no answer in time, after all attempts
  | 'changed' // replaced or deleted since it was opened
  | 'misused' // a key, prefix or range that no caller may send
  | 'failed'; // whatever else the store answered

/** The message names the operation and the key, never a credential. */
export class ObjectsError extends Error {
  readonly code: ObjectsFault;

  constructor(code: ObjectsFault, message: string, options?: { cause?: unknown }) {
    super(message, options);
    this.name = 'ObjectsError';
    this.code = code;
  }
}

/** Of the setting, not of the store: what it says names OBJECTS_URL and holds no part of its value. */
export class ObjectsUrlError extends Error {}
