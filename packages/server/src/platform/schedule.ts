import { setTimeout as pause } from 'node:timers/promises';
import { monotonicMs } from './clock.ts';
import type { Logger } from './log.ts';

export interface Schedule {
  stop(): Promise<void>;
}

export interface Repetition extends Schedule {
  /** Runs the work now, or once more after the current run. */
  wake(): void;
}

/** Part of the ten seconds in which a process has to stop. A run that takes longer is repeated by another node or the next start. */
const STOP_WAIT_MS = 4_000;

/**
 * Runs `work` repeatedly with pauses of `ms`, never concurrently. An error is logged, and the next run retries. Work with many steps
 * ends after the one in progress when `stopping` is aborted.
 */
export function every(
  ms: number,
  name: string,
  log: Pick<Logger, 'warn'>,
  work: (stopping: AbortSignal) => Promise<void>,
): Repetition {
  const stopping = new AbortController();
  const { signal } = stopping;
  let pausing = new AbortController();
  const loop = (async () => {
    while (!signal.aborted) {
      // Before the work: one that is woken meanwhile runs again at once.
      pausing = new AbortController();
      try {
        await work(signal);
      } catch (err) {
        log.warn({ err, task: name }, 'scheduled task failed; it runs again');
      }
      await pause(ms, undefined, { signal: pausing.signal }).catch(() => undefined);
    }
  })();
  return {
    wake: () => pausing.abort(),
    async stop() {
      stopping.abort();
      pausing.abort();
      await Promise.race([loop, pause(STOP_WAIT_MS, undefined, { ref: false })]);
    },
  };
}

const POLL_MS = 5;

/**
 * Lets background work yield to requests: the returned function waits while `isBusy()` is true, but at most `maxWaitMs`,
 * so that a server under constant load still makes progress.
 */
export function createYield(isBusy: () => boolean, maxWaitMs: number): () => Promise<void> {
  return async () => {
    const startedMs = monotonicMs();
    while (isBusy() && monotonicMs() - startedMs < maxWaitMs) {
      await pause(POLL_MS);
    }
  };
}
