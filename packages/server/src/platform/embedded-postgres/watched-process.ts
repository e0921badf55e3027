import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Account, CHILD_ENVIRONMENT } from './account.ts';

/**
 * Runs a command that cannot outlive this process. The shell's standard input is a pipe whose other end is ours; however
 * we end, kill -9 included, the kernel closes it, and the guard interrupts the command. It repeats itself because a
 * shell starts background commands with SIGINT ignored: one that came before the command's own handler would be lost.
 */
const WATCHDOG = `
exec 3<&0
"$@" 3<&- </dev/null &
command=$!
trap '' INT TERM HUP
{
  while read -r _; do :; done
  while kill -INT "$command"; do sleep 0.1; done
} <&3 >/dev/null 2>&1 &
guard=$!
exec 3<&-
wait "$command"
status=$?
kill -KILL "$guard"
exit "$status"
`;

const LOG_LINES_KEPT = 20;
/** How long after the end we wait for the last log lines: a straggling child may hold the pipe open. */
const LAST_LINES_MS = 200;
/** An ERROR is a client's, and its text may hold what the client sent; it is not ours to keep. */
const SERVER_LINE = /\b(?:LOG|FATAL|PANIC): /;

export interface WatchedProcess {
  /** How the command ended, for a message. Never rejects. */
  readonly ended: Promise<{ how: string; succeeded: boolean }>;
  log(): string;
  /** From now on only what the server says of itself is kept. */
  keepServerLinesOnly(): void;
  /** Interrupts the command, and keeps doing so until it ends. */
  interrupt(): void;
}

export function spawnWatched(options: {
  command: string;
  args: readonly string[];
  account: Account;
  cwd: string;
}): WatchedProcess {
  const { command, args, account, cwd } = options;
  const child = spawn('/bin/sh', ['-c', WATCHDOG, 'foreword-watchdog', command, ...args], {
    ...account,
    cwd,
    env: CHILD_ENVIRONMENT,
    // A session of its own: Ctrl-C reaches us, who drain first, and not the database under us.
    detached: true,
    stdio: ['pipe', 'ignore', 'pipe'],
  });
  const log = followLog(child.stderr);
  // The pipe breaks when the shell ends first; `ended` tells of that.
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
