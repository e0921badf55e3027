/** Checks the tables of MP4 and Matroska files before any decoder does. */

import { open } from 'node:fs/promises';
import type { RefusalCode } from '../limits.ts';
import { openWindow } from './limits.ts';
import { findMatroskaFault } from './matroska.ts';
import { findMp4Fault } from './mp4.ts';

/** Checks the tables of a file before any decoder reads them. `demuxer` is FFmpeg's name of the container. */
export async function findStructureFault(path: string, demuxer: string): Promise<RefusalCode | null> {
  const file = await open(path, 'r');
  try {
    const window = openWindow(file.fd, (await file.stat()).size);
    return demuxer === 'mov' ? findMp4Fault(window) : findMatroskaFault(window);
  } finally {
    await file.close();
  }
}
