import type { ErrorBody, ErrorCode } from '@foreword/contract';
import { FAILURE } from './texts/common.ts';

/** `network`: nobody answered. `unreadable`: somebody did, but not in the form that the console knows. */
type FailureCode = ErrorCode | 'network' | 'unreadable';

/** Why a call came to nothing. The message is for the person who asked. */
export class ApiFailure extends Error {
  override readonly name = 'ApiFailure';
  /** 0 when nobody answered. */
  readonly status: number;
  readonly code: FailureCode;
  /** The dotted path of what does not fit, as it was sent. */
  readonly field: string | null;
  readonly requestId: string | null;

  constructor(facts: {
    status: number;
    code: FailureCode;
    message: string;
    field?: string;
    requestId?: string | null;
  }) {
    super(facts.message);
    this.status = facts.status;
    this.code = facts.code;
    this.field = facts.field ?? null;
    this.requestId = facts.requestId ?? null;
  }
}

const SERVER_FAULT = 500;

/** Trying again by itself may help. */
export const isPassing = (error: unknown): boolean =>
  error instanceof ApiFailure && (error.status === 0 || error.status >= SERVER_FAULT);

export const unanswered = (): ApiFailure => new ApiFailure({ status: 0, code: 'network', message: FAILURE.network });

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

/** What is wrong with this field, as a sentence beside it; undefined when the failure is about something else. */
export function fieldProblem(error: unknown, field: string): string | undefined {
  if (!(error instanceof ApiFailure) || error.field !== field) return undefined;
  const { message } = error;
  return message.startsWith(`${field} `) ? capitalize(message.slice(field.length + 1)) : message;
}

/** What is wrong with the whole: a failure that none of these fields shows. */
export function otherProblem(error: unknown, fields: readonly string[]): string | undefined {
  if (error === null || error === undefined) return undefined;
  if (!(error instanceof ApiFailure)) return FAILURE.unknown;
  return error.field !== null && fields.includes(error.field) ? undefined : error.message;
}
