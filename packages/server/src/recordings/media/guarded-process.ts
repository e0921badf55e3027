import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';

/**
 * A command with limits, at a low priority, that cannot outlive this process: standard input is a pipe whose other end is
 * ours, and however we end, kill -9 included, the kernel closes it and the guard kills the whole group. The environment is left
 * behind: it holds the keys of the service. Linux weighs `nice` only among the processes of a session, and this starts one of its
 * own; `autogroup` is the weight of the session itself. Data is all memory that a process may write to and shares with nobody, on
 * Linux; a system that counts less, or a shell that knows no such limit, goes without.
 */
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

/** POSIX counts the size of files in blocks of this. */
const BLOCK_BYTES = 512;
const KILOBYTE = 1024;
const STDERR_KEPT = 2_000;
/** A thousand lines of progress and the outcome. More is a child that lost its mind. */
const MAX_LINES = 10_000;
const SIGNALS_FROM = 128;

export interface Ended {
  /** As a shell counts: 128 and the number of the signal. */
  readonly status: number;
  readonly stderr: string;
}

export interface GuardedOptions {
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly cpuS: number;
  readonly fileBytes: number;
  /** For each process of the group. */
  readonly memoryBytes: number;
  readonly niceness: number;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
  onLine(line: string): void;
}

/** Rejects when it was aborted or took too long; how else it ended is for the caller to judge. */
export function runGuarded(options: GuardedOptions): Promise<Ended> {
  const { command, args, cwd, cpuS, fileBytes, memoryBytes, niceness, timeoutMs, signal } = options;
  signal.throwIfAborted();
  return new Promise((resolve, reject) => {
    const [blocks, kilobytes] = [Math.ceil(fileBytes / BLOCK_BYTES), Math.ceil(memoryBytes / KILOBYTE)];
    const limits = [cpuS, blocks, niceness, kilobytes].map(String);
    const child = spawn('/bin/sh', ['-c', GUARD, 'foreword-guard', ...limits, command, ...args], {
      cwd,
      // A group of its own, to be ended as one.
      detached: true,
      stdio: ['pipe', 'pipe', 'pipe'],
    });
    let stopped: { reason: unknown } | undefined;
    const killAll = (): void => killGroup(child.pid);
    const stop = (reason: unknown): void => {
      stopped ??= { reason };
      killAll();
    };
    const timer = setTimeout(() => stop(new Error(`no end after ${timeoutMs} ms`)), timeoutMs);
    const onAbort = (): void => stop(signal.reason);
    signal.addEventListener('abort', onAbort);
    // The pipe breaks when the shell ends first.
    child.stdin.on('error', () => undefined);
    let stderr = '';
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      stderr = (stderr + text).slice(-STDERR_KEPT);
    });
    let lines = 0;
    createInterface({ input: child.stdout }).on('line', (line) => {
      lines += 1;
      if (lines > MAX_LINES) stop(new Error('it said too much'));
      else if (stopped === undefined) options.onLine(line);
    });
    // A shell that was killed leaves its children behind, and they hold the pipes open.
    child.once('exit', killAll);
    const settle = (work: () => void): void => {
      clearTimeout(timer);
      signal.removeEventListener('abort', onAbort);
      work();
    };
    child.once('error', (error) => settle(() => reject(error)));
    child.once('close', (code) => {
      const status = code ?? SIGNALS_FROM + 9;
      settle(() => (stopped === undefined ? resolve({ status, stderr: stderr.trim() }) : reject(stopped.reason)));
    });
  });
}

function killGroup(leader: number | undefined): void {
  if (leader === undefined) return;
  try {
    process.kill(-leader, 'SIGKILL');
  } catch {
    // The group is gone already.
  }
}
