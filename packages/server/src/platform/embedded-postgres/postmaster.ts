import { setTimeout as sleep } from 'node:timers/promises';
import { type Account, folderAsSeenBy } from './account.ts';
import { type Cluster, EmbeddedPostgresError } from './cluster.ts';
import { readPostmasterFile } from './occupant.ts';
import { continueSuspended } from './processes.ts';
import { spawnWatched, type WatchedProcess } from './watched-process.ts';

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

interface Postmaster {
  readonly pid: number;
  readonly exited: Promise<string>;
  /** Resolves however the postmaster ended. */
  readonly ended: Promise<unknown>;
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

/** In case the guard was killed. In a container, root may not signal another user's process. */
function interrupt(pid: number): void {
  try {
    process.kill(pid, 'SIGINT');
  } catch {
    // It has ended, or the guard has to do it.
  }
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
      if (!hasEnded) interrupt(pid);
      continueSuspended(cluster);
      await child.ended;
    },
  };
}
