import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { open, rm } from 'node:fs/promises';
import { constants } from 'node:os';
import { extname, join, relative } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import type { Isolation } from '../../platform/isolation.ts';
import type { Logger } from '../../platform/log.ts';
import type { Choice, Chosen } from './engine/choose.ts';
import { CHILD_HEAP_MB, type RefusalCode, type WorkLimits } from './limits.ts';
import type { PictureSource, Shape } from './pictures.ts';
import type { Trim } from './plan.ts';
import type { Inspected, TranscodedTake } from './take.ts';

/** The unit of CPU time in /proc, on every architecture. */
const TICK_MS = 10;
/** Positions after the command's name: user and system time, then those of children that have ended. */
const TIMES = [11, 12, 13, 14];

/** CPU time of a process and its descendants, dead ones included. 0 without Linux's /proc. */
function cpuTimeMs(pid: number): number {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, 'latin1')
      .replace(/^.*\) /s, '')
      .split(' ');
    const own = TIMES.reduce((sum, at) => sum + Number(fields[at]), 0) * TICK_MS;
    const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'latin1').split(' ').filter(Boolean);
    return children.reduce((sum, child) => sum + cpuTimeMs(Number(child)), own);
  } catch {
    // It has just ended: its parent has counted it, or will.
    return 0;
  }
}

// Runs a command with resource limits. Standard input is a pipe to this process: when this process ends, even by kill -9,
// the kernel closes the pipe and the guard kills the process group. The environment is dropped, because it contains the
// service's secrets. On Linux, `nice` counts only within a session, so `autogroup` sets the priority of this new session.
// `ulimit -d` limits private writable memory on Linux; where it is unsupported, memory stays unlimited.
const GUARD = `
exec 3<&0
[ "$3" -eq 0 ] || echo "$3" 2>/dev/null >/proc/$$/autogroup
ulimit -c 0
ulimit -t "$1"
ulimit -f "$2"
ulimit -d "$4" 2>/dev/null
niceness=$3
shift 4
env -i PATH="$PATH" LC_ALL=C TZ=UTC MALLOC_ARENA_MAX=2 nice -n "$niceness" "$@" 3<&- </dev/null &
command=$!
{
  while read -r _; do :; done
  kill -KILL 0
} <&3 >/dev/null 2>&1 &
guard=$!
exec 3<&-
wait "$command"
status=$?
kill -KILL "$guard"
exit "$status"
`;

/** The unit of `ulimit -f` in POSIX. */
const BLOCK_BYTES = 512;
const KILOBYTE = 1024;
const STDERR_KEPT = 2_000;
/** Far above the progress lines of any job; more means that the child is broken. */
const MAX_LINES = 10_000;
const SIGNALS_FROM = 128;
const CPU_SAMPLE_MS = 250;

interface ProcessResult {
  /** As in a shell: 128 plus the signal number after a signal. */
  readonly status: number;
  readonly stderr: string;
}

interface GuardedOptions {
  readonly command: string;
  readonly args: readonly string[];
  /** The only folder that the command can write, if this machine can isolate it. */
  readonly cwd: string;
  readonly isolation: Isolation;
  readonly cpuS: number;
  readonly fileBytes: number;
  /** Per process of the group. */
  readonly memoryBytes: number;
  readonly niceness: number;
  readonly timeoutMs: number;
  readonly signal?: AbortSignal | undefined;
  onLine(line: string): void;
  /** CPU time of the whole group so far; on Linux only. */
  onCpuTime?: ((ms: number) => void) | undefined;
}

/** Rejects on abort and timeout. Any other exit resolves with its status. */
export async function runGuarded(options: GuardedOptions): Promise<ProcessResult> {
  const { isolation, cwd } = options;
  await isolation.handOver(cwd);
  return start(options, isolation.wrap([options.command, ...options.args]));
}

function start(options: GuardedOptions, command: readonly string[]): Promise<ProcessResult> {
  const { cwd, cpuS, fileBytes, memoryBytes, niceness, timeoutMs, signal } = options;
  signal?.throwIfAborted();
  return new Promise((resolve, reject) => {
    const [blocks, kilobytes] = [Math.ceil(fileBytes / BLOCK_BYTES), Math.ceil(memoryBytes / KILOBYTE)];
    const limits = [cpuS, blocks, niceness, kilobytes].map(String);
    const child = spawn('/bin/sh', ['-c', GUARD, 'foreword-guard', ...limits, ...command], {
      cwd,
      // A new process group, to be killed as a whole.
      detached: true,
      stdio: ['pipe', 'pipe', 'pipe'],
    });
    let stopped: { reason: unknown } | undefined;
    const killAll = (): void => killGroup(child.pid);
    const stop = (reason: unknown): void => {
      stopped ??= { reason };
      killAll();
    };
    const timer = setTimeout(() => stop(new Error(`timed out after ${timeoutMs} ms`)), timeoutMs);
    let cpuMs = 0;
    const sampling = setInterval(() => {
      // While a process passes its time on to its parent, a sample may miss it.
      cpuMs = Math.max(cpuMs, child.pid === undefined ? 0 : cpuTimeMs(child.pid));
      if (stopped === undefined) options.onCpuTime?.(cpuMs);
    }, CPU_SAMPLE_MS);
    const onAbort = (): void => stop(signal?.reason);
    signal?.addEventListener('abort', onAbort);
    // The pipe breaks when the shell exits first.
    child.stdin.on('error', () => undefined);
    let stderr = '';
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      stderr = (stderr + text).slice(-STDERR_KEPT);
    });
    let lines = 0;
    createInterface({ input: child.stdout }).on('line', (line) => {
      lines += 1;
      if (lines > MAX_LINES) stop(new Error('too many lines of output'));
      else if (stopped === undefined) options.onLine(line);
    });
    // The children of a killed shell survive and keep the pipes open.
    child.once('exit', killAll);
    const settle = (work: () => void): void => {
      clearTimeout(timer);
      clearInterval(sampling);
      signal?.removeEventListener('abort', onAbort);
      work();
    };
    child.once('error', (error) => settle(() => reject(error)));
    child.once('close', (code, name) => {
      const status = code ?? SIGNALS_FROM + constants.signals[name ?? 'SIGKILL'];
      settle(() => (stopped === undefined ? resolve({ status, stderr: stderr.trim() }) : reject(stopped.reason)));
    });
  });
}

function killGroup(leader: number | undefined): void {
  if (leader === undefined) return;
  try {
    process.kill(-leader, 'SIGKILL');
  } catch {
    // The group has already ended.
  }
}

/** The only argument of the media process. It contains no personal data, because other users can list arguments. */
export type MediaJob =
  /** Tries whether the process can start at all. */
  | { readonly kind: 'start'; readonly into: string }
  | { readonly kind: 'choose'; readonly ffmpegPath: string | null; readonly into: string }
  | {
      readonly kind: 'take';
      readonly choice: Choice;
      readonly file: string;
      readonly into: string;
      readonly trim: Trim | null;
    }
  | { readonly kind: 'preview'; readonly choice: Choice; readonly file: string; readonly into: string }
  | ({
      readonly kind: 'picture';
      readonly choice: Choice;
      readonly file: string;
      readonly into: string;
      readonly shape: Shape;
    } & Pick<PictureSource, 'demuxer' | 'orient'>);

/** One line of JSON on standard output. The last line is an outcome. */
export type Report =
  | { readonly kind: 'progress'; readonly percent: number }
  | ({ readonly kind: 'inspected' } & Inspected)
  | Outcome;

export type Outcome =
  | { readonly kind: 'chosen'; readonly chosen: Chosen }
  | { readonly kind: 'take'; readonly result: TranscodedTake }
  | { readonly kind: 'start' | 'preview' | 'picture' }
  | { readonly kind: 'refused'; readonly code: RefusalCode }
  | { readonly kind: 'failed'; readonly message: string };

interface RunOptions {
  readonly timeoutMs: number;
  readonly signal?: AbortSignal;
  readonly onProgress?: (percent: number) => void;
  readonly onInspected?: (inspected: Inspected) => void;
  readonly onCpuTime?: (ms: number) => void;
}

/** In the npm package, it is JavaScript like this file. */
export const CHILD = fileURLToPath(new URL(`media.child${extname(import.meta.url)}`, import.meta.url));
/** Shell exit statuses of SIGABRT, SIGSEGV, SIGXCPU and SIGXFSZ: a hostile file can cause each of them. */
const CRASH_STATUSES = new Set([128 + 6, 128 + 11, 128 + 24, 128 + 25]);

/** An operator or a shutdown ends the child with one of these signals; no file can cause them. */
const INTERRUPTED_STATUSES = new Set([128 + 1, 128 + 2, 128 + 15]);

/** The process received a signal to stop; the file is not at fault. */
export class EncoderInterrupted extends Error {}

type JobRunner = (job: MediaJob, options: RunOptions) => Promise<Outcome>;

/** The isolated process cannot read OpenSSL's settings, without which Node would not start. */
export const NODE_FLAGS = [`--max-old-space-size=${CHILD_HEAP_MB}`, '--openssl-config=/dev/null'];

/** With paths as the process sees them: the folders above its own may be closed to its user. */
function inFolder(job: MediaJob): MediaJob {
  if (!('file' in job)) return { ...job, into: '.' };
  const file = relative(job.into, job.file);
  if (file.startsWith('..')) throw new Error('the file of a job must be in its folder');
  return { ...job, into: '.', file };
}

/** Runs each job in its own process, isolated and with resource limits. */
export function createJobRunner(log: Logger, limits: WorkLimits, findIsolation: () => Promise<Isolation>): JobRunner {
  async function runChild(job: MediaJob, { onProgress, onInspected, ...options }: RunOptions): Promise<Outcome> {
    let outcome: Outcome | undefined;
    let isInspected = false;
    const { status, stderr } = await runGuarded({
      command: process.execPath,
      args: [...NODE_FLAGS, CHILD, JSON.stringify(inFolder(job))],
      cwd: job.into,
      isolation: await findIsolation(),
      ...limits,
      // These jobs are short, and the first take or a person waits for them.
      ...(job.kind === 'choose' || job.kind === 'picture' ? { niceness: 0 } : {}),
      ...options,
      onLine: (line) => {
        const report = JSON.parse(line) as Report;
        if (report.kind === 'progress') onProgress?.(report.percent);
        else if (report.kind === 'inspected') {
          isInspected = true;
          onInspected?.(report);
        } else outcome = report;
      },
    });
    if (stderr !== '') log.debug({ job: job.kind, stderr }, 'media child');
    if (outcome !== undefined) return outcome;
    if (job.kind === 'take' && !isInspected && CRASH_STATUSES.has(status)) return { kind: 'refused', code: 'broken' };
    const why = `the media process exited with ${status}: ${stderr.slice(-500)}`;
    throw INTERRUPTED_STATUSES.has(status) ? new EncoderInterrupted(why) : new Error(why);
  }

  /** Throws when the job fails; if the disk is full, throws the disk's error instead. */
  return async (job, options) => {
    try {
      const outcome = await runChild(job, options);
      if (outcome.kind === 'failed') throw new Error(outcome.message);
      return outcome;
    } catch (failure) {
      options.signal?.throwIfAborted();
      await requireFreeSpace(job.into, failure);
      throw failure;
    }
  };
}

/** Larger than any single write of the encoder. Random bytes, because some file systems store zeros without using space. */
const PROBE_BYTES = 4 * 1024 * 1024;
export const SPACE_PROBE = 'space-probe';

/**
 * Call it after a failure. FFmpeg reports a full disk as a broken file, or not at all; if a probe file cannot be written,
 * this throws the system's error with the original failure as its cause.
 */
async function requireFreeSpace(folder: string, failure: unknown): Promise<void> {
  const path = join(folder, SPACE_PROBE);
  try {
    const file = await open(path, 'w');
    try {
      await file.writeFile(randomBytes(PROBE_BYTES));
      // Some file systems report a full disk only when flushing.
      await file.sync();
    } finally {
      await file.close();
    }
  } catch (fault) {
    throw fault instanceof Error ? Object.assign(fault, { cause: failure }) : fault;
  } finally {
    await rm(path, { force: true });
  }
}
