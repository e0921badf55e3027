import type { IntroStatus } from '@foreword/contract';
import type { Jobs, QueueDefinition } from '../db/jobs.ts';
import type { Tenant, Tx } from '../db/tenancy.ts';
import type { Clock } from '../platform/clock.ts';
import { ApiError } from '../platform/errors.ts';
import { isOpen } from './rules.ts';
import { requeueRefused } from './store/processing.ts';
import { findLatest, type RecordingRow } from './store/recordings.ts';

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

/** Why the newest take of an intro cannot be processed again; null if it can. */
export function explainNotRetried(
  introStatus: IntroStatus,
  take: Pick<RecordingRow, 'status' | 'original_deleted_at'> | null,
): ApiError | null {
  if (!isOpen(introStatus)) {
    return new ApiError('intro_closed', `This intro is ${introStatus}, so nothing more can be recorded for it.`);
  }
  if (take?.status !== 'refused') {
    return new ApiError('recording_not_failed', 'The last take of this intro did not fail. Check its timeline.');
  }
  if (take.original_deleted_at !== null) {
    return new ApiError(
      'recording_not_failed',
      'The last take is no longer stored. Ask the member to record it again.',
    );
  }
  return null;
}

/** Puts the newest take back into the queue, as if it had just arrived. */
export async function retryRecording(
  { jobs, clock }: { jobs: Jobs; clock: Clock },
  tx: Tx,
  tenant: Tenant,
  intro: { readonly id: string; readonly status: IntroStatus },
): Promise<void> {
  const take = await findLatest(tx, tenant, intro.id);
  const refusal = explainNotRetried(intro.status, take);
  if (refusal !== null) throw refusal;
  if (take === null || !(await requeueRefused(tx, tenant, take.id, clock()))) {
    throw new ApiError('recording_not_failed', 'The last take of this intro is already being processed.');
  }
  await jobs.sendWithin(tx, PROCESS_RECORDING, { organizationId: tenant.organizationId, id: take.id });
}
