import { type ChildProcess, fork, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';

const TERM_LIMIT_MS = 15_000;
const ANSWER_LIMIT_MS = 120_000;

const running = new Set<ChildProcess>();
const folders = new Set<string>();
const endings: (() => Promise<void>)[] = [];

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

/** With an environment of its own: what the shell of the caller sets must not steer a measurement. */
export const startProcess = (
  command: string,
  args: string[],
  options: { env: Record<string, string>; stdout: 'pipe' | number },
): ChildProcess => track(spawn(command, args, { env: options.env, stdio: ['ignore', options.stdout, 'inherit'] }));

export const exitOf = (child: ChildProcess): Promise<number | null> =>
  child.exitCode !== null || child.signalCode !== null
    ? Promise.resolve(child.exitCode)
    : new Promise((resolve) => child.once('exit', resolve));

/** What a program printed; a failure when it did not end well. */
export async function outputOf(command: string, args: string[], env: Record<string, string> = {}): Promise<string> {
  const child = startProcess(command, args, { env, stdout: 'pipe' });
  if (child.stdout === null) throw new Error(`${command} has no output`);
  const [printed, code] = await Promise.all([text(child.stdout), exitOf(child)]);
  if (code !== 0) throw new Error(`${command} ended with ${code}: ${printed}`);
  return printed;
}

/** A part of the bench in a process of its own; it says when it is ready. */
export async function startPart(file: string, args: string[]): Promise<ChildProcess> {
  const part = track(fork(join(import.meta.dirname, file), args, { env: {} }));
  await nextMessage(part);
  return part;
}

/** The answer to what was asked; fails when the process ends first or stays silent. */
function nextMessage(child: ChildProcess): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => settle(() => reject(new Error('no answer in time'))), ANSWER_LIMIT_MS);
    const onMessage = (message: unknown) => settle(() => resolve(message));
    const onExit = (code: number | null) => settle(() => reject(new Error(`ended with ${code} before it answered`)));
    function settle(outcome: () => void): void {
      clearTimeout(timer);
      child.off('message', onMessage).off('exit', onExit);
      outcome();
    }
    child.on('message', onMessage).on('exit', onExit);
  });
}

export function ask(child: ChildProcess, question: object): Promise<unknown> {
  const answer = nextMessage(child);
  child.send(question);
  return answer;
}

export async function stop(child: ChildProcess): Promise<void> {
  const ended = exitOf(child);
  const timer = setTimeout(() => child.kill('SIGKILL'), TERM_LIMIT_MS);
  // Parts end when the channel closes, programs at the signal.
  if (child.connected) child.disconnect();
  else child.kill('SIGTERM');
  await ended;
  clearTimeout(timer);
}

/** For what runs inside the bench itself; children go before it, folders after. */
export const atEnd = (work: () => Promise<void>): void => void endings.push(work);

export async function stopEverything(): Promise<void> {
  await Promise.all([...running].map(stop));
  for (const work of endings.splice(0)) await work();
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
