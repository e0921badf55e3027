/** Runs PostgreSQL 18 as a child that cannot outlive this process. */

import { existsSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { makeDataDir } from '../../platform/data-dir.ts';
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
import { initializeCluster, removePartialClusters, startPostmaster } from './postmaster.ts';
import { acceptsConnections, findOccupant, readPostmasterFile, removeStaleLockFiles } from './processes.ts';

export { releaseReserve, watchReserve } from './reserve.ts';
export { EmbeddedPostgresError, hasData };

/** Processes that a dead parent left are stopped within this time, by force if necessary. */
const VACANCY_WAIT_MS = 10_000;
/** How long a command waits for a server that is just starting. */
const READY_WAIT_MS = 10_000;
const READY_POLL_MS = 50;

export interface EmbeddedPostgres {
  /** For `pg`: trust on a socket in a folder of mode 0700, never TCP. */
  readonly connection: Connection;
  /** Process id of the postmaster. */
  readonly pid: number;
  /** Resolves with the last log lines when the postmaster exits unexpectedly; stays pending after `stop`. */
  readonly exited: Promise<string>;
  /** Ends sessions, writes a checkpoint and waits for the exit. May be called again. */
  stop(): Promise<void>;
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
}): Promise<EmbeddedPostgres & { ended: Promise<unknown> }> {
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
