/** Identifies callers by their API keys, and limits their rate. */

export { type Authenticator, type Caller, createAuthenticator, type KeyUsage, watchKeyUsage } from './authenticator.ts';
export {
  CONNECTION_COST,
  createLimiter,
  createRequestQueues,
  type Limiter,
  type RateLimit,
  type RequestQueues,
} from './limits.ts';
export { EXPIRING_KEYS_INTERVAL_MS, type KeyLimits, noticeBefore, requireScope } from './rules.ts';
export { changeKey, createKey, notifyOfExpiringKeys, revokeKey } from './service.ts';
export { DEMO_KEY_NAME, findKeyName, listDemoKeys, listKeys, notifyOfImportedKeys } from './store.ts';
