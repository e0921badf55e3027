import type { QueueDefinition } from '../platform/jobs.ts';

/** Sets a worker going; what there is to do stands in the events themselves. Running twice is harmless. */
export const PROCESS_EVENTS: QueueDefinition = {
  name: 'process-events',
  // All that wait say the same, so they are taken together.
  batchSize: 64,
  retryLimit: 10,
  // A backlog can take longer: the job comes again then, and joins the run that is under way.
  expireInSeconds: 120,
};
