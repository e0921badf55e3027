export { createEventAcceptor, type EventAcceptor } from './acceptance.ts';
export { PROCESS_EVENTS } from './jobs.ts';
export { createEventProcessor, type EventProcessor, SWEEP_INTERVAL_MS } from './processing.ts';
export { retrieveEvent } from './service.ts';
export { countWaiting, oldestAcceptedAgeS } from './store.ts';
