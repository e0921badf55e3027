import { setTimeout as pause } from 'node:timers/promises';
import type { Jobs, QueueDefinition } from '../platform/jobs.ts';

/** Wakes a worker. The events table is the queue, so running it twice is harmless. */
export const PROCESS_EVENTS: QueueDefinition = {
  name: 'process-events',
  // The jobs are all alike, so a worker takes many and processes once.
  batchSize: 64,
  retryLimit: 10,
  // A backlog can take longer. The job is then retried and joins the run in progress.
  expireInSeconds: 120,
};

/**
 * The first event after a quiet period is processed at once; events that arrive during the pause then share one transaction.
 * Well below the promised 100 ms.
 */
const BATCHING_PAUSE_MS = 20;

export const workOnEvents = (jobs: Jobs, processor: { processWaiting(): Promise<unknown> }): Promise<void> =>
  jobs.work(PROCESS_EVENTS, async () => {
    await processor.processWaiting();
    await pause(BATCHING_PAUSE_MS);
  });
