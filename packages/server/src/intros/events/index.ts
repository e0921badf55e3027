/** Accepts touchpoint events in batches and processes them into intros. */

export { createEventAcceptor, type EventAcceptor } from './acceptance.ts';
export { type DryRunDraft, dryRunEvent, type EventDryRun } from './dry-run.ts';
export { eventAcceptance, eventOperations } from './operations.ts';
export { createEventProcessor, type EventProcessor } from './processing.ts';
export { explainRetry, readEventObjects, retrieveEvent } from './service.ts';
export { countWaiting, countWaitingByTouchpoint, oldestAcceptedAgeMs } from './store/processing.ts';
export { countOpenEvents, searchEvents } from './store/search.ts';
export { type EventRow, findEvent, hasEvents, listFailingTouchpoints } from './store.ts';
