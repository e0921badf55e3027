import { accessSync, chownSync, constants, statSync, truncateSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import { ownerFor } from '../../platform/process.ts';
import { type Cluster, EmbeddedPostgresError } from './cluster.ts';
import { type ClusterProcess, findOccupant, findProcessesOf, isVerified, type Occupant, signal } from './processes.ts';

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
  const file = join(cluster.root, START_LOCK);
  const lock = open(file);
  while (!tryLock(lock, file)) {
    if (Date.now() > deadline) {
      lock.close();
      throw new EmbeddedPostgresError(`another process is starting the database in ${cluster.root} (DATA_DIR)`);
    }
    await sleep(RETRY_MS);
  }
  return lock;
}

interface InstanceLock {
  /** May be called again. */
  release(): void;
}

/** Null when the process that started the database of this cluster is still running. */
export function tryInstanceLock(cluster: Cluster): InstanceLock | null {
  const file = join(cluster.root, INSTANCE_LOCK);
  const lock = open(file);
  if (tryLock(lock, file)) return { release: () => void (lock.isOpen && lock.close()) };
  lock.close();
  return null;
}

function open(file: string): DatabaseSync {
  try {
    const found = statSync(file, { throwIfNoEntry: false });
    // SQLite opens a file that it cannot write as read-only, and such a database cannot be locked.
    if (found !== undefined) accessSync(file, constants.W_OK);
    // SQLite refuses to lock a file that is not a database. We never write to it, but a damaged disk or a restore may.
    if (found !== undefined && found.size > 0) truncateSync(file);
    const lock = new DatabaseSync(file, { timeout: 0 });
    const owner = ownerFor(dirname(file));
    if (owner !== null) chownSync(file, owner.uid, owner.gid);
    return lock;
  } catch (error) {
    throw notWritable(file, error);
  }
}

function tryLock(lock: DatabaseSync, file: string): boolean {
  try {
    lock.exec('begin exclusive');
    return true;
  } catch (error) {
    if (error instanceof Error && 'errcode' in error && error.errcode === SQLITE_BUSY) return false;
    lock.close();
    throw notWritable(file, error);
  }
}

const notWritable = (file: string, cause: unknown): EmbeddedPostgresError =>
  new EmbeddedPostgresError(
    `cannot write to ${file} (DATA_DIR): ${(cause as Error).message}. Give DATA_DIR and everything in it to the user of the service`,
    { cause },
  );

const POLL_MS = 25;
/** A fast shutdown ends sessions and writes a checkpoint, which takes longer than this only on a very slow disk. */
const IMMEDIATE_AFTER_MS = 4_000;
/** An immediate shutdown only has to end the processes. One that is suspended or stuck in the kernel does not react. */
const KILL_AFTER_MS = 7_000;
/** Children notice the death of their postmaster at once, unless they are busy or suspended. */
const KILL_CHILDREN_AFTER_MS = 1_000;

/**
 * Waits until no process uses the cluster, and returns the instance lock. Its holder knows that the process which started the
 * postmaster is dead, so what still runs is an orphan and is stopped. The caller must hold the start lock.
 */
export async function occupy(cluster: Cluster, deadline: number): Promise<InstanceLock> {
  let lock: InstanceLock | null = null;
  let lockedAt = 0;
  for (;;) {
    if (lock === null) {
      lock = tryInstanceLock(cluster);
      lockedAt = Date.now();
    }
    const occupant = await findOccupant(cluster);
    if (lock !== null && occupant === null) return lock;
    if (Date.now() > deadline) {
      lock?.release();
      throw new EmbeddedPostgresError(refusal(cluster, occupant));
    }
    if (lock !== null) stopOrphans(cluster, Date.now() - lockedAt);
    await sleep(POLL_MS);
  }
}

function refusal(cluster: Cluster, occupant: Occupant | null): string {
  const place = `${cluster.root} (DATA_DIR) is in use by another`;
  if (occupant === null) return `${place} instance, which is starting or stopping`;
  const { pid, kind } = occupant;
  if (pid === null) return `${place} instance, whose database answers from another container`;
  if (kind === 'foreign')
    return `${place} program: PostgreSQL with pid ${pid}, which Foreword did not start. End it first`;
  return `${place} instance, whose database has pid ${pid}`;
}

function stopOrphans(cluster: Cluster, elapsedMs: number): void {
  const living = findProcessesOf(cluster);
  // A postmaster that we did not start has children too.
  if (living.some(({ kind }) => kind === 'foreign')) return;
  const hasPostmaster = living.some(({ kind }) => kind === 'postmaster');
  for (const one of living.filter((each) => isVerified(cluster, each))) {
    const name = signalFor(one, hasPostmaster, elapsedMs);
    // If it does not end, the deadline passes and the error names it.
    if (name !== null) signal(one.pid, name);
    // A suspended process reacts to nothing else but SIGKILL.
    signal(one.pid, 'SIGCONT');
  }
}

function signalFor({ kind }: ClusterProcess, hasPostmaster: boolean, elapsedMs: number): NodeJS.Signals | null {
  if (elapsedMs >= KILL_AFTER_MS) return 'SIGKILL';
  if (kind === 'postmaster') return elapsedMs >= IMMEDIATE_AFTER_MS ? 'SIGQUIT' : 'SIGINT';
  // Without its postmaster, what a child still does is discarded by crash recovery.
  return kind === 'child' && !hasPostmaster && elapsedMs >= KILL_CHILDREN_AFTER_MS ? 'SIGKILL' : null;
}
