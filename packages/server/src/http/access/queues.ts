import { monotonicMs } from '../../platform/clock.ts';
import { Activity, FairQueue } from '../../platform/fair-queue.ts';

/** Each request costs this much in addition to its rate limit tokens, because it occupies a connection to the database. */
export const CONNECTION_COST = 2;
/**
 * Alone, an organization gets two lists of 100, which keep one core busy, or 8 of the pool's 10 connections. Beside others it
 * gets one such list or 5 connections, so that they wait for the 4 ms that a list takes and not for a queue.
 */
const API = { capacity: 36, alone: 24, share: 17, rests: true };
/** Batches have limits of their own. Beside others, an organization fills half a batch, and theirs go into the same one. */
const BATCHED = { capacity: Number.POSITIVE_INFINITY, alone: Number.POSITIVE_INFINITY, share: 10, rests: false };
/** Reports wait for seconds without keeping the process busy, and a page sends several requests at once. */
const CONSOLE = { capacity: 24, alone: 16, share: 8, rests: true };

export type RequestQueues = ReturnType<typeof createRequestQueues>;

/** One queue for each kind of request, so that none of them waits for another kind. */
export function createRequestQueues() {
  const activity = new Activity(monotonicMs);
  return {
    api: new FairQueue(API, activity),
    /** Requests that are written in batches: they only wait while their own organization has many of them. */
    batched: new FairQueue(BATCHED, activity),
    console: new FairQueue(CONSOLE, activity),
  };
}
