export { createErasures, type Erasures, retrieveErasure } from './service.ts';
export { findErasureTenant } from './store/erasures.ts';
export { continueErasures, ERASURE_INTERVAL_MS } from './worker.ts';
