import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Cluster, EmbeddedPostgresError } from './cluster.ts';
import { possibleSocketFolders, socketIn } from './connection.ts';
import { WATCHDOG_NAME } from './watched-process.ts';

const POLL_MS = 25;

interface RunningProcess {
  readonly pid: number;
  readonly command: string;
}

/** The pid is null for a process in another container. */
interface Occupant {
  readonly pid: number | null;
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

/** Waits until no process uses the cluster: one left by a dead parent needs a moment to shut down. */
export async function waitUntilVacant(cluster: Cluster, deadline: number): Promise<void> {
  for (;;) {
    const occupant = await findOccupant(cluster);
    if (occupant === null) return;
    if (Date.now() > deadline) {
      throw new EmbeddedPostgresError(
        `${cluster.root} (DATA_DIR) is in use by another instance, whose database ${describe(occupant)}`,
      );
    }
    interruptOrphan(cluster);
    await sleep(POLL_MS);
  }
}

/** Shuts down a postmaster whose watchdog was killed together with its parent: nothing else would ever stop it. */
function interruptOrphan(cluster: Cluster): void {
  const living = processesOf(cluster, listProcesses());
  if (living.some(({ command }) => command.includes(WATCHDOG_NAME))) return;
  const orphans = living.filter(({ pid, command }) => !isChildTitle(cluster, command) && isUsing(cluster, pid));
  for (const { pid } of orphans) {
    try {
      process.kill(pid, 'SIGINT');
    } catch {
      // It has ended, or belongs to another user: then the deadline passes and the error names it.
    }
  }
}

/** A postmaster works in the cluster's folder; a program that only mentions the name in its arguments does not. */
function isUsing(cluster: Cluster, pid: number): boolean {
  try {
    const [theirs, ours] = [statSync(`/proc/${pid}/cwd`), statSync(cluster.folder)];
    return theirs.dev === ours.dev && theirs.ino === ours.ino;
  } catch {
    return false;
  }
}

const describe = ({ pid }: Occupant): string => (pid === null ? 'answers from another container' : `has pid ${pid}`);

/**
 * Finds a running process of the cluster, preferably the postmaster. postmaster.pid alone is no proof: after a crash another
 * program may have its pid. A process in another container is not listed, but its socket accepts connections.
 */
export async function findOccupant(cluster: Cluster): Promise<Occupant | null> {
  const living = processesOf(cluster, listProcesses());
  const first = living[0];
  if (first !== undefined) {
    const postmaster = readPostmasterFile(cluster)?.pid;
    return living.find(({ pid }) => pid === postmaster) ?? first;
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

/** The name is an argument of the watchdog and the postmaster, and part of the process title of the postmaster's children. */
function processesOf(cluster: Cluster, processes: RunningProcess[]): RunningProcess[] {
  return processes.filter(
    ({ command }) => command.includes(`cluster_name=${cluster.name}`) || isChildTitle(cluster, command),
  );
}

const isChildTitle = (cluster: Cluster, command: string): boolean => command.startsWith(`postgres: ${cluster.name}: `);

const listProcesses = (): RunningProcess[] =>
  process.platform === 'linux' ? listProcessesByProc() : listProcessesByPs();

function listProcessesByProc(): RunningProcess[] {
  return readdirSync('/proc')
    .filter((entry) => /^\d+$/.test(entry))
    .map((entry) => ({ pid: Number(entry), command: commandOf(entry) }));
}

/** Empty for a zombie and for a process that has ended since it was listed. */
function commandOf(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ');
  } catch {
    return '';
  }
}

/** For macOS, which has no /proc. */
function listProcessesByPs(): RunningProcess[] {
  const { stdout, error } = spawnSync('ps', ['-axww', '-o', 'pid=,command='], {
    env: { PATH: '/bin:/usr/bin' },
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
  });
  if (error) throw new EmbeddedPostgresError('cannot list processes with ps', { cause: error });
  return parsePs(stdout);
}

export function parsePs(listing: string): RunningProcess[] {
  return [...listing.matchAll(/^ *(\d+) +(.*)$/gm)].map(([, pid, command = '']) => ({ pid: Number(pid), command }));
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
