import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

const RESTART_AFTER_MS = 1_000;
const STOP_LIMIT_MS = 15_000;
const POLL_MS = 50;
const SHOWN_LENGTH = 1_500;

export interface Command {
  readonly command: string;
  readonly args: readonly string[];
  /** The program has this folder to itself: every process in it is one of its own. */
  readonly cwd: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly identity?: { readonly uid?: number; readonly gid?: number };
  /** Its output is appended to NAME.log there. */
  readonly logs: string;
  /** Default: SIGTERM. */
  readonly stopSignal?: NodeJS.Signals;
}

/**
 * Lists the processes that run in a folder, except for shells in a terminal. Patroni starts PostgreSQL in a session of its own, so
 * the process group does not include it.
 */
function listProcessesIn(folder: string): number[] {
  const isInside = (pid: string): boolean => {
    try {
      const [, , , , terminal] = fs
        .readFileSync(`/proc/${pid}/stat`, 'utf8')
        .replace(/^.*\) /, '')
        .split(' ');
      return terminal === '0' && `${fs.readlinkSync(`/proc/${pid}/cwd`)}/`.startsWith(`${folder}/`);
    } catch {
      // It has ended, or belongs to another user.
      return false;
    }
  };
  const pids = fs.readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  return pids.filter(isInside).map(Number);
}

function signalAll(pids: readonly number[], signal: NodeJS.Signals): void {
  for (const pid of pids) {
    try {
      process.kill(pid, signal);
    } catch {
      // It has ended.
    }
  }
}

/** One program of the cluster, with its processes. It is started again when it ends, like a system service. */
export class Program {
  readonly name: string;
  readonly #command: Command;
  #child: ChildProcess | null = null;
  #isWanted = false;

  constructor(name: string, command: Command) {
    this.name = name;
    this.#command = command;
  }

  get #isRunning(): boolean {
    return this.#child !== null && this.#child.exitCode === null && this.#child.signalCode === null;
  }

  get #log(): string {
    return path.join(this.#command.logs, `${this.name}.log`);
  }

  /** The end of its output. */
  readLog(): string {
    return fs.existsSync(this.#log) ? fs.readFileSync(this.#log, 'utf8').slice(-SHOWN_LENGTH) : 'it was not started';
  }

  start(): void {
    this.#isWanted = true;
    if (this.#isRunning) return;
    const { command, args, cwd, env = {}, identity = {} } = this.#command;
    const output = fs.openSync(this.#log, 'a');
    const child = spawn(command, args, {
      ...{ cwd, ...identity, stdio: ['ignore', output, output] },
      env: { PATH: process.env.PATH ?? '', HOME: cwd, ...env },
      // Ctrl-C ends only the script, which then stops everything in order.
      detached: true,
    });
    fs.closeSync(output);
    this.#child = child;
    child.once('error', (error) => fs.appendFileSync(this.#log, `${error}\n`));
    child.once('exit', () => {
      setTimeout(() => {
        if (this.#isWanted && this.#child === child) this.start();
      }, RESTART_AFTER_MS).unref();
    });
  }

  /** With its own process, because some programs change their folder. */
  #pids(): number[] {
    const own = this.#isRunning ? [this.#child?.pid ?? 0] : [];
    return [...new Set([...own, ...listProcessesIn(this.#command.cwd)])];
  }

  /** Nothing of it runs until `resume`. */
  pause(): void {
    signalAll(this.#pids(), 'SIGSTOP');
  }

  resume(): void {
    signalAll(this.#pids(), 'SIGCONT');
  }

  /**
   * kill -9 of all its processes, also of those that an earlier script left running. It is started again after a second, unless its
   * whole machine is gone.
   */
  async kill({ withMachine = false } = {}): Promise<void> {
    if (withMachine) this.#isWanted = false;
    // First, so that none starts another one.
    this.pause();
    const pids = this.#pids();
    signalAll(pids, 'SIGKILL');
    while (this.#pids().some((pid) => pids.includes(pid))) await sleep(POLL_MS);
  }

  async stop(): Promise<void> {
    this.#isWanted = false;
    const child = this.#child;
    if (child === null || !this.#isRunning) return;
    const ended = once(child, 'exit');
    child.kill(this.#command.stopSignal ?? 'SIGTERM');
    const isEnded = await Promise.race([ended.then(() => true), sleep(STOP_LIMIT_MS, false)]);
    if (!isEnded) await this.kill({ withMachine: true });
  }

  /** Stops it like an operator, and starts it again. */
  async restart(): Promise<void> {
    await this.stop();
    this.start();
  }
}
