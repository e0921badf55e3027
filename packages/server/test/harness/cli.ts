import { spawn } from 'node:child_process';
import path from 'node:path';
import { inject } from 'vitest';
import { runOnCommandServer } from './command-server.ts';
import { SHARED_SETTINGS } from './service.ts';
import { collectText } from './streams.ts';

const BIN = path.join(import.meta.dirname, '../../bin/foreword.mjs');

export interface Run {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** The message of a command that failed with --json: one line on stderr, and nothing on stdout. */
export function errorOf({ code, stdout, stderr }: Run, expectedCode = 1): string {
  if (code !== expectedCode || stdout !== '' || !/^\{"error":[^\n]+\}\n$/.test(stderr))
    throw new Error(`not one error with code ${expectedCode}: ${code} ${stdout}${stderr}`);
  return JSON.parse(stderr).error.message;
}

const completed = (environment: Record<string, string>): Record<string, string> => ({
  PATH: process.env.PATH ?? '',
  HOME: process.env.HOME ?? '/',
  ...SHARED_SETTINGS,
  ...environment,
});

/** Runs the program in its own process. */
export function runForeword(environment: Record<string, string>, ...args: string[]): Promise<Run> {
  const child = spawn(process.execPath, [BIN, ...args], {
    env: completed(environment),
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const [stdout, stderr] = [collectText(child.stdout), collectText(child.stderr)];
  return new Promise((resolve) => child.once('close', (code) => resolve({ code, stdout: stdout(), stderr: stderr() })));
}

function documentOf(args: readonly string[], { code, stdout, stderr }: Run): unknown {
  if (code !== 0) throw new Error(`foreword ${args.join(' ')} exited with ${code}: ${stderr}`);
  return JSON.parse(stdout);
}

/** The JSON document of a command that must succeed, run in its own process, for tests about the program itself. */
// biome-ignore lint/suspicious/noExplicitAny: as in api.ts.
export async function forewordProgram(environment: Record<string, string>, ...args: string[]): Promise<any> {
  return documentOf(args, await runForeword(environment, ...args, '--json'));
}

/** Runs a command on the command server, and returns its exit code and output. */
export async function tryForeword(environment: Record<string, string>, ...args: string[]): Promise<Run> {
  const { exitCode, stdout, stderr } = await runOnCommandServer(inject('commandServer'), completed(environment), args);
  return { code: exitCode, stdout, stderr };
}

/** The JSON document of a command that must succeed, run on the command server, for setup. */
// biome-ignore lint/suspicious/noExplicitAny: as in api.ts.
export async function foreword(environment: Record<string, string>, ...args: string[]): Promise<any> {
  return documentOf(args, await tryForeword(environment, ...args, '--json'));
}
