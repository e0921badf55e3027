import { monotonicMs } from './clock.ts';
import type { Logger } from './log.ts';

export interface Schedule {
  stop(): Promise<void>;
}

export interface Repetition extends Schedule {
  /** Runs the work now, or once more after the current run. */
  wake(): void;
}

/** Runs `work` repeatedly with pauses of `ms`, never concurrently. An error is logged, and the next run retries. */
export function every(ms: number, name: string, log: Pick<Logger, 'warn'>, work: () => Promise<void>): Repetition {
  let stopped = false;
  let isWanted = false;
  let cutShort: () => void = () => undefined;
  const loop = (async () => {
    while (!stopped) {
      isWanted = false;
      try {
        await work();
      } catch (err) {
        log.warn({ err, task: name }, 'scheduled task failed; it runs again');
      }
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, ms);
        cutShort = () => {
          clearTimeout(timer);
          resolve();
        };
        if (stopped || isWanted) cutShort();
      });
    }
  })();
  return {
    wake() {
      isWanted = true;
      cutShort();
    },
    async stop() {
      stopped = true;
      cutShort();
      await loop;
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
      await new Promise<void>((resolve) => setTimeout(resolve, POLL_MS));
    }
  };
}
