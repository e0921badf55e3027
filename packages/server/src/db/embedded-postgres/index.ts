/** Runs PostgreSQL 18 as a child that cannot outlive this process. */

import fs, { existsSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { makeDataDir } from '../../platform/data-dir.ts';
import type { Logger } from '../../platform/log.ts';
import { locatePackage, type PostgresPackage, prepareBinaries, SYSTEM_CACHE } from './binaries.ts';
import {
  type Cluster,
  type Connection,
  chooseAccount,
  clusterIn,
  connectionTo,
  EmbeddedPostgresError,
  hasData,
  isInitialized,
  letThrough,
  prepareSocketFolder,
} from './cluster.ts';
import { occupy, withStartLock } from './locks.ts';
import { initializeCluster, type Postmaster, removePartialClusters, startPostmaster } from './postmaster.ts';
import { acceptsConnections, findOccupant, readPostmasterFile, removeStaleLockFiles } from './processes.ts';

/**
 * PostgreSQL stops when it cannot write its log. This file keeps the space that it needs to run, and to start, while the disk is
 * full: it is deleted then, and requests that write are refused until there is space for it again.
 */
const FILE_NAME = 'reserve';
/** Four segments of the log, because a backup on a full disk may begin two. On a disk below 256 MB, a quarter of it. */
const RESERVE = { bytes: 64 * 1024 ** 2, share: 0.25 };
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

export { EmbeddedPostgresError, hasData };

/** Processes that a dead parent left are stopped within this time, by force if necessary. */
const VACANCY_WAIT_MS = 10_000;
/** How long a command waits for a server that is just starting. */
const READY_WAIT_MS = 10_000;
const READY_POLL_MS = 50;

export interface EmbeddedPostgres extends Omit<Postmaster, 'ended'> {
  /** For `pg`: trust on a socket in a folder of mode 0700, never TCP. */
  readonly connection: Connection;
}

/** Starts PostgreSQL on DATA_DIR/pg18, which it creates if necessary. It exits with this process, however that ends. */
export async function startEmbeddedPostgres(options: {
  dataDir: string;
  waitMs?: number;
  settings?: Record<string, string>;
  /** Called when a process was started, and there is nothing to do but wait for it. */
  onSpawn?: () => void;
}): Promise<EmbeddedPostgres> {
  const { dataDir, waitMs = VACANCY_WAIT_MS, settings = {}, onSpawn } = options;
  const installed = locatePackage();
  makeDataDir(dataDir);
  const cluster = clusterIn(dataDir);
  const deadline = Date.now() + waitMs;
  return withStartLock(cluster, deadline, async () => {
    for (;;) {
      const lock = await occupy(cluster, deadline);
      try {
        const { ended, ...postgres } = await startVacant({ cluster, installed, settings, onSpawn });
        void ended.then(() => lock.release());
        return postgres;
      } catch (error) {
        lock.release();
        if (!isStillInUse(error) || Date.now() > deadline) throw error;
        await sleep(READY_POLL_MS);
      }
    }
  });
}

/** A process that ends is no longer listed with its command some time before the kernel releases its memory. */
const isStillInUse = (error: unknown): boolean =>
  error instanceof EmbeddedPostgresError && error.message.includes('pre-existing shared memory block');

async function startVacant(options: {
  cluster: Cluster;
  installed: PostgresPackage;
  settings: Record<string, string>;
  onSpawn: (() => void) | undefined;
}): Promise<EmbeddedPostgres & Postmaster> {
  const { cluster, installed, settings, onSpawn } = options;
  const account = chooseAccount(cluster);
  const isReachable = letThrough(account, cluster.root);
  const { initdb, postgres } = prepareBinaries(installed, account, isReachable ? cluster.root : SYSTEM_CACHE);
  removePartialClusters(cluster);
  if (!isInitialized(cluster)) await initializeCluster({ cluster, account, initdb, onSpawn });
  const socketFolder = prepareSocketFolder(cluster, account, isReachable);
  removeStaleLockFiles(cluster, socketFolder);
  const postmaster = await startPostmaster({ postgres, cluster, account, socketFolder, settings, onSpawn });
  return { connection: connectionTo(socketFolder), ...postmaster };
}

/** The connection to the database of a server that runs on this DATA_DIR; null when none does. */
export async function findRunningPostgres(dataDir: string): Promise<Connection | null> {
  if (!existsSync(dataDir)) return null;
  const cluster = clusterIn(dataDir);
  const deadline = Date.now() + READY_WAIT_MS;
  while (Date.now() < deadline) {
    if ((await findOccupant(cluster)) === null) return null;
    const file = readPostmasterFile(cluster);
    // The file outlives a killed postmaster, whose last children may still be running, and its pid is another one when the
    // postmaster runs in a container.
    if (file?.status === 'ready' && (await acceptsConnections(file.socketFolder)))
      return connectionTo(file.socketFolder);
    if (file?.status === 'stopping') return null;
    await sleep(READY_POLL_MS);
  }
  return null;
}
