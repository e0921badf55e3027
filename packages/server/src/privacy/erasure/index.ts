/** Erases what is stored about a recipient. */

export {
  continueErasures,
  createNumberReplacement,
  ERASURE_INTERVAL_MS,
  erasureOperations,
  listErasures,
} from './service.ts';
export { previewErasure } from './store/erasures.ts';
