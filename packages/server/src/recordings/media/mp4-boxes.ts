import type { FileHandle } from 'node:fs/promises';

/** The path to a track's data references, with the bytes before each box's children. */
const CONTAINERS: Readonly<Record<string, number>> = { moov: 0, trak: 0, mdia: 0, minf: 0, dinf: 0, dref: 8 };
/** An honest file has a few dozen. */
const MAX_BOXES = 2_000;
const SELF_CONTAINED = 1;

interface Box {
  readonly type: string;
  readonly body: number;
  readonly end: number;
}

/** Whether an MP4 or QuickTime file takes its samples from another file. Decoders may follow such a reference to any path. */
export async function refersElsewhere(file: FileHandle, size: number): Promise<boolean> {
  let seen = 0;
  const walk = async (from: number, to: number, parent: string): Promise<boolean> => {
    for (let at = from; at + 8 <= to; ) {
      seen += 1;
      if (seen > MAX_BOXES) return true;
      const box = await readBox(file, at, to);
      if (box === null) return false;
      if (parent === 'dref' && !(await isSelfContained(file, box))) return true;
      const skipped = parent === 'dref' ? undefined : CONTAINERS[box.type];
      if (skipped !== undefined && (await walk(box.body + skipped, box.end, box.type))) return true;
      at = box.end;
    }
    return false;
  };
  return walk(0, size, '');
}

/**
 * Whether the outermost boxes fill the file to its last byte. A full disk truncates the file, while the tables at its start
 * still look valid.
 */
export async function isWhole(file: FileHandle, size: number): Promise<boolean> {
  let at = 0;
  for (let seen = 0; at < size && seen < MAX_BOXES; seen++) {
    const box = await readBox(file, at, Number.MAX_SAFE_INTEGER);
    if (box === null) return false;
    at = box.end;
  }
  return at === size && size > 0;
}

async function readBox(file: FileHandle, at: number, limit: number): Promise<Box | null> {
  const head = Buffer.alloc(16);
  await file.read(head, 0, 16, at);
  const short = head.readUInt32BE(0);
  const length = short === 1 ? Number(head.readBigUInt64BE(8)) : short === 0 ? limit - at : short;
  const body = at + (short === 1 ? 16 : 8);
  if (length < body - at) return null;
  return { type: head.toString('latin1', 4, 8), body, end: Math.min(at + length, limit) };
}

async function isSelfContained(file: FileHandle, entry: Box): Promise<boolean> {
  const flags = Buffer.alloc(4);
  await file.read(flags, 0, 4, entry.body);
  return ((flags[3] ?? 0) & SELF_CONTAINED) !== 0;
}
