export { createEventAcceptor, type EventAcceptor } from './acceptance.ts';
export { dryRunEvent, type EventDryRun } from './dry-run.ts';
export { hasEvents, listFailingTouchpoints } from './failures.ts';
export { PROCESS_EVENTS } from './jobs.ts';
export {
  countOpenEvents,
  type EventListRow,
  findEventListRow,
  searchEvents,
} from './listing.ts';
export { countWaitingByTouchpoint } from './of-touchpoint.ts';
export { createEventProcessor, type EventProcessor, SWEEP_INTERVAL_MS } from './processing.ts';
export { retrieveEvent, retryEvent } from './service.ts';
export { countWaiting, oldestAcceptedAgeS } from './store.ts';
