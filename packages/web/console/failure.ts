import type { ErrorBody, ErrorCode } from '@foreword/contract';
import { FAILURE } from './texts/common.ts';

/** `network`: no response. `unreadable`: a response the console can't parse. */
type FailureCode = ErrorCode | 'network' | 'unreadable';

/** A failed call. The message is shown to the user. */
export class ApiFailure extends Error {
  override readonly name = 'ApiFailure';
  /** 0 if there was no response. */
  readonly status: number;
  readonly code: FailureCode;
  /** The dotted path of the invalid field in the request. */
  readonly field: string | null;
  readonly requestId: string | null;

  constructor(details: {
    status: number;
    code: FailureCode;
    message: string;
    field?: string;
    requestId?: string | null;
  }) {
    super(details.message);
    this.status = details.status;
    this.code = details.code;
    this.field = details.field ?? null;
    this.requestId = details.requestId ?? null;
  }
}

const SERVER_FAULT = 500;

/** Whether an automatic retry may help. */
export const isTemporary = (error: unknown): boolean =>
  error instanceof ApiFailure && (error.status === 0 || error.status >= SERVER_FAULT);

export const networkFailure = (): ApiFailure =>
  new ApiFailure({ status: 0, code: 'network', message: FAILURE.network });

export const signedOut = ({ status, headers }: Response): ApiFailure =>
  new ApiFailure({ status, code: 'unauthorized', message: FAILURE.signedOut, requestId: headers.get('request-id') });

export const isSignedOut = (error: unknown): boolean => error instanceof ApiFailure && error.code === 'unauthorized';

export async function readFailure(response: Response): Promise<ApiFailure> {
  const { status } = response;
  const requestId = response.headers.get('request-id');
  const body = (await response.json().catch(() => null)) as Partial<ErrorBody> | null;
  const error = body?.error;
  if (error === undefined)
    return new ApiFailure({ status, code: 'unreadable', message: FAILURE.unreadable, requestId });
  const { code, message, field } = error;
  return new ApiFailure({
    status,
    code: code as FailureCode,
    message,
    requestId,
    ...(field !== undefined && { field }),
  });
}

const capitalize = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

/** The error message for this field, or undefined if the failure is about something else. */
export function fieldProblem(error: unknown, field: string): string | undefined {
  if (!(error instanceof ApiFailure) || error.field !== field) return undefined;
  const { message } = error;
  return message.startsWith(`${field} `) ? capitalize(message.slice(field.length + 1)) : message;
}

/** The error message, unless one of these fields shows it. */
export function otherProblem(error: unknown, fields: readonly string[]): string | undefined {
  if (error === null || error === undefined) return undefined;
  if (!(error instanceof ApiFailure)) return FAILURE.unknown;
  return error.field !== null && fields.includes(error.field) ? undefined : error.message;
}
