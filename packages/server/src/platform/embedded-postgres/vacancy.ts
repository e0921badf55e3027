import { setTimeout as sleep } from 'node:timers/promises';
import { type Cluster, EmbeddedPostgresError } from './cluster.ts';
import { type InstanceLock, tryInstanceLock } from './locks.ts';
import { findOccupant, type Occupant } from './occupant.ts';
import { type ClusterProcess, findProcessesOf, isVerified } from './processes.ts';

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
    if (name !== null) signal(one, name);
    // A suspended process reacts to nothing else but SIGKILL.
    signal(one, 'SIGCONT');
  }
}

function signalFor({ kind }: ClusterProcess, hasPostmaster: boolean, elapsedMs: number): NodeJS.Signals | null {
  if (elapsedMs >= KILL_AFTER_MS) return 'SIGKILL';
  if (kind === 'postmaster') return elapsedMs >= IMMEDIATE_AFTER_MS ? 'SIGQUIT' : 'SIGINT';
  // Without its postmaster, what a child still does is discarded by crash recovery.
  return kind === 'child' && !hasPostmaster && elapsedMs >= KILL_CHILDREN_AFTER_MS ? 'SIGKILL' : null;
}

function signal({ pid }: ClusterProcess, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch {
    // It has ended, or belongs to another user: then the deadline passes and the error names it.
  }
}
