import { ERRORS, type ErrorCode } from '@foreword/contract';

/** An error response. The message is for the caller; `cause` is only logged. */
export class ApiError extends Error {
  readonly code: ErrorCode;
  readonly field: string | undefined;
  readonly retryAfterS: number | undefined;

  constructor(
    code: ErrorCode,
    message: string,
    options: { field?: string; retryAfterS?: number; cause?: unknown } = {},
  ) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
    this.field = options.field;
    this.retryAfterS = options.retryAfterS;
  }

  get status(): number {
    return ERRORS[this.code].status;
  }

  toBody(): string {
    const { code, message, field } = this;
    return JSON.stringify({ error: field === undefined ? { code, message } : { code, message, field } });
  }
}

/** The header `Link` of an error: where its code is explained. */
export const helpLink = (publicUrl: string, code: ErrorCode): string =>
  `<${publicUrl}/docs/errors#${code}>; rel="help"`;

/** `others` are further problems, each with its field. */
export function invalid(field: string, problem: string, others: readonly string[] = []): ApiError {
  const also = others.length === 0 ? '' : ` Also: ${others.join('; ')}.`;
  return new ApiError('validation_failed', `${field} ${problem}.${also}`, { field });
}

const RETRY_AFTER_S = 1;

/** Nothing was written, or it is unknown: the caller may repeat the request with the same Idempotency-Key. */
export const unavailable = (cause: unknown): ApiError =>
  new ApiError('service_unavailable', ERRORS.service_unavailable.example, { retryAfterS: RETRY_AFTER_S, cause });

/** The request waited too long behind others, or too many waited already. It was not started. */
export const overloaded = (): ApiError => unavailable(new Error('too many requests wait to be written'));
