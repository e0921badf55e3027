import { monotonicMs } from './clock.ts';

const LOOK_AGAIN_MS = 5;

/**
 * Lets work that nobody waits for step back while somebody does. `isBusy` tells whether requests are waiting right now;
 * after `patienceMs` the turn comes anyway, so that a server under constant load still gets everything done.
 */
export function createTurn(isBusy: () => boolean, patienceMs: number): () => Promise<void> {
  return async () => {
    const sinceMs = monotonicMs();
    while (isBusy() && monotonicMs() - sinceMs < patienceMs) {
      await new Promise<void>((resolve) => setTimeout(resolve, LOOK_AGAIN_MS));
    }
  };
}
