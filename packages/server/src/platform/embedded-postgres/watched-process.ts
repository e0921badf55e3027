import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Account, CHILD_ENVIRONMENT } from './account.ts';

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
export const WATCHDOG_NAME = 'foreword-watchdog';
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
