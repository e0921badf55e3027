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
  readonly cwd: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly identity?: { readonly uid?: number; readonly gid?: number };
  /** Its output is appended to NAME.log there, and NAME.pid has its process. */
  readonly folder: string;
  /** PostgreSQL's `postmaster.pid`, if the program starts one. */
  readonly postmasterFile?: string;
  /** Default: SIGTERM. */
  readonly stopSignal?: NodeJS.Signals;
}

/** Null once the process has ended. */
function readProcess(pid: number): { parent: number; started: string } | null {
  try {
    const stat = fs.readFileSync(`/proc/${pid}/stat`, 'utf8').replace(/^.*\) /, '');
    const fields = stat.split(' ');
    return fields[0] === 'Z' ? null : { parent: Number(fields[1]), started: fields[19] ?? '' };
  } catch {
    return null;
  }
}

function withDescendants(roots: readonly number[]): number[] {
  const parents = new Map<number, number>();
  for (const entry of fs.readdirSync('/proc')) {
    const found = /^\d+$/.test(entry) ? readProcess(Number(entry)) : null;
    if (found !== null) parents.set(Number(entry), found.parent);
  }
  const found = new Set(roots.filter((pid) => parents.has(pid)));
  for (let before = -1; before < found.size; ) {
    before = found.size;
    for (const [pid, parent] of parents) if (found.has(parent)) found.add(pid);
  }
  return [...found];
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

async function killAll(listPids: () => number[]): Promise<void> {
  // First, so that none starts another one.
  signalAll(listPids(), 'SIGSTOP');
  const pids = listPids();
  signalAll(pids, 'SIGKILL');
  while (pids.some((pid) => readProcess(pid) !== null)) await sleep(POLL_MS);
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

  get isRunning(): boolean {
    return this.#child !== null && this.#child.exitCode === null && this.#child.signalCode === null;
  }

  get #log(): string {
    return path.join(this.#command.folder, `${this.name}.log`);
  }

  /** The end of its output. */
  readLog(): string {
    return fs.existsSync(this.#log) ? fs.readFileSync(this.#log, 'utf8').slice(-SHOWN_LENGTH) : 'it was not started';
  }

  get #pidFile(): string {
    return path.join(this.#command.folder, `${this.name}.pid`);
  }

  start(): void {
    this.#isWanted = true;
    if (this.isRunning) return;
    const { command, args, cwd, env = {}, identity = {} } = this.#command;
    const output = fs.openSync(this.#log, 'a');
    const child = spawn(command, args, {
      cwd,
      env: { PATH: process.env.PATH ?? '', HOME: cwd, ...env },
      ...identity,
      stdio: ['ignore', output, output],
      // Ctrl-C ends only the script, which then stops everything in order.
      detached: true,
    });
    fs.closeSync(output);
    this.#child = child;
    child.once('error', (error) => fs.appendFileSync(this.#log, `${error}\n`));
    child.once('exit', () => this.#startAgain(child));
    if (child.pid !== undefined) {
      fs.writeFileSync(this.#pidFile, `${child.pid} ${readProcess(child.pid)?.started ?? ''}\n`);
    }
  }

  #startAgain(child: ChildProcess): void {
    setTimeout(() => {
      if (this.#isWanted && this.#child === child) this.start();
    }, RESTART_AFTER_MS).unref();
  }

  /** Kills what an earlier script left running because it was killed itself. */
  async removeLeftovers(): Promise<void> {
    if (!fs.existsSync(this.#pidFile)) return;
    const [pid = '', started] = fs.readFileSync(this.#pidFile, 'utf8').trim().split(' ');
    // Otherwise another process has its pid.
    const isOurs = readProcess(Number(pid))?.started === started;
    await killAll(() => withDescendants([...(isOurs ? [Number(pid)] : []), ...this.#adopted()]));
  }

  /** A process that the program has started in a session of its own. */
  #adopted(): number[] {
    const { postmasterFile } = this.#command;
    if (postmasterFile === undefined || !fs.existsSync(postmasterFile)) return [];
    const pid = Number.parseInt(fs.readFileSync(postmasterFile, 'utf8'), 10);
    try {
      return fs.readlinkSync(`/proc/${pid}/cwd`) === path.dirname(postmasterFile) ? [pid] : [];
    } catch {
      return [];
    }
  }

  readonly #pids = (): number[] =>
    withDescendants([...(this.#child?.pid === undefined ? [] : [this.#child.pid]), ...this.#adopted()]);

  /** Nothing of it runs until `resume`. */
  pause(): void {
    signalAll(this.#pids(), 'SIGSTOP');
  }

  resume(): void {
    signalAll(this.#pids(), 'SIGCONT');
  }

  /** kill -9 of all its processes. It is started again after a second, unless its whole machine is gone. */
  async kill({ withMachine = false } = {}): Promise<void> {
    if (withMachine) this.#isWanted = false;
    await killAll(this.#pids);
  }

  async stop(): Promise<void> {
    this.#isWanted = false;
    const child = this.#child;
    if (child === null || !this.isRunning) return;
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
