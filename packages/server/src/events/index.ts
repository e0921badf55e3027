export { createEventAcceptor, type EventAcceptor } from './acceptance.ts';
export { PROCESS_EVENTS, type ProcessEventsJob } from './jobs.ts';
export { createEventProcessor, SWEEP_INTERVAL_MS } from './processing.ts';
export { retrieveEvent } from './service.ts';
export { oldestAcceptedAgeS } from './store.ts';
