export { createKeyedBatch, type Keyed, type KeyedBatch } from './batch.ts';
export { conflict } from './rules.ts';
export { once, onceReplacing } from './service.ts';
export { FIND_BOUND_KEY } from './store.ts';
