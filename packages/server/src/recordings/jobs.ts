import { testTenant } from '../organizations/index.ts';
import type { Jobs, QueueDefinition } from '../platform/jobs.ts';
import type { Tenant } from '../tables.ts';

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

interface ProcessRecordingJob {
  readonly organizationId: string;
  readonly id: string;
}

export const workOnRecordings = (
  jobs: Jobs,
  processor: { process(tenant: Tenant, id: string): Promise<unknown> },
): Promise<void> =>
  jobs.work<ProcessRecordingJob>(PROCESS_RECORDING, async (batch) => {
    for (const { organizationId, id } of batch) await processor.process(testTenant(organizationId), id);
  });
