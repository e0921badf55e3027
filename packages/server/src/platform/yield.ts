import { monotonicMs } from './clock.ts';

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
