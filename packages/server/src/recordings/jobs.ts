import type { Jobs, QueueDefinition } from '../platform/jobs.ts';

/**
 * Wakes the media workers; the recordings table is the queue. The job names its take only because workers of the previous
 * version need it.
 */
export const PROCESS_RECORDING: QueueDefinition = {
  name: 'process-recordings',
  batchSize: 64,
  // A lost job only delays the take until the next poll.
  retryLimit: 0,
  expireInSeconds: 600,
};

/** Also finds what no job announced: retries, takes of a worker that died, and takes that another node had no slot for. */
export const POLL_INTERVAL_MS = 1_000;

export const workOnRecordings = (jobs: Jobs, processor: { startWaiting(): Promise<void> }): Promise<void> =>
  jobs.work(PROCESS_RECORDING, () => processor.startWaiting());
