import { readFileSync, rmSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { type Cluster, EmbeddedPostgresError } from './cluster.ts';
import { possibleSocketFolders, socketIn } from './connection.ts';
import { type ClusterProcess, findProcessesOf } from './processes.ts';

/** The pid is null for a process in another container. */
export interface Occupant {
  readonly pid: number | null;
  readonly kind?: ClusterProcess['kind'];
}

/** The fields of postmaster.pid. */
interface PostmasterFile {
  readonly pid: number;
  readonly socketFolder: string;
  readonly status: string;
}

const postmasterFilePath = (cluster: Cluster): string => join(cluster.folder, 'postmaster.pid');

/** Null when the file does not exist or is incomplete. */
export function readPostmasterFile(cluster: Cluster): PostmasterFile | null {
  let text: string;
  try {
    text = readFileSync(postmasterFilePath(cluster), 'utf8');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null;
    throw new EmbeddedPostgresError(
      `cannot read the database in ${cluster.root} (DATA_DIR): it belongs to another user`,
      {
        cause: error,
      },
    );
  }
  const [pid, , , , socketFolder, , , status] = text.split('\n');
  if (!/^\d+$/.test(pid ?? '') || !socketFolder || !status) return null;
  return { pid: Number(pid), socketFolder, status: status.trim() };
}

/**
 * Finds a running process of the cluster, preferably the postmaster. postmaster.pid alone is no proof: after a crash another
 * program may have its pid. A process in another container is not listed, but its socket accepts connections.
 */
export async function findOccupant(cluster: Cluster): Promise<Occupant | null> {
  const living = findProcessesOf(cluster);
  const first = living[0];
  if (first !== undefined) {
    const postmaster = readPostmasterFile(cluster)?.pid;
    return living.find(({ pid }) => pid === postmaster) ?? living.find(({ kind }) => kind === 'foreign') ?? first;
  }
  for (const folder of possibleSocketFolders(cluster)) {
    if (await acceptsConnections(folder)) return { pid: null };
  }
  return null;
}

/**
 * Removes what a killed postmaster left. PostgreSQL refuses to start when a lock file names any running process, and after
 * a crash an unrelated one may have that pid. The caller must hold the start lock, and the cluster must be vacant.
 */
export function removeStaleLockFiles(cluster: Cluster, socketFolder: string): void {
  const socket = socketIn(socketFolder);
  for (const file of [postmasterFilePath(cluster), `${socket}.lock`, socket]) {
    rmSync(file, { force: true, recursive: true });
  }
}

/** True when a postmaster listens on the socket in this folder. Its children do not keep the socket open. */
export function acceptsConnections(socketFolder: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ path: socketIn(socketFolder) });
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
    // EAGAIN: a server listens, but its queue is full.
    socket.once('error', (error) => resolve('code' in error && error.code === 'EAGAIN'));
  });
}
