export { createKeyedBatch, type Keyed, type KeyedBatch } from './batch.ts';
export { conflict } from './rules.ts';
export { type KeyedRequest, once, onceReplacing } from './service.ts';
export { FIND_BOUND_KEY, removeStoredLinks } from './store.ts';
