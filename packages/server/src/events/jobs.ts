import type { QueueDefinition } from '../platform/jobs.ts';
import type { EventKey } from './store.ts';

/** One job for each flush of accepted events. Running twice is harmless: only events that still wait are taken. */
export const PROCESS_EVENTS: QueueDefinition = {
  name: 'process-events',
  // Under a light load a job holds one event or two: many are taken at once, so that they share a transaction.
  batchSize: 64,
  retryLimit: 10,
  expireInSeconds: 120,
};

export interface ProcessEventsJob {
  readonly events: EventKey[];
}
