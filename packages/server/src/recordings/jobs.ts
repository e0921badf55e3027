import type { QueueDefinition } from '../platform/jobs.ts';

/**
 * One job for each take, and one for a preview that was lost. Running twice is harmless: a take is claimed before anything is
 * done with it, and a preview that is there already is left alone.
 */
export const PROCESS_RECORDING: QueueDefinition = {
  name: 'process-recordings',
  batchSize: 1,
  // The row counts its own attempts, and the sweeper brings it back: the queue only says that there is something.
  retryLimit: 0,
  expireInSeconds: 600,
};

export interface ProcessRecordingJob {
  readonly organizationId: string;
  readonly id: string;
}
