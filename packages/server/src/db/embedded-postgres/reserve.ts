import fs from 'node:fs';
import path from 'node:path';
import type { Logger } from '../../platform/log.ts';

/**
 * PostgreSQL stops when it cannot write its log. This file keeps the space that it needs to run, and to start, while the disk is
 * full: it is deleted then, and requests that write are refused until there is space for it again.
 */
const FILE_NAME = 'reserve';
/** Four segments of the log. On a small disk, a tenth of it. */
const RESERVE = { bytes: 64 * 1024 ** 2, share: 0.1 };
/** A disk fills up by hundreds of megabytes a second, so the reserve has to be larger than what fits between two checks. */
const CHECK_INTERVAL_MS = 200;

function readSpace(dataDir: string): { free: number; reserve: number } {
  const { bavail, blocks, bsize } = fs.statfsSync(dataDir);
  return { free: bavail * bsize, reserve: Math.min(RESERVE.bytes, Math.floor(blocks * bsize * RESERVE.share)) };
}

/** Written, because an empty file of this size would take no space. */
function fill(file: string, bytes: number): void {
  const draft = `${file}.new`;
  try {
    fs.writeFileSync(draft, Buffer.alloc(bytes), { mode: 0o600 });
    fs.renameSync(draft, file);
  } catch {
    fs.rmSync(draft, { force: true });
  }
}

const sizeOf = (file: string): number => fs.statSync(file, { throwIfNoEntry: false })?.size ?? 0;

/** Makes space for the start of the database, if the disk is full. */
export function releaseReserve(dataDir: string): void {
  if (!fs.existsSync(dataDir)) return;
  const { free, reserve } = readSpace(dataDir);
  if (free < reserve / 2) fs.rmSync(path.join(dataDir, FILE_NAME), { force: true });
}

export function watchReserve(dataDir: string, log: Logger) {
  const file = path.join(dataDir, FILE_NAME);
  let isFull = false;
  const check = () => {
    const { free, reserve } = readSpace(dataDir);
    const hasReserve = sizeOf(file) >= reserve;
    if (!hasReserve && free > 2 * reserve) fill(file, reserve);
    else if (hasReserve && free < reserve / 2) fs.rmSync(file, { force: true });
    const wasFull = isFull;
    // Without the reserve, there is no space for a burst of writes.
    isFull = sizeOf(file) < reserve && (wasFull || free < 1.5 * reserve);
    if (isFull && !wasFull) log.warn({ free_bytes: free }, 'the disk of the database is full: writing is refused');
    if (wasFull && !isFull) log.warn({ free_bytes: free }, 'the disk of the database has space again');
  };
  const checkSafely = () => {
    try {
      check();
    } catch (err) {
      log.warn({ err }, 'cannot check the disk of the database');
    }
  };
  checkSafely();
  const timer = setInterval(checkSafely, CHECK_INTERVAL_MS).unref();
  return {
    /** True while nothing should be written. */
    isFull: () => isFull,
    stop: () => clearInterval(timer),
  };
}
