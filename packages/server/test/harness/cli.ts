import { spawn } from 'node:child_process';
import path from 'node:path';
import { SHARED_SETTINGS } from './service.ts';

const BIN = path.join(import.meta.dirname, '../../bin/foreword.mjs');

export interface Run {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export function runForeword(environment: Record<string, string>, ...args: string[]): Promise<Run> {
  const child = spawn(process.execPath, [BIN, ...args], {
    env: { PATH: process.env.PATH ?? '', HOME: process.env.HOME ?? '/', ...SHARED_SETTINGS, ...environment },
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

/** The one JSON document of a command that has to succeed. */
// biome-ignore lint/suspicious/noExplicitAny: as in api.ts.
export async function foreword(environment: Record<string, string>, ...args: string[]): Promise<any> {
  const { code, stdout, stderr } = await runForeword(environment, ...args, '--json');
  if (code !== 0) throw new Error(`foreword ${args.join(' ')} ended with ${code}: ${stderr}`);
  return JSON.parse(stdout);
}
