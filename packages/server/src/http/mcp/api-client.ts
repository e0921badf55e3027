import { ERRORS, type ErrorBody, type ErrorCode } from '@foreword/contract';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { ApiError } from '../../platform/errors.ts';

export interface ApiCall {
  readonly method: 'GET' | 'POST' | 'DELETE';
  /** With the query. */
  readonly path: string;
  readonly body?: object;
  readonly idempotencyKey?: string;
}

export interface ApiAnswer {
  /** Null for a success. */
  readonly error: ErrorBody['error'] | null;
  readonly body: Record<string, unknown>;
  readonly requestId: string;
  readonly isReplay: boolean;
  readonly hint: string | undefined;
}

/** Calls the API within this process, with the caller's key: with the same checks, limits and logs as a request from outside. */
export type ApiClient = (call: ApiCall) => Promise<ApiAnswer>;

const textOf = (header: unknown): string | undefined => (typeof header === 'string' ? header : undefined);

export function createApiClient(app: FastifyInstance, request: FastifyRequest, signal: AbortSignal): ApiClient {
  const { headers, socket } = request.raw;
  const forwarded = textOf(headers['x-forwarded-for']);
  return async ({ method, path, body, idempotencyKey }) => {
    const response = await app
      .inject({
        method,
        url: path,
        headers: {
          authorization: headers.authorization ?? '',
          // Keys may work from some addresses only.
          ...(forwarded !== undefined && { 'x-forwarded-for': forwarded }),
          ...(idempotencyKey !== undefined && { 'idempotency-key': idempotencyKey }),
          ...(body !== undefined && { 'content-type': 'application/json' }),
        },
        ...(body !== undefined && { payload: JSON.stringify(body) }),
        remoteAddress: socket.remoteAddress ?? '',
        signal,
      })
      .catch((cause: unknown) => {
        // The service is stopping, or the client has left.
        throw new ApiError('service_unavailable', ERRORS.service_unavailable.example, { cause });
      });
    const answered = response.json() as Record<string, unknown>;
    return {
      error: response.statusCode < 400 ? null : (answered as unknown as ErrorBody).error,
      body: answered,
      requestId: String(response.headers['request-id']),
      isReplay: response.headers['idempotent-replayed'] === 'true',
      hint: textOf(response.headers['foreword-hint']),
    };
  };
}

/** Advice for an error code. Empty for a code that this version does not know. */
export const actionFor = (code: string): string => ERRORS[code as ErrorCode]?.action ?? '';
