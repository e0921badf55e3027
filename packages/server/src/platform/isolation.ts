/** Runs a command without access to other files or the network. */

import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { chown, readdir, realpath } from 'node:fs/promises';
import path from 'node:path';
import { CHILD_ENVIRONMENT } from './process.ts';

// A seccomp filter as the kernel reads it: an array of `struct sock_filter` (u16 code, u8 jt, u8 jf, u32 k).

/**
 * Landlock restricts none of these. Denied: sockets, io_uring (which can open sockets without that call), reading other
 * processes, leaving the process group that the guard kills, links and devices that the service would follow in the
 * output, and changes to modes, owners, times and attributes of files of the same user.
 */
const DENIED: Readonly<Record<string, readonly [x64: number | null, arm64: number | null]>> = {
  socket: [41, 198],
  io_uring_setup: [425, 425],
  ptrace: [101, 117],
  process_vm_readv: [310, 270],
  process_vm_writev: [311, 271],
  setpgid: [109, 154],
  setsid: [112, 157],
  symlink: [88, null],
  symlinkat: [266, 36],
  link: [86, null],
  linkat: [265, 37],
  mknod: [133, null],
  mknodat: [259, 33],
  truncate: [76, 45],
  chmod: [90, null],
  fchmod: [91, 52],
  fchmodat: [268, 53],
  fchmodat2: [452, 452],
  chown: [92, null],
  fchown: [93, 55],
  lchown: [94, null],
  fchownat: [260, 54],
  utime: [132, null],
  utimes: [235, null],
  utimensat: [280, 88],
  futimesat: [261, null],
  setxattr: [188, 5],
  lsetxattr: [189, 6],
  fsetxattr: [190, 7],
  removexattr: [197, 14],
  lremovexattr: [198, 15],
  fremovexattr: [199, 16],
  setxattrat: [463, 463],
  removexattrat: [466, 466],
};

const numbers = (index: 0 | 1): number[] => Object.values(DENIED).flatMap((pair) => pair[index] ?? []);

/** For each architecture: AUDIT_ARCH_… of the kernel, the number of prctl, and those of the denied system calls. */
const ARCHITECTURES: Readonly<Record<string, { audit: number; prctl: number; denied: readonly number[] }>> = {
  x64: { audit: 0xc000003e, prctl: 157, denied: numbers(0) },
  arm64: { audit: 0xc00000b7, prctl: 167, denied: numbers(1) },
};

const [LOAD, JUMP_IF_EQUAL, JUMP_IF_AT_LEAST, RETURN] = [0x20, 0x15, 0x35, 0x06] as const;
const [NUMBER_AT, ARCHITECTURE_AT] = [0, 4] as const;
const [ALLOW, KILL, REFUSE] = [0x7fff0000, 0x80000000, 0x00050001] as const;
/** Calls of the x32 ABI have other numbers. */
const X32 = 0x40000000;

/** `equal` and `other`: how many of the next instructions to skip. */
const instruction = (code: number, k: number, equal = 0, other = 0): Buffer => {
  const bytes = Buffer.alloc(8);
  bytes.writeUInt16LE(code, 0);
  bytes.writeUInt8(equal, 2);
  bytes.writeUInt8(other, 3);
  bytes.writeUInt32LE(k >>> 0, 4);
  return bytes;
};

/**
 * In hexadecimal, and with the number of prctl, which the program that applies it needs. It refuses the denied calls with EPERM; a
 * call of another architecture ends the process. Undefined for an architecture whose numbers are not listed here.
 */
function makeFilter(architecture: string) {
  const known = ARCHITECTURES[architecture];
  if (known === undefined) return undefined;
  const { audit, prctl, denied } = known;
  const checks = denied.map((call, index) => instruction(JUMP_IF_EQUAL, call, denied.length - index, 0));
  const code = [
    instruction(LOAD, ARCHITECTURE_AT),
    instruction(JUMP_IF_EQUAL, audit, 1, 0),
    instruction(RETURN, KILL),
    instruction(LOAD, NUMBER_AT),
    instruction(JUMP_IF_AT_LEAST, X32, denied.length + 1, 0),
    ...checks,
    instruction(RETURN, ALLOW),
    instruction(RETURN, REFUSE),
  ];
  return { prctl, code: Buffer.concat(code).toString('hex') };
}

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
/** A slow start must not lead to less isolation: on a machine that has just booted, one of Node may take many seconds. */
const TRIAL_MS = 60_000;
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
  [true, false].flatMap((files) => (isRoot ? [true, false] : [false]).map((account) => ({ files, account })));

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
