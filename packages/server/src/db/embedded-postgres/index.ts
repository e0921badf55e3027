/** Runs PostgreSQL 18 as a child that cannot outlive this process. */

import fs from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { makeDataDir, syncFolder } from '../../platform/data-dir.ts';
import type { Logger } from '../../platform/log.ts';
import { copyName, locatePackage, type PostgresPackage, prepareBinaries, SYSTEM_CACHE } from './binaries.ts';
import {
  type Account,
  CLUSTER_USER,
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
  WORKING_FOLDER,
} from './cluster.ts';
import { occupy, withStartLock } from './locks.ts';
import {
  acceptsConnections,
  continueSuspended,
  findOccupant,
  readPostmasterFile,
  removeStaleLockFiles,
  signal,
  spawnWatched,
  type WatchedProcess,
} from './processes.ts';

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

const partialPrefix = (cluster: Cluster): string => `${path.basename(cluster.folder)}.initdb-`;

/**
 * Removes the folders of initdb runs and copies that were killed, and copies of programs of other versions. The caller must hold the
 * start lock.
 */
function removeLeftovers(cluster: Cluster, installed: PostgresPackage): void {
  for (const entry of fs.readdirSync(cluster.root)) {
    const isOldCopy = /^postgres-\d/.test(entry) && entry !== copyName(installed);
    if (entry.startsWith(partialPrefix(cluster)) || isOldCopy) {
      fs.rmSync(path.join(cluster.root, entry), { recursive: true, force: true, maxRetries: 5 });
    }
  }
}

interface Start {
  readonly cluster: Cluster;
  readonly account: Account;
  /** The account can enter DATA_DIR. */
  readonly isReachable: boolean;
  /** Called when a process was started, and there is nothing to do but wait for it. */
  readonly onSpawn: (() => void) | undefined;
}

/** Creates the cluster under a temporary name and renames it, so that the final name never holds a partial cluster. */
async function initializeCluster({ cluster, account, isReachable, onSpawn }: Start, initdb: string): Promise<void> {
  const folder = fs.mkdtempSync(path.join(cluster.root, partialPrefix(cluster)));
  try {
    if (account.uid !== undefined && account.gid !== undefined) fs.chownSync(folder, account.uid, account.gid);
    const child = spawnWatched({
      command: initdb,
      args: [
        ...['-D', isReachable ? folder : WORKING_FOLDER],
        ...['-U', CLUSTER_USER, '--auth-local=trust', '--auth-host=reject'],
        ...['-E', 'UTF8', '--locale=C', '--locale-provider=builtin', '--builtin-locale=C.UTF-8'],
        ...['--data-checksums', '--no-instructions'],
        // Marks an initdb whose parent died as an occupant, so that its folder is not removed while it still writes.
        ...['-c', `cluster_name=${cluster.name}`],
      ],
      account,
      cwd: folder,
    });
    onSpawn?.();
    const { how, succeeded } = await child.ended;
    if (!succeeded) {
      throw new EmbeddedPostgresError(
        `could not create a database in ${cluster.root} (DATA_DIR): initdb ${how}\n${child.log()}`,
      );
    }
    // rename() replaces an empty folder but fails for one with content.
    fs.renameSync(folder, cluster.folder);
    // Without this, a power failure could undo the rename and lose rows acknowledged since.
    await syncFolder(cluster.root);
  } catch (error) {
    fs.rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
    throw error;
  }
}

/** Crash recovery replays up to max_wal_size, which takes a minute on a slow disk. */
const START_LIMIT_MS = 120_000;
const START_POLL_MS = 5;

/** For a small machine shared with the service. Settings whose default fits are not listed. */
const SMALL_MACHINE_SETTINGS: Record<string, string> = {
  shared_buffers: '64MB',
  max_connections: '100',
  huge_pages: 'off',
  // Our queries are short: compiling them costs more than it saves.
  jit: 'off',
  // Saves three processes; read-ahead by workers only helps with data larger than memory.
  io_method: 'sync',
  // Online backups need the WAL of everything. Nothing replicates from this cluster.
  wal_level: 'replica',
  max_wal_senders: '0',
  max_logical_replication_workers: '0',
  wal_compression: 'on',
  max_wal_size: '1GB',
  autovacuum: 'on',
  timezone: 'UTC',
  log_timezone: 'UTC',
  log_min_messages: 'warning',
  log_checkpoints: 'off',
  // Statements may contain personal data.
  log_min_error_statement: 'panic',
};

/** Callers cannot override these: acknowledged rows are on disk, and only the socket's folder gives access. */
const fixedSettings = (cluster: Cluster, socketFolder: string): Record<string, string> => ({
  fsync: 'on',
  full_page_writes: 'on',
  listen_addresses: '',
  unix_socket_directories: socketFolder,
  unix_socket_permissions: '0700',
  port: '5432',
  cluster_name: cluster.name,
});

async function startPostmaster(
  { cluster, account, isReachable, onSpawn }: Start,
  postgres: string,
  settings: Readonly<Record<string, string>>,
) {
  const child = spawnWatched({
    command: postgres,
    args: [
      '-D',
      isReachable ? cluster.folder : WORKING_FOLDER,
      ...Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]),
    ],
    account,
    cwd: cluster.folder,
  });
  onSpawn?.();
  const pid = await untilReady(child, cluster);
  child.keepServerLinesOnly();
  return superviseFrom(child, cluster, pid);
}

/** Polls the postmaster's state file, as pg_ctl does, because settings and locale do not affect it. */
async function untilReady(child: WatchedProcess, cluster: Cluster): Promise<number> {
  const deadline = Date.now() + START_LIMIT_MS;
  let end: string | null = null;
  void child.ended.then(({ how }) => {
    end = how;
  });
  while (end === null && Date.now() < deadline) {
    const file = readPostmasterFile(cluster);
    if (file?.status === 'ready') return file.pid;
    await sleep(START_POLL_MS);
  }
  child.interrupt();
  const reason = end ?? `was not ready after ${START_LIMIT_MS / 1000} seconds`;
  throw new EmbeddedPostgresError(
    `the database in ${cluster.root} (DATA_DIR) did not start: it ${reason}\n${child.log()}`,
  );
}

function superviseFrom(child: WatchedProcess, cluster: Cluster, pid: number) {
  let isStopping = false;
  let hasEnded = false;
  const exited = new Promise<string>((resolve) => {
    void child.ended.then(({ how }) => {
      hasEnded = true;
      if (!isStopping) resolve(`the database (pid ${pid}) ${how}\n${child.log()}`.trim());
    });
  });
  return {
    pid,
    /** Resolves with the last log lines when the postmaster exits unexpectedly; stays pending after `stop`. */
    exited,
    /** Resolves however the postmaster ended. */
    ended: child.ended,
    /** Ends sessions, writes a checkpoint and waits for the exit. May be called again. */
    async stop(): Promise<void> {
      isStopping = true;
      // The watchdog then sends SIGINT, which PostgreSQL calls a fast shutdown.
      child.interrupt();
      // In case the guard was killed.
      if (!hasEnded) signal(pid, 'SIGINT');
      continueSuspended(cluster);
      await child.ended;
    },
  };
}

/** Processes that a dead parent left are stopped within this time, by force if necessary. */
const VACANCY_WAIT_MS = 10_000;
/** How long a command waits for a server that is just starting. */
const READY_WAIT_MS = 10_000;
const READY_POLL_MS = 50;

export type EmbeddedPostgres = Omit<Awaited<ReturnType<typeof startVacant>>, 'ended'>;

/** Starts PostgreSQL on DATA_DIR/pg18, which it creates if necessary. It exits with this process, however that ends. */
export async function startEmbeddedPostgres(options: {
  dataDir: string;
  waitMs?: number;
  settings?: Record<string, string>;
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
        const account = chooseAccount(cluster);
        const start = { cluster, account, isReachable: letThrough(account, cluster.root), onSpawn };
        const { ended, ...postgres } = await startVacant(start, installed, settings);
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

async function startVacant(start: Start, installed: PostgresPackage, settings: Readonly<Record<string, string>>) {
  const { cluster, account, isReachable } = start;
  const { initdb, postgres } = prepareBinaries(installed, account, isReachable ? cluster.root : SYSTEM_CACHE);
  removeLeftovers(cluster, installed);
  if (!isInitialized(cluster)) await initializeCluster(start, initdb);
  const socketFolder = prepareSocketFolder(cluster, account, isReachable);
  removeStaleLockFiles(cluster, socketFolder);
  const allSettings = { ...SMALL_MACHINE_SETTINGS, ...settings, ...fixedSettings(cluster, socketFolder) };
  const postmaster = await startPostmaster(start, postgres, allSettings);
  // For `pg`: trust on a socket in a folder of mode 0700, never TCP.
  return { connection: connectionTo(socketFolder), ...postmaster };
}

/** The connection to the database of a server that runs on this DATA_DIR; null when none does. */
export async function findRunningPostgres(dataDir: string): Promise<Connection | null> {
  if (!fs.existsSync(dataDir)) return null;
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
