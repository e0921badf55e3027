import { randomBytes } from 'node:crypto';
import { open, rm } from 'node:fs/promises';
import { join } from 'node:path';

/** Larger than any single write of the encoder. Random bytes, because some file systems store zeros without using space. */
const PROBE_BYTES = 4 * 1024 * 1024;
export const SPACE_PROBE = 'space-probe';

/**
 * Call it after a failure. FFmpeg reports a full disk as a broken file, or not at all; if a probe file cannot be written,
 * this throws the system's error with the original failure as its cause.
 */
export async function requireFreeSpace(folder: string, failure: unknown): Promise<void> {
  const path = join(folder, SPACE_PROBE);
  try {
    const file = await open(path, 'w');
    try {
      await file.writeFile(randomBytes(PROBE_BYTES));
      // Some file systems report a full disk only when flushing.
      await file.sync();
    } finally {
      await file.close();
    }
  } catch (fault) {
    throw fault instanceof Error ? Object.assign(fault, { cause: failure }) : fault;
  } finally {
    await rm(path, { force: true });
  }
}
