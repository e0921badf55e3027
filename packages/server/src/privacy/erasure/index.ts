/** Erases what is stored about a recipient. */

export { erasureOperations } from './operations.ts';
export { listErasures } from './service.ts';
export { previewErasure } from './store/acceptance.ts';
export { continueErasures, ERASURE_INTERVAL_MS } from './worker.ts';
