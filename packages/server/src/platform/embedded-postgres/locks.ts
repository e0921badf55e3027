import { statSync, truncateSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Cluster, EmbeddedPostgresError } from './cluster.ts';

/** Held while a process removes leftovers and starts the postmaster. */
const START_LOCK = 'postgres.lock';
/** Held by the process that started the postmaster until the postmaster or that process ends. */
const INSTANCE_LOCK = 'instance.lock';
export const LOCK_FILES = [START_LOCK, INSTANCE_LOCK];
/** SQLite's own file next to a held lock. */
const JOURNAL = '-journal';
export const LOCK_NAMES: ReadonlySet<string> = new Set(LOCK_FILES.flatMap((name) => [name, name + JOURNAL]));
const RETRY_MS = 50;
const SQLITE_BUSY = 5;

// SQLite's lock on an empty file is the only kernel lock (fcntl) that Node offers: it ends with its holder, even a killed one,
// and works across containers that share the folder. A pid file was rejected: between detecting and removing a stale one,
// another process may create it again.

/** Lets one process at a time remove leftovers and start the postmaster. */
export async function withStartLock<Result>(
  cluster: Cluster,
  deadline: number,
  work: () => Promise<Result>,
): Promise<Result> {
  const lock = await acquire(cluster, deadline);
  try {
    return await work();
  } finally {
    lock.close();
  }
}

async function acquire(cluster: Cluster, deadline: number): Promise<DatabaseSync> {
  const lock = open(cluster, START_LOCK);
  while (!tryLock(lock, cluster)) {
    if (Date.now() > deadline) {
      lock.close();
      throw new EmbeddedPostgresError(`another process is starting the database in ${cluster.root} (DATA_DIR)`);
    }
    await sleep(RETRY_MS);
  }
  return lock;
}

export interface InstanceLock {
  /** May be called again. */
  release(): void;
}

/** Null when the process that started the database of this cluster is still running. */
export function tryInstanceLock(cluster: Cluster): InstanceLock | null {
  const lock = open(cluster, INSTANCE_LOCK);
  if (tryLock(lock, cluster)) return { release: () => void (lock.isOpen && lock.close()) };
  lock.close();
  return null;
}

function open(cluster: Cluster, name: string): DatabaseSync {
  const file = join(cluster.root, name);
  try {
    // SQLite refuses to lock a file that is not a database. We never write to it, but a damaged disk or a restore may.
    if ((statSync(file, { throwIfNoEntry: false })?.size ?? 0) > 0) truncateSync(file);
    return new DatabaseSync(file, { timeout: 0 });
  } catch (error) {
    throw notWritable(cluster, error);
  }
}

function tryLock(lock: DatabaseSync, cluster: Cluster): boolean {
  try {
    lock.exec('begin exclusive');
    return true;
  } catch (error) {
    if (error instanceof Error && 'errcode' in error && error.errcode === SQLITE_BUSY) return false;
    lock.close();
    throw notWritable(cluster, error);
  }
}

const notWritable = (cluster: Cluster, cause: unknown): EmbeddedPostgresError =>
  new EmbeddedPostgresError(`cannot write to ${cluster.root} (DATA_DIR)`, { cause });
