import { createHash, randomBytes } from 'node:crypto';
import { readdirSync } from 'node:fs';
import path from 'node:path';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import type { StoredObject } from '../../src/platform/objects/index.ts';

export const MIB = 1024 * 1024;
export const TYPE = { type: 'application/octet-stream' };

/** Random, so that a misplaced chunk is detected. */
export const bytesOf = (size: number): Buffer => randomBytes(size);

/** In chunks that match no block size. */
export const streamOf = (content: Buffer, piece = 65_521): Readable =>
  Readable.from(
    (function* () {
      for (let start = 0; start < content.length; start += piece) yield content.subarray(start, start + piece);
    })(),
    { objectMode: false },
  );

/** Streams the content, then fails instead of ending. */
export const breakingStream = (content: Buffer, fault: Error): Readable =>
  Readable.from(
    (async function* () {
      yield* streamOf(content);
      throw fault;
    })(),
    { objectMode: false },
  );

/** Short enough to compare in a message. */
export const digest = (content: Buffer): string =>
  `${content.length}:${createHash('sha256').update(content).digest('hex')}`;

export const read = async (stored: StoredObject | null, range?: { start: number; end: number }): Promise<Buffer> => {
  if (stored === null) throw new Error('the object does not exist');
  return buffer(await stored.stream(range));
};

/** Relative paths of all files. */
export function filesIn(where: string): string[] {
  return readdirSync(where, { recursive: true, withFileTypes: true })
    .filter((entry) => !entry.isDirectory())
    .map((entry) => path.relative(where, path.join(entry.parentPath, entry.name)))
    .sort();
}
