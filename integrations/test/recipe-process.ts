import { spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';

const DIST = path.join(import.meta.dirname, '../dist');
const START_LIMIT_MS = 60_000;
const POLL_MS = 20;

export interface RecipeProcess {
  readonly url: string;
  /** Everything written so far. */
  output(): string;
  /** SIGTERM; returns the exit code. */
  stop(): Promise<number | null>;
  /** SIGKILL. */
  kill(): Promise<void>;
}

export interface RecipeExit {
  readonly code: number | null;
  readonly output: string;
}

function launch(name: string, environment: Record<string, string>) {
  const child = spawn(process.execPath, [path.join(DIST, `${name}.mjs`)], {
    env: { PATH: process.env.PATH ?? '', ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let written = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk) => {
      written += chunk;
    });
  }
  const exited = once(child, 'exit').then(([code]) => code as number | null);
  return { child, output: () => written, exited };
}

/** Runs the built file with settings that it refuses, until it exits. */
export async function runToExit(name: string, environment: Record<string, string>): Promise<RecipeExit> {
  const { output, exited } = launch(name, environment);
  const code = await exited;
  return { code, output: output() };
}

/** Runs the built file of a recipe on a port that the environment chooses. */
export async function startRecipe(
  name: string,
  environment: Record<string, string> & { PORT: string },
): Promise<RecipeProcess> {
  const { child, output, exited } = launch(name, environment);
  for (let waited = 0; !output().includes('"message":"listening"'); waited += POLL_MS) {
    if (child.exitCode !== null || waited > START_LIMIT_MS) throw new Error(`${name} did not start: ${output()}`);
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
  return {
    url: `http://127.0.0.1:${environment.PORT}`,
    output,
    async stop() {
      child.kill('SIGTERM');
      return exited;
    },
    async kill() {
      child.kill('SIGKILL');
      await exited;
    },
  };
}
