import { chownSync, mkdtempSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { basename, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { syncFolder } from '../../platform/data-dir.ts';
import { type Account, CLUSTER_USER, type Cluster, EmbeddedPostgresError, folderAsSeenBy } from './cluster.ts';
import { continueSuspended, readPostmasterFile, signal, spawnWatched, type WatchedProcess } from './processes.ts';

const partialPrefix = (cluster: Cluster): string => `${basename(cluster.folder)}.initdb-`;

/** Removes the folders of initdb runs that were killed. The caller must hold the start lock. */
export function removePartialClusters(cluster: Cluster): void {
  for (const entry of readdirSync(cluster.root)) {
    if (entry.startsWith(partialPrefix(cluster))) {
      rmSync(join(cluster.root, entry), { recursive: true, force: true, maxRetries: 5 });
    }
  }
}

/** Creates the cluster under a temporary name and renames it, so that the final name never holds a partial cluster. */
export async function initializeCluster(options: {
  cluster: Cluster;
  account: Account;
  initdb: string;
  onSpawn: (() => void) | undefined;
}): Promise<void> {
  const { cluster, account, initdb, onSpawn } = options;
  const folder = mkdtempSync(join(cluster.root, partialPrefix(cluster)));
  try {
    if (account.uid !== undefined && account.gid !== undefined) chownSync(folder, account.uid, account.gid);
    const child = spawnWatched({
      command: initdb,
      args: [
        ...['-D', folderAsSeenBy(account, folder)],
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
    renameSync(folder, cluster.folder);
    // Without this, a power failure could undo the rename and lose rows acknowledged since.
    await syncFolder(cluster.root);
  } catch (error) {
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
    throw error;
  }
}

/** Crash recovery replays up to max_wal_size, which takes a minute on a slow disk. */
const START_LIMIT_MS = 120_000;
const POLL_MS = 5;

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

export interface Postmaster {
  /** Its process id. */
  readonly pid: number;
  /** Resolves with the last log lines when the postmaster exits unexpectedly; stays pending after `stop`. */
  readonly exited: Promise<string>;
  /** Resolves however the postmaster ended. */
  readonly ended: Promise<unknown>;
  /** Ends sessions, writes a checkpoint and waits for the exit. May be called again. */
  stop(): Promise<void>;
}

export async function startPostmaster(options: {
  postgres: string;
  cluster: Cluster;
  account: Account;
  socketFolder: string;
  settings: Record<string, string>;
  onSpawn: (() => void) | undefined;
}): Promise<Postmaster> {
  const { postgres, cluster, account, socketFolder } = options;
  const settings = { ...SMALL_MACHINE_SETTINGS, ...options.settings, ...fixedSettings(cluster, socketFolder) };
  const child = spawnWatched({
    command: postgres,
    args: [
      '-D',
      folderAsSeenBy(account, cluster.folder),
      ...Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]),
    ],
    account,
    cwd: cluster.folder,
  });
  options.onSpawn?.();
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
    await sleep(POLL_MS);
  }
  child.interrupt();
  const reason = end ?? `was not ready after ${START_LIMIT_MS / 1000} seconds`;
  throw new EmbeddedPostgresError(
    `the database in ${cluster.root} (DATA_DIR) did not start: it ${reason}\n${child.log()}`,
  );
}

function superviseFrom(child: WatchedProcess, cluster: Cluster, pid: number): Postmaster {
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
    exited,
    ended: child.ended,
    async stop() {
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
