import { type ChildProcess, fork, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';

const TERM_LIMIT_MS = 15_000;
const RESPONSE_LIMIT_MS = 120_000;

const running = new Set<ChildProcess>();
const folders = new Set<string>();
const cleanups: (() => Promise<void>)[] = [];

function track(child: ChildProcess): ChildProcess {
  running.add(child);
  child.once('exit', () => running.delete(child));
  return child;
}

export function makeFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'foreword-bench-'));
  folders.add(folder);
  return folder;
}

/** Does not inherit the environment, so that the caller's shell does not affect measurements. */
export const startProcess = (
  command: string,
  args: string[],
  { stdout, ...options }: { env: Record<string, string>; cwd?: string; stdout: 'pipe' | number },
): ChildProcess => track(spawn(command, args, { ...options, stdio: ['ignore', stdout, 'inherit'] }));

const exitOf = (child: ChildProcess): Promise<number | null> =>
  child.exitCode !== null || child.signalCode !== null
    ? Promise.resolve(child.exitCode)
    : new Promise((resolve) => child.once('exit', resolve));

/** Returns the output of a program. Fails on a nonzero exit code. */
export async function outputOf(command: string, args: string[], env: Record<string, string> = {}): Promise<string> {
  const child = startProcess(command, args, { env, stdout: 'pipe' });
  if (child.stdout === null) throw new Error(`${command} has no output`);
  const [printed, code] = await Promise.all([text(child.stdout), exitOf(child)]);
  if (code !== 0) throw new Error(`${command} ended with ${code}: ${printed}`);
  return printed;
}

/** Starts a part of the bench in a separate process and waits for its ready message. */
export async function startPart(file: string, args: string[]): Promise<ChildProcess> {
  const part = track(fork(join(import.meta.dirname, file), args, { env: {} }));
  await nextMessage(part);
  return part;
}

/** Waits for a message; fails if the process exits first or the time runs out. */
async function nextMessage(child: ChildProcess): Promise<unknown> {
  const exited = exitOf(child).then((code) => Promise.reject(new Error(`exited with ${code} before it responded`)));
  const message = once(child, 'message', { signal: AbortSignal.timeout(RESPONSE_LIMIT_MS) });
  const [response] = await Promise.race([message, exited]);
  return response;
}

export function ask(child: ChildProcess, request: object): Promise<unknown> {
  const response = nextMessage(child);
  child.send(request);
  return response;
}

export async function stop(child: ChildProcess): Promise<void> {
  const ended = exitOf(child);
  const timer = setTimeout(() => child.kill('SIGKILL'), TERM_LIMIT_MS);
  // Parts exit when the channel closes, programs on SIGTERM.
  if (child.connected) child.disconnect();
  else child.kill('SIGTERM');
  await ended;
  clearTimeout(timer);
}

/** Cleanup of what runs inside the bench process, after children are stopped and before folders are removed. */
export const atEnd = (cleanUp: () => Promise<void>): void => void cleanups.push(cleanUp);

export async function stopEverything(): Promise<void> {
  await Promise.all([...running].map(stop));
  for (const cleanUp of cleanups.splice(0)) await cleanUp();
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
}

export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  if (address === null || typeof address === 'string') throw new Error('the system gave no port');
  return address.port;
}

/** Resident memory. This and the rest of the file only work on Linux. */
export const residentMb = (pid: number | undefined): number =>
  Number(/^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024;

const childrenOf = (pid: number): number[] =>
  readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean).map(Number);

const TICK_MS = 10;

/** User and system time so far; with `withChildren` also of the children, including those that have ended. */
export function processorMs(pid: number | undefined, { withChildren = false } = {}): number {
  const ticks = (of: number, last: number): number => {
    const fields = readFileSync(`/proc/${of}/stat`, 'utf8')
      .replace(/^.*\) /, '')
      .split(' ');
    return fields.slice(11, last).reduce((sum, field) => sum + Number(field), 0);
  };
  if (pid === undefined) return Number.NaN;
  if (!withChildren) return ticks(pid, 13) * TICK_MS;
  return (ticks(pid, 15) + childrenOf(pid).reduce((sum, child) => sum + ticks(child, 13), 0)) * TICK_MS;
}
