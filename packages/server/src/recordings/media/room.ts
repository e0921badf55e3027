import { randomBytes } from 'node:crypto';
import { open, rm } from 'node:fs/promises';
import { join } from 'node:path';

/** The work on a take writes in pieces far smaller. Random, as some disks keep a row of zeros in no room at all. */
const ROOM_BYTES = 4 * 1024 * 1024;
export const ROOM = 'room';

/**
 * After a failure: FFmpeg says of a full disk that a file is broken, that nothing was found, or nothing at all. Where even this
 * cannot be written, that is the fault, with the code that the system gives it; what was said is its cause.
 */
export async function proveRoom(folder: string, failure: unknown): Promise<void> {
  const path = join(folder, ROOM);
  try {
    const file = await open(path, 'w');
    try {
      await file.writeFile(randomBytes(ROOM_BYTES));
      // Some disks take everything, and find out later.
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
