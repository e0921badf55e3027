import { open } from 'node:fs/promises';
import { Readable } from 'node:stream';
import type { ObjectBody } from './interface.ts';
import { refuseSpentStream } from './source.ts';

/** S3 takes parts from 5 MiB on, and 10,000 of them: 80 GiB of these. Two are in memory for each upload at most. */
export const PART_BYTES = 8 * 1024 * 1024;

/** The body in pieces of PART_BYTES, only the last of which may be shorter. Nothing at all for an empty body. */
export async function* partsOf(body: ObjectBody): AsyncGenerator<Buffer, undefined> {
  if (Buffer.isBuffer(body)) {
    for (let start = 0; start < body.length; start += PART_BYTES) yield body.subarray(start, start + PART_BYTES);
  } else if (body instanceof Readable) {
    yield* partsOfStream(body);
  } else {
    yield* partsOfFile(body.file);
  }
  return undefined;
}

async function* partsOfFile(path: string): AsyncGenerator<Buffer> {
  const file = await open(path, 'r');
  try {
    while (true) {
      const part = Buffer.allocUnsafe(PART_BYTES);
      let filled = 0;
      while (filled < PART_BYTES) {
        const { bytesRead } = await file.read(part, filled, PART_BYTES - filled);
        if (bytesRead === 0) break;
        filled += bytesRead;
      }
      if (filled > 0) yield part.subarray(0, filled);
      if (filled < PART_BYTES) return;
    }
  } finally {
    await file.close();
  }
}

async function* partsOfStream(body: Readable): AsyncGenerator<Buffer> {
  refuseSpentStream(body);
  let part = Buffer.allocUnsafe(PART_BYTES);
  let filled = 0;
  for await (const piece of body) {
    const chunk: Buffer = Buffer.from(piece);
    for (let taken = 0; taken < chunk.length; ) {
      const copied = chunk.copy(part, filled, taken);
      taken += copied;
      filled += copied;
      if (filled === PART_BYTES) {
        yield part;
        part = Buffer.allocUnsafe(PART_BYTES);
        filled = 0;
      }
    }
  }
  if (filled > 0) yield part.subarray(0, filled);
}
