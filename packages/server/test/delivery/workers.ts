import { type ChildProcess, spawn } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import path from 'node:path';
import { collectText } from '../harness/streams.ts';
import { randomFrom } from '../robustness/kills.ts';

const seed = Number(process.env.FOREWORD_TEST_SEED ?? randomInt(2 ** 31));
console.info(`FOREWORD_TEST_SEED=${seed}`);
const random = randomFrom(seed);

export const randomMs = (max: number, min = 0): number => min + Math.floor(random() * (max - min));

const running = new Set<ChildProcess>();

export type Worker = Awaited<ReturnType<typeof startWorker>>;

/** Starts a process for a test to kill, and waits until it works. Fails at once if it cannot start. */
export async function startWorker(given: object) {
  const script = path.join(import.meta.dirname, 'delivery.child.ts');
  const child = spawn(process.execPath, [script, JSON.stringify(given)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  running.add(child);
  const written = collectText(child.stdout);
  const exited = once(child, 'close').then(([code]) => {
    running.delete(child);
    return code as number | null;
  });
  const code = await Promise.race([once(child.stdout, 'data').then(() => null), exited]);
  if (code !== null && code !== 0) throw new Error(`a worker ended with ${code}`);
  const ended = exited.then(() => undefined);
  return {
    /** Its output so far. */
    written,
    /** Resolves when it ended. */
    ended,
    kill() {
      child.kill('SIGKILL');
      return ended;
    },
  };
}

export async function killWorkers(): Promise<void> {
  await Promise.all(
    [...running].map((child) => {
      const gone = once(child, 'close');
      child.kill('SIGKILL');
      return gone;
    }),
  );
}
