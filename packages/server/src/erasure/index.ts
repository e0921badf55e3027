/** Erases what is stored about a recipient. */

export { erasureOperations } from './operations.ts';
export { eraseRecipient, listErasures, retrieveErasure } from './service.ts';
export { previewErasure } from './store/acceptance.ts';
export { findErasureTenant } from './store/erasures.ts';
export { continueErasures, ERASURE_INTERVAL_MS } from './worker.ts';
