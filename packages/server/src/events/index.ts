export { createEventAcceptor, type EventAcceptor } from './acceptance.ts';
export { hasEvents, listFailingTouchpoints } from './failures.ts';
export { PROCESS_EVENTS } from './jobs.ts';
export {
  countOpenEvents,
  type EventInList,
  findEventForList,
  searchEvents,
} from './listing.ts';
export { countWaitingByTouchpoint } from './of-touchpoint.ts';
export { createEventProcessor, type EventProcessor, SWEEP_INTERVAL_MS } from './processing.ts';
export { type Rehearsal, rehearseEvent } from './rehearsal.ts';
export { retrieveEvent, retryEvent } from './service.ts';
export { countWaiting, oldestAcceptedAgeS } from './store.ts';
