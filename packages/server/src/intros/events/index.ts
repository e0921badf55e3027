/** Accepts touchpoint events in batches and processes them into intros. */

export { eventAcceptance, eventOperations } from './operations.ts';
export { createEventProcessor } from './processing.ts';
export {
  createEventAcceptor,
  type DryRunDraft,
  dryRunEvent,
  type EventAcceptor,
  type EventDryRun,
  explainRetry,
  readEventObjects,
  retrieveEvent,
} from './service.ts';
export { countWaiting, countWaitingByTouchpoint, oldestAcceptedAgeMs } from './store/processing.ts';
export { countOpenEvents, type EventRow, findEvent, hasEvents, listFailingTouchpoints, searchEvents } from './store.ts';
