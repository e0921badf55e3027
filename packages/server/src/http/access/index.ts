/** Identifies callers by their API keys, and limits their rate. */

export { type Authenticator, type Caller, createAuthenticator } from './authenticator.ts';
export { createLimiter, type Limiter, type RateLimit } from './limiter.ts';
export { CONNECTION_COST, createRequestQueues, type RequestQueues } from './queues.ts';
export { EXPIRING_KEYS_INTERVAL_MS, type KeyLimits, noticeBefore, requireScope } from './rules.ts';
export { changeKey, createKey, notifyOfExpiringKeys, revokeKey } from './service.ts';
export { DEMO_KEY_NAME, findKeyName, listDemoKeys, listKeys, notifyOfImportedKeys } from './store.ts';
export { type KeyUsage, watchKeyUsage } from './usage.ts';
