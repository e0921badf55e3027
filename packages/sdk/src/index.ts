/** The TypeScript client `@foreword/sdk`, without dependencies. */

export { Foreword, type ForewordOptions } from './client.ts';
export {
  ForewordAuthenticationError,
  ForewordConflictError,
  ForewordConnectionError,
  ForewordError,
  ForewordEventFailedError,
  ForewordIntroClosedError,
  ForewordNotFoundError,
  ForewordPermissionError,
  ForewordPhoneError,
  ForewordRateLimitError,
  ForewordServerError,
  ForewordValidationError,
  ForewordWaitTimeoutError,
  ForewordWebhookError,
  type PhoneErrorReason,
  type SdkErrorCode,
  type WebhookErrorCode,
} from './errors.ts';
export type * from './generated/types.ts';
export type { IdempotencyKeyParts } from './idempotency-key.ts';
export type { List } from './pages.ts';
export type { CreateOptions, RequestOptions, WriteOptions } from './request.ts';
export type { ProcessedTouchpointEvent, WaitOptions } from './resources.ts';
export type { AbortSignalLike, Fetch, RequestLike, ResponseLike } from './runtime.ts';
export { type VerifiedWebhook, type VerifyOptions, verifyWebhook, type WebhookHeaders } from './webhooks.ts';
