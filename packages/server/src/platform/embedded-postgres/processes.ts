import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { basename, join } from 'node:path';
import { type Cluster, EmbeddedPostgresError } from './cluster.ts';
import { WATCHDOG_NAME } from './watched-process.ts';

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

/** A suspended process reacts to no signal that would shut it down, and the postmaster waits for its children. */
export function continueSuspended(cluster: Cluster): void {
  for (const one of findProcessesOf(cluster).filter((each) => isVerified(cluster, each))) {
    try {
      process.kill(one.pid, 'SIGCONT');
    } catch {
      // It has ended, or belongs to another user.
    }
  }
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
