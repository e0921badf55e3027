/** Runs a command without access to other files or the network. */

import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { chown, readdir, realpath } from 'node:fs/promises';
import path from 'node:path';
import { CHILD_ENVIRONMENT } from './embedded-postgres/account.ts';
import { makeFilter } from './isolation/filter.ts';

// Runs commands that open files of strangers with as few rights as the machine allows. Landlock limits the files, seccomp
// forbids the network; neither needs privileges or namespaces, so both work in a container without capabilities.

export interface Isolation {
  /** One line for the log and for `foreword doctor`. */
  readonly description: string;
  /** Neither other files nor the network are reachable, and root's children are another user. */
  readonly isComplete: boolean;
  /** The command as it has to be started, in `folder`: the only one it can write. */
  wrap(command: readonly string[]): readonly string[];
  /** Gives the files of a folder to the user that runs the command. */
  handOver(folder: string): Promise<void>;
}

/** Reserved in Debian and unused by systemd: no file and no other process belongs to it. */
const ACCOUNT = { uid: 65_533, gid: 65_533 } as const;
/** Programs and libraries, but nothing in which services keep data. */
const SYSTEM = [
  ...['/bin', '/sbin', '/lib', '/lib32', '/lib64', '/usr/bin', '/usr/sbin', '/usr/lib', '/usr/lib32', '/usr/lib64'],
  ...['/usr/local/bin', '/usr/local/lib', '/nix/store', '/gnu/store', '/etc/ld.so.cache'],
  ...['/dev/zero', '/dev/random', '/dev/urandom', '/proc/self', '/proc/meminfo', '/proc/cpuinfo', '/proc/stat'],
  ...['/sys/devices/system/cpu', '/sys/fs/cgroup'],
];
const TRIAL_MS = 10_000;
const PROGRAM = path.join(import.meta.dirname, 'isolation/isolate.pl');

interface Level {
  readonly files: boolean;
  readonly account: boolean;
}

/** Also for machines on which it is turned off. */
export const noIsolation = (reason: string): Isolation => ({
  description: `none: ${reason}`,
  isComplete: false,
  wrap: (command) => command,
  handOver: async () => undefined,
});

/**
 * Tries the strictest level first and uses the first in which `trial` succeeds, which is a command that needs everything
 * that later ones need. It runs in `folder`. `readable`: the files and folders of the program, none of its data.
 */
export async function findIsolation(options: {
  trial: readonly string[];
  readable: readonly string[];
  folder: string;
}): Promise<Isolation> {
  const { trial, readable, folder } = options;
  const filter = makeFilter(process.arch);
  if (process.platform !== 'linux' || filter === undefined)
    return noIsolation(`not available on ${process.platform}-${process.arch}`);
  const isRoot = process.getuid?.() === 0;
  let reason = '';
  for (const level of levelsFor(isRoot)) {
    const files = level.files ? 'files' : '';
    const account = level.account ? `${ACCOUNT.uid}:${ACCOUNT.gid}` : '';
    const settings = [`${filter.prctl}`, filter.code, files, account, isRoot ? 'root' : '', ...SYSTEM, ...readable];
    const isolation: Isolation = {
      description: describe(level, isRoot, reason),
      isComplete: level.files && level.account === isRoot,
      wrap: (command) => ['perl', PROGRAM, ...settings, '--', ...command],
      handOver: (given) => (level.account ? giveTo(ACCOUNT, given) : Promise.resolve()),
    };
    const failure = await attempt(isolation, trial, folder);
    if (failure === null) return isolation;
    reason ||= failure;
  }
  return noIsolation(reason);
}

const levelsFor = (isRoot: boolean): readonly Level[] =>
  isRoot
    ? [
        { files: true, account: true },
        { files: true, account: false },
        { files: false, account: true },
        { files: false, account: false },
      ]
    : [
        { files: true, account: false },
        { files: false, account: false },
      ];

function describe({ files, account }: Level, isRoot: boolean, reason: string): string {
  const parts = [
    files ? 'only their own files (Landlock)' : 'all files of their user',
    'no network (seccomp)',
    ...(isRoot ? [account ? `as user ${ACCOUNT.uid}` : 'as root without capabilities'] : []),
  ];
  return reason === '' ? parts.join(', ') : `${parts.join(', ')}; more failed: ${reason}`;
}

async function giveTo({ uid, gid }: typeof ACCOUNT, folder: string): Promise<void> {
  const names = await readdir(folder);
  for (const name of ['.', ...names]) await chown(path.join(folder, name), uid, gid);
}

/** Null: it works. Otherwise the reason, in one line. */
async function attempt(isolation: Isolation, trial: readonly string[], folder: string): Promise<string | null> {
  const [command = '', ...args] = isolation.wrap(trial);
  try {
    await isolation.handOver(folder);
  } catch (error) {
    return (error as Error).message;
  }
  return new Promise((resolve) => {
    execFile(command, args, { cwd: folder, env: CHILD_ENVIRONMENT, timeout: TRIAL_MS }, (error, _stdout, stderr) => {
      if (error === null) return resolve(null);
      if (error.code === 'ENOENT') return resolve('perl is not installed');
      const [line = ''] = stderr.trim().split('\n');
      resolve(line.replace(/^isolation failed: /, '') || `the trial ended with ${error.code ?? error.signal}`);
    });
  });
}

/** Everything that a Node program at `file` may import: sources below `folder`, package.json files and node_modules. */
export async function readableFor(folder: string): Promise<string[]> {
  const found = [process.execPath, await realpath(process.execPath), folder];
  for (let at = folder; ; at = path.dirname(at)) {
    found.push(...['package.json', 'node_modules'].map((name) => path.join(at, name)).filter(existsSync));
    if (path.dirname(at) === at) return found;
  }
}

/** Where an installed program is, with its libraries if it has its own. */
export async function readableForProgram(program: string): Promise<string[]> {
  const found = await realpath(program).catch(() => program);
  const folders = [...new Set([program, found].map((file) => path.dirname(file)))];
  const libraries = folders.flatMap((folder) => ['lib', 'lib64'].map((name) => path.join(folder, '..', name)));
  // A program outside of a `bin` may lie among data.
  return path.basename(path.dirname(found)) === 'bin' ? [...folders, ...libraries] : [program, found];
}
