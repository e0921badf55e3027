import type { QueueDefinition } from '../platform/jobs.ts';
import type { EventKey } from './store.ts';

/** One job for each flush of accepted events. Running twice is harmless: only events that still wait are taken. */
export const PROCESS_EVENTS: QueueDefinition = {
  name: 'process-events',
  batchSize: 8,
  retryLimit: 10,
  expireInSeconds: 120,
};

export interface ProcessEventsJob {
  readonly events: EventKey[];
}
