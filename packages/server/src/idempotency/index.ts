export { conflict, fingerprintOf } from './rules.ts';
export { once } from './service.ts';
