import type { QueueDefinition } from '../platform/jobs.ts';

/**
 * One job per take, and one per lost preview. A job may run twice: a take is claimed before any work, and an existing
 * preview is left alone.
 */
export const PROCESS_RECORDING: QueueDefinition = {
  name: 'process-recordings',
  batchSize: 1,
  // No retries in the queue: the row counts its attempts, and the sweeper enqueues it again.
  retryLimit: 0,
  expireInSeconds: 600,
};

export interface ProcessRecordingJob {
  readonly organizationId: string;
  readonly id: string;
}
