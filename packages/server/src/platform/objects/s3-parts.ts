import { open } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { refuseSpentStream } from './check.ts';
import type { ObjectBody } from './interface.ts';

/** S3 accepts up to 10,000 parts of at least 5 MiB, so these allow 80 GiB. Each upload keeps at most two in memory. */
export const PART_BYTES = 8 * 1024 * 1024;

/** Splits the body into parts of PART_BYTES; only the last may be shorter. Yields nothing for an empty body. */
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
