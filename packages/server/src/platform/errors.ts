import { ERRORS, type ErrorCode, type FieldProblem } from '@foreword/contract';

/** An error response. The message is for the caller; `cause` is only logged. */
export class ApiError extends Error {
  readonly code: ErrorCode;
  readonly field: string | undefined;
  /** Every problem of the request; `field` has the first. */
  readonly problems: readonly FieldProblem[] | undefined;
  /** The object that an idempotency key belongs to. */
  readonly objectId: string | undefined;
  readonly retryAfterS: number | undefined;
  readonly status: number;

  constructor(
    code: ErrorCode,
    message: string,
    options: {
      field?: string;
      problems?: readonly FieldProblem[];
      objectId?: string | undefined;
      retryAfterS?: number;
      cause?: unknown;
      status?: number;
    } = {},
  ) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
    this.field = options.field;
    this.problems = options.problems;
    this.objectId = options.objectId;
    this.retryAfterS = options.retryAfterS;
    this.status = options.status ?? ERRORS[code].status;
  }

  toBody(): string {
    const { code, message, field, problems, objectId: object_id } = this;
    // JSON omits what is undefined.
    return JSON.stringify({ error: { code, message, field, problems, object_id } });
  }
}

/** The header `Link` of an error: where its code is explained. */
export const helpLink = (publicUrl: string, code: ErrorCode): string =>
  `<${publicUrl}/docs/errors#${code}>; rel="help"`;

export function invalid(field: string, problem: string): ApiError {
  const message = `${field} ${problem}.`;
  return new ApiError('validation_failed', message, { field, problems: [{ field, message }] });
}

const RETRY_AFTER_S = 1;

/** Nothing was written, or it is unknown: the caller may repeat the request with the same Idempotency-Key. */
export const unavailable = (cause: unknown): ApiError =>
  new ApiError('service_unavailable', ERRORS.service_unavailable.example, { retryAfterS: RETRY_AFTER_S, cause });

/** The request waited too long behind others, or too many waited already. It was not started. */
export const overloaded = (): ApiError => unavailable(new Error('too many requests wait to be written'));

/** Connecting to a host name with several addresses throws an AggregateError without a message. */
export const firstOf = (error: unknown): unknown => (error instanceof AggregateError ? error.errors[0] : error);
