import type { ErrorCode, FieldProblem, Intro, TouchpointEvent } from './generated/types.ts';

/** Codes of errors that the SDK itself reports; the others are those of the API. */
export type SdkErrorCode =
  | 'invalid_argument'
  | 'connection_failed'
  | 'timeout'
  | 'invalid_response'
  | 'unexpected_response'
  | 'wait_timeout';

interface Details {
  readonly message: string;
  readonly code: ErrorCode | SdkErrorCode;
  readonly field?: string | undefined;
  readonly problems?: readonly FieldProblem[] | undefined;
  readonly objectId?: string | undefined;
  readonly status?: number | undefined;
  readonly requestId?: string | undefined;
  readonly cause?: unknown;
}

/** Every error that the SDK throws, except the reason of your own abort signal. */
export class ForewordError extends Error {
  override readonly name: string = 'ForewordError';
  /** For programs. New codes may be added. */
  readonly code: ErrorCode | SdkErrorCode;
  /** The field or argument with the first problem. */
  readonly field: string | undefined;
  /** Every problem of the request, with `validation_failed`. Otherwise empty. */
  readonly problems: readonly FieldProblem[];
  /** The object that the idempotency key belongs to, with `idempotency_conflict`. */
  readonly objectId: string | undefined;
  /** The HTTP status; undefined without a response. */
  readonly status: number | undefined;
  /** Identifies the request in the log of the service. */
  readonly requestId: string | undefined;

  constructor({ message, code, field, problems = [], objectId, status, requestId, cause }: Details) {
    super(message, cause === undefined ? undefined : { cause });
    this.code = code;
    this.field = field;
    this.problems = problems;
    this.objectId = objectId;
    this.status = status;
    this.requestId = requestId;
  }
}

/** 401: the key is missing, malformed, revoked or expired. */
export class ForewordAuthenticationError extends ForewordError {
  override readonly name = 'ForewordAuthenticationError';
}

/** 403: the key's scope does not allow the operation. */
export class ForewordPermissionError extends ForewordError {
  override readonly name = 'ForewordPermissionError';
}

/** 404: no such object in the key's organization. */
export class ForewordNotFoundError extends ForewordError {
  override readonly name = 'ForewordNotFoundError';
}

/** 409: the idempotency key belongs to another request, or the state of the object does not allow the operation. */
export class ForewordConflictError extends ForewordError {
  override readonly name = 'ForewordConflictError';
}

/** 422: a field, the touchpoint or the member is not accepted. Correct it and keep the idempotency key. */
export class ForewordValidationError extends ForewordError {
  override readonly name = 'ForewordValidationError';
}

abstract class RetryableError extends ForewordError {
  /** Seconds to wait before the next attempt, if the server gave them. */
  readonly retryAfterS: number | undefined;

  constructor(details: Details & { readonly retryAfterS: number | undefined }) {
    super(details);
    this.retryAfterS = details.retryAfterS;
  }
}

/** 429, after all retries. */
export class ForewordRateLimitError extends RetryableError {
  override readonly name = 'ForewordRateLimitError';
}

/** A 5xx, after all retries. */
export class ForewordServerError extends RetryableError {
  override readonly name = 'ForewordServerError';
}

/** No complete response, after all retries. `code` tells a timeout from a broken connection; `cause` has the original error. */
export class ForewordConnectionError extends ForewordError {
  override readonly name = 'ForewordConnectionError';
}

/** `events.waitFor` found that the event failed. `code` is the reason, such as `member_not_found`. */
export class ForewordEventFailedError extends ForewordError {
  override readonly name = 'ForewordEventFailedError';
  readonly event: TouchpointEvent;

  constructor(event: TouchpointEvent) {
    const { code = 'processing_failed', message = 'no reason was given' } = event.error ?? {};
    super({ code, message: `The event ${event.id} failed: ${message}` });
    this.event = event;
  }
}

/** `intros.waitFor` found the intro sent, cancelled or expired: it can no longer get the status that you wait for. */
export class ForewordIntroClosedError extends ForewordError {
  override readonly name = 'ForewordIntroClosedError';
  readonly intro: Intro;

  constructor(intro: Intro) {
    super({ code: 'intro_closed', message: `The intro ${intro.id} is ${intro.status}` });
    this.intro = intro;
  }
}

/** `waitFor` reached its time limit. */
export class ForewordWaitTimeoutError extends ForewordError {
  override readonly name = 'ForewordWaitTimeoutError';

  constructor(message: string) {
    super({ code: 'wait_timeout', message });
  }
}

export type WebhookErrorCode =
  | 'missing_secret'
  | 'invalid_secret'
  | 'missing_header'
  | 'invalid_timestamp'
  | 'timestamp_too_old'
  | 'timestamp_too_new'
  | 'invalid_signature'
  | 'body_not_raw'
  | 'invalid_payload';

/** A webhook that could not be verified. Respond with a 400. */
export class ForewordWebhookError extends ForewordError {
  override readonly name = 'ForewordWebhookError';
  declare readonly code: WebhookErrorCode;

  constructor(code: WebhookErrorCode, message: string) {
    super({ code, message });
  }
}

export type PhoneErrorReason =
  | 'empty'
  | 'unknown_country'
  | 'letters'
  | 'invalid_characters'
  | 'several_numbers'
  | 'too_short'
  | 'too_long'
  | 'unknown_calling_code'
  | 'not_a_number_of_the_country'
  | 'ambiguous';

/** A phone number without exactly one E.164 form. */
export class ForewordPhoneError extends ForewordError {
  override readonly name = 'ForewordPhoneError';
  readonly reason: PhoneErrorReason;

  constructor(reason: PhoneErrorReason, message: string) {
    super({ code: 'invalid_argument', field: 'number', message });
    this.reason = reason;
  }
}

export const invalidArgument = (field: string, problem: string): ForewordError =>
  new ForewordError({ code: 'invalid_argument', field, message: `${field} ${problem}` });
