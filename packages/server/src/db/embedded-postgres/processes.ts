import { type ChildProcessByStdio, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { connect } from 'node:net';
import { basename, join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { CHILD_ENVIRONMENT } from '../../platform/process.ts';
import { type Account, type Cluster, EmbeddedPostgresError, possibleSocketFolders, socketIn } from './cluster.ts';

// Unlike the guard of media processes, this one sets no limits and sends SIGINT, so that PostgreSQL shuts down cleanly.
// Runs a command that cannot outlive this process. The shell's standard input is a pipe from us; when we exit for any reason,
// kill -9 included, the kernel closes it and the guard interrupts the command. It repeats the signal because a shell starts
// background commands with SIGINT ignored: a signal before the command installs its handler would be lost. It stops at a
// zombie, which accepts signals forever when the shell was killed and pid 1 of a container reaps nothing.
const WATCHDOG = `
exec 3<&0
"$@" 3<&- </dev/null &
command=$!
trap '' INT TERM HUP
{
  while read -r _; do :; done
  while kill -INT "$command"; do
    sleep 0.1
    read -r _ _ state _ <"/proc/$command/stat" && [ "$state" = Z ] && break
  done
} <&3 >/dev/null 2>&1 &
guard=$!
exec 3<&-
wait "$command"
status=$?
kill -KILL "$guard"
exit "$status"
`;

/** Part of the command line of the shell and of the guard. */
const WATCHDOG_NAME = 'foreword-watchdog';
const LOG_LINES_KEPT = 20;
/** How long to wait for the last log lines after the exit: a remaining child may keep the pipe open. */
const LAST_LINES_MS = 200;
/** Excludes ERROR lines: they concern clients, and may contain what a client sent. */
const SERVER_LINE = /\b(?:LOG|FATAL|PANIC): /;

export interface WatchedProcess {
  /** How the command ended, for error messages. Never rejects. */
  readonly ended: Promise<{ how: string; succeeded: boolean }>;
  log(): string;
  /** Keeps only lines about the server itself from now on. */
  keepServerLinesOnly(): void;
  /** Interrupts the command repeatedly until it exits. */
  interrupt(): void;
}

export function spawnWatched(options: {
  command: string;
  args: readonly string[];
  account: Account;
  cwd: string;
}): WatchedProcess {
  const { command, args, account, cwd } = options;
  const child = spawn('/bin/sh', ['-c', WATCHDOG, WATCHDOG_NAME, command, ...args], {
    ...account,
    cwd,
    env: CHILD_ENVIRONMENT,
    // Its own session, so that Ctrl-C reaches only this process, which drains requests before it stops the database.
    detached: true,
    stdio: ['pipe', 'ignore', 'pipe'],
  });
  const log = followLog(child.stderr);
  // The pipe breaks when the shell exits first, which `ended` reports.
  child.stdin.on('error', () => undefined);
  return { ended: endOf(child), ...log, interrupt: () => child.stdin.end() };
}

function endOf(child: ChildProcessByStdio<Writable, null, Readable>): WatchedProcess['ended'] {
  return new Promise((resolve) => {
    child.once('error', (error) => resolve({ how: error.message, succeeded: false }));
    child.once('exit', async (code, signal) => {
      await Promise.race([once(child, 'close'), sleep(LAST_LINES_MS)]);
      resolve({ how: `ended with ${signal ?? `code ${code}`}`, succeeded: code === 0 });
    });
  });
}

function followLog(stream: Readable): Pick<WatchedProcess, 'log' | 'keepServerLinesOnly'> {
  let lines: string[] = [];
  let serverLinesOnly = false;
  createInterface({ input: stream }).on('line', (line) => {
    if (serverLinesOnly && !SERVER_LINE.test(line)) return;
    lines = [...lines.slice(1 - LOG_LINES_KEPT), line];
  });
  return {
    log: () => lines.join('\n'),
    keepServerLinesOnly: () => {
      serverLinesOnly = true;
      lines = [];
    },
  };
}

/**
 * `postmaster`: started by us; or initdb. `watchdog`: one of the two shells around it. `child`: of any postmaster of the
 * cluster. `foreign`: PostgreSQL in the cluster's folder that we did not start, for example in single-user mode.
 */
type Kind = 'postmaster' | 'watchdog' | 'child' | 'foreign';

export interface ClusterProcess {
  readonly pid: number;
  readonly kind: Kind;
  readonly command: string;
}

interface RunningProcess {
  readonly pid: number;
  readonly command: string;
}

/** Programs like psql and grep may mention the cluster's name as well. */
const IS_POSTGRES = /^(\S*\/)?postgres(:| |$)|\/postgres -D /;

/** Every process of the cluster that this process can see. */
export function findProcessesOf(cluster: Cluster): ClusterProcess[] {
  return listProcesses().flatMap(({ pid, command }) => {
    const kind = kindOf(cluster, pid, command);
    return kind === null ? [] : [{ pid, kind, command }];
  });
}

function kindOf(cluster: Cluster, pid: number, command: string): Kind | null {
  const isNamed = command.includes(`cluster_name=${cluster.name}`);
  if (isNamed && command.includes(WATCHDOG_NAME)) return 'watchdog';
  if (command.startsWith(`postgres: ${cluster.name}: `)) return 'child';
  if (!IS_POSTGRES.test(command)) return isNamed && command.includes('initdb ') ? 'postmaster' : null;
  if (isNamed) return 'postmaster';
  return worksIn([cluster.folder], pid) === true ? 'foreign' : null;
}

/** Null when the kernel does not say: for a process of another user without CAP_SYS_PTRACE, and on macOS. */
function worksIn(folders: string[], pid: number): boolean | null {
  try {
    const theirs = statSync(`/proc/${pid}/cwd`);
    const ours = folders.map((folder) => statSync(folder, { throwIfNoEntry: false }));
    return ours.some((one) => one?.dev === theirs.dev && one.ino === theirs.ino);
  } catch {
    return null;
  }
}

/** The folder of the cluster, and those of unfinished initdb runs. */
const foldersOf = ({ root, folder }: Cluster): string[] =>
  readdirSync(root)
    .filter((entry) => entry.startsWith(basename(folder)))
    .map((entry) => join(root, entry));

/** True when a process may be signaled: its command line names the cluster, and its folder and its user do not contradict. */
export function isVerified(cluster: Cluster, { pid, kind }: ClusterProcess): boolean {
  if (kind === 'foreign') return false;
  const works = worksIn(foldersOf(cluster), pid);
  if (works !== null) return works;
  try {
    return process.platform !== 'linux' || statSync(`/proc/${pid}`).uid === statSync(cluster.folder).uid;
  } catch {
    return false;
  }
}

export function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch {
    // It has ended, or belongs to another user, whose processes even root may not signal in a container.
  }
}

/** A suspended process reacts to no signal that would shut it down, and the postmaster waits for its children. */
export function continueSuspended(cluster: Cluster): void {
  for (const one of findProcessesOf(cluster).filter((each) => isVerified(cluster, each))) signal(one.pid, 'SIGCONT');
}

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
      { cause: error },
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
