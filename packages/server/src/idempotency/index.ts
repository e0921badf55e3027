export { conflict, fingerprintOf } from './rules.ts';
export { type KeyedRequest, once } from './service.ts';
