import type { QueueDefinition } from '../platform/jobs.ts';

/** Wakes a worker. The events table is the queue, so running it twice is harmless. */
export const PROCESS_EVENTS: QueueDefinition = {
  name: 'process-events',
  // The jobs are all alike, so a worker takes many and processes once.
  batchSize: 64,
  retryLimit: 10,
  // A backlog can take longer. The job is then retried and joins the run in progress.
  expireInSeconds: 120,
};
