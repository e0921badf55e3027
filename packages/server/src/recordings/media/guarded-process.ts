import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { constants } from 'node:os';
import { createInterface } from 'node:readline';
import type { Isolation } from '../../platform/isolation.ts';

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

export interface ProcessResult {
  /** As in a shell: 128 plus the signal number after a signal. */
  readonly status: number;
  readonly stderr: string;
}

export interface GuardedOptions {
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
  readonly signal: AbortSignal;
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
  signal.throwIfAborted();
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
    const onAbort = (): void => stop(signal.reason);
    signal.addEventListener('abort', onAbort);
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
      signal.removeEventListener('abort', onAbort);
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
