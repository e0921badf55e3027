/** Erases what is stored about a recipient. */

export { erasureOperations, listErasures } from './service.ts';
export { previewErasure } from './store/erasures.ts';
export { continueErasures, ERASURE_INTERVAL_MS } from './worker.ts';
