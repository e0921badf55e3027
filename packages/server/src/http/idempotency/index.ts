/** Idempotency keys: fingerprints, stored responses and batches of keyed requests. */

export { conflict, hashOfKey, responseRemoved } from './rules.ts';
export { type Answer, createKeyedBatch, type Keyed, type KeyedBatch, once } from './service.ts';
export { FIND_BOUND_KEY, listSecretResponses, replaceResponse, type StoredResponse } from './store.ts';
