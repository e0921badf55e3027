import { spawn } from 'node:child_process';
import path from 'node:path';
import { SHARED_SETTINGS } from '../harness/service.ts';

const MAIN = path.join(import.meta.dirname, '../../src/main.ts');
const LIMIT_MS = 20_000;

/** Starts a service that cannot start, and returns its exit code and its complaint, which must be a single line. */
export async function failToStart(environment: Record<string, string>): Promise<{ code: number | null; line: string }> {
  const child = spawn(process.execPath, [MAIN], {
    env: {
      PATH: process.env.PATH ?? '',
      HOME: process.env.HOME ?? '/',
      PORT: '1',
      FOREWORD_DEMO: 'off',
      ...SHARED_SETTINGS,
      ...environment,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk) => {
      output += chunk;
    });
  }
  const timer = setTimeout(() => child.kill('SIGKILL'), LIMIT_MS);
  const code = await new Promise<number | null>((resolve) => child.once('close', resolve));
  clearTimeout(timer);
  const line = /^foreword: ([^\n]+)\n$/.exec(output)?.[1];
  if (line === undefined) throw new Error(`expected one line, not: ${output}`);
  return { code, line };
}
