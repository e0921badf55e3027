import type { FileHandle } from 'node:fs/promises';

/** An honest file has a few dozen. */
const MAX_BOXES = 2_000;

/**
 * Whether the outermost boxes fill the file to its last byte. A full disk truncates the file, while the tables at its start
 * still look valid.
 */
export async function isWhole(file: FileHandle, size: number): Promise<boolean> {
  let at = 0;
  for (let seen = 0; at < size && seen < MAX_BOXES; seen++) {
    const length = await readLength(file, at);
    if (length === null) return false;
    at += length;
  }
  return at === size && size > 0;
}

async function readLength(file: FileHandle, at: number): Promise<number | null> {
  const head = Buffer.alloc(16);
  await file.read(head, 0, 16, at);
  const short = head.readUInt32BE(0);
  const length = short === 1 ? Number(head.readBigUInt64BE(8)) : short;
  return length < (short === 1 ? 16 : 8) ? null : length;
}
