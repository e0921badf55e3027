import { spawn } from 'node:child_process';
import path from 'node:path';
import { inject } from 'vitest';
import { orderAtDesk } from './desk.ts';
import { SHARED_SETTINGS } from './service.ts';

const BIN = path.join(import.meta.dirname, '../../bin/foreword.mjs');

export interface Run {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

const completed = (environment: Record<string, string>): Record<string, string> => ({
  PATH: process.env.PATH ?? '',
  HOME: process.env.HOME ?? '/',
  ...SHARED_SETTINGS,
  ...environment,
});

/** The program itself, in a process of its own. */
export function runForeword(environment: Record<string, string>, ...args: string[]): Promise<Run> {
  const child = spawn(process.execPath, [BIN, ...args], {
    env: completed(environment),
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let stdout = '';
  let stderr = '';
  child.stdout.on('data', (chunk) => {
    stdout += chunk;
  });
  child.stderr.on('data', (chunk) => {
    stderr += chunk;
  });
  return new Promise((resolve) => child.once('close', (code) => resolve({ code, stdout, stderr })));
}

function documentOf(args: readonly string[], { code, stdout, stderr }: Run): unknown {
  if (code !== 0) throw new Error(`foreword ${args.join(' ')} ended with ${code}: ${stderr}`);
  return JSON.parse(stdout);
}

/** The one JSON document of a command that has to succeed, from the program itself: where a test is about that. */
// biome-ignore lint/suspicious/noExplicitAny: as in api.ts.
export async function forewordProgram(environment: Record<string, string>, ...args: string[]): Promise<any> {
  return documentOf(args, await runForeword(environment, ...args, '--json'));
}

/** What the program does with such a command line, but for being a process: the desk of the run does it. */
export async function orderForeword(environment: Record<string, string>, ...args: string[]): Promise<Run> {
  const { exitCode, stdout, stderr } = await orderAtDesk(inject('desk'), completed(environment), args);
  return { code: exitCode, stdout, stderr };
}

/** The one JSON document of a command that has to succeed, where it only arranges what a test is about. */
// biome-ignore lint/suspicious/noExplicitAny: as in api.ts.
export async function foreword(environment: Record<string, string>, ...args: string[]): Promise<any> {
  return documentOf(args, await orderForeword(environment, ...args, '--json'));
}
