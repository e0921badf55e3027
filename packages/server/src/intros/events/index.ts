/** Accepts touchpoint events in batches and processes them into intros. */

export { type DryRunDraft, dryRunEvent, type EventDryRun } from './dry-run.ts';
export { eventAcceptance, eventOperations } from './operations.ts';
export { createEventProcessor, type EventProcessor } from './processing.ts';
export { createEventAcceptor, type EventAcceptor, explainRetry, readEventObjects, retrieveEvent } from './service.ts';
export { countWaiting, countWaitingByTouchpoint, oldestAcceptedAgeMs } from './store/processing.ts';
export { countOpenEvents, type EventRow, findEvent, hasEvents, listFailingTouchpoints, searchEvents } from './store.ts';
