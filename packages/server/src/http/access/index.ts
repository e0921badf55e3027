/** Identifies callers by their API keys, and limits their rate. */

export {
  CONNECTION_COST,
  createLimiter,
  createRequestQueues,
  type Limiter,
  type RateLimit,
  type RequestQueues,
} from './limits.ts';
export { EXPIRING_KEYS_INTERVAL_MS, type KeyLimits, noticeBefore, requireScope } from './rules.ts';
export {
  type Authenticator,
  type Caller,
  changeKey,
  createAuthenticator,
  createKey,
  type KeyUsage,
  notifyOfExpiringKeys,
  revokeKey,
  watchKeyUsage,
} from './service.ts';
export { DEMO_KEY_NAME, findKeyName, listDemoKeys, listKeys } from './store.ts';
