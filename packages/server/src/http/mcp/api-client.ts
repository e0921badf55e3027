import {
  type AgentTool,
  ERRORS,
  type ErrorBody,
  type ErrorCode,
  KEY_ARGUMENT,
  type Operation,
} from '@foreword/contract';
import type { CallToolResult } from '@modelcontextprotocol/server';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { ApiError, invalid } from '../../platform/errors.ts';

interface ApiCall {
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

type Arguments = Readonly<Record<string, unknown>>;

const KEY_HEADER = 'Idempotency-Key';
/** The characters of every id. Others would have a meaning in a path. */
const ID = /^[\w-]{1,200}$/;

function pathOf({ path }: Operation, id: unknown): string {
  if (!path.includes('{id}')) return path;
  if (typeof id !== 'string' || id === '') throw invalid('id', 'is required, as text');
  if (!ID.test(id)) throw new ApiError('not_found', 'No object with this id in this organization and environment.');
  return path.replace('{id}', id);
}

const asText = (value: unknown): string =>
  typeof value === 'object' && value !== null ? JSON.stringify(value) : String(value);

function queryOf(values: Arguments): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(values)) {
    if (value === null || value === undefined) continue;
    if (Array.isArray(value)) query.set(name, value.map(asText).join(','));
    else if (typeof value === 'object') {
      const pairs = Object.entries(value);
      // The API rejects an empty filter. Leaving it out would list objects that the caller did not ask for.
      if (pairs.length === 0) query.set(name, '');
      for (const [key, inner] of pairs) query.set(`${name}[${key}]`, asText(inner));
    } else query.set(name, asText(value));
  }
  return query.size === 0 ? '' : `?${query}`;
}

/** The API request behind a tool call. Arguments that the operation does not have are passed on, so that the API names them. */
export function toApiCall({ operation, inputSchema }: AgentTool, given: Arguments): ApiCall {
  const { method, params, body } = operation;
  const rest = { ...given };
  const path = pathOf(operation, rest.id);
  if (params !== undefined) delete rest.id;
  const properties = inputSchema.properties as object;
  const key = rest[KEY_ARGUMENT];
  if (KEY_ARGUMENT in properties) {
    if (typeof key !== 'string') throw invalid(KEY_ARGUMENT, key === undefined ? 'is required' : 'must be text');
    delete rest[KEY_ARGUMENT];
  }
  if (body === undefined) return { method, path: path + queryOf(rest) };
  const isEmpty = Object.keys(rest).length === 0 && body.kind !== 'required';
  return {
    method,
    path,
    ...(!isEmpty && { body: rest }),
    ...(typeof key === 'string' && { idempotencyKey: key }),
  };
}

const text = (content: string) => ({ type: 'text', text: content }) as const;

/** The API's error with the advice for its code. The header that clients of the API set is an argument here. */
export function toErrorResult(error: ErrorBody['error'], requestId?: string): CallToolResult {
  // A newer version may send a code that this one does not know.
  const action = ERRORS[error.code as ErrorCode]?.action ?? '';
  const body = {
    error,
    ...(action !== '' && { next_step: action }),
    ...(requestId !== undefined && { request_id: requestId }),
  };
  return { isError: true, content: [text(JSON.stringify(body).replaceAll(KEY_HEADER, KEY_ARGUMENT))] };
}

const REPLAY = `This is the result of an earlier call with the same ${KEY_ARGUMENT}; nothing new was created or changed.`;

export function toResult({ error, body, requestId, isReplay, hint }: ApiAnswer): CallToolResult {
  if (error !== null) return toErrorResult(error, requestId);
  return {
    content: [
      text(JSON.stringify(body)),
      ...(isReplay ? [text(REPLAY)] : []),
      ...(hint === undefined ? [] : [text(hint)]),
    ],
    structuredContent: body,
  };
}

/** Reports an error of our own in the result, where the model sees it. Rethrows every other one. */
export async function reportErrors(work: () => Promise<CallToolResult>): Promise<CallToolResult> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    return toErrorResult((JSON.parse(error.toBody()) as ErrorBody).error);
  }
}
