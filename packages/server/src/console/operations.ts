import {
  CONSOLE_OPERATIONS,
  type ConsoleBody,
  type ConsoleKey,
  type ConsoleOperation,
  type ConsoleParams,
  type ConsoleQuery,
  type ConsoleResponse,
  ERRORS,
} from '@foreword/contract';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import { ApiError, invalid } from '../platform/errors.ts';
import { readJson } from '../platform/operations.ts';
import { compileCheck, readQuery } from '../platform/validate.ts';
import { type ConsoleAccess, keepPrivate } from './access.ts';
import type { ConsoleUser } from './sessions/service.ts';

export interface ConsoleRequest<K extends ConsoleKey> {
  readonly user: ConsoleUser;
  readonly params: ConsoleParams<K>;
  readonly query: ConsoleQuery<K>;
  readonly body: ConsoleBody<K>;
  /** Also in the response and in the log. */
  readonly requestId: string;
}

/** One handler per operation. A missing one is a type error. */
export type ConsoleHandlers = {
  readonly [K in ConsoleKey]: (request: ConsoleRequest<K>) => Promise<ConsoleResponse<K>>;
};

const NOTHING = Type.Object({}, { additionalProperties: false });

/** PostgreSQL rejects NUL and unpaired surrogates, so no object has them in its name. */
const isText = (value: unknown): boolean => typeof value !== 'string' || !/[\p{Cc}\p{Cs}]/u.test(value);

function requireText(params: unknown, query: Record<string, unknown>): void {
  if (!Object.values(params as object).every(isText)) throw new ApiError('not_found', 'Nothing with this name exists.');
  const broken = Object.keys(query).find((name) => !isText(query[name]));
  if (broken !== undefined) throw invalid(broken, 'must be text without control characters');
}

function readBody(request: FastifyRequest, { body }: ConsoleOperation): unknown {
  const bytes = (request.body as Buffer | undefined) ?? Buffer.alloc(0);
  if (body === undefined && bytes.length === 0) return {};
  if (!/^application\/json\b/i.test(request.state.mediaType ?? '')) {
    throw new ApiError('unsupported_media_type', ERRORS.unsupported_media_type.example);
  }
  return readJson(bytes);
}

/** Registers a route per operation. It authorizes the user, checks the origin and the input, then calls the handler. */
export function registerConsoleOperations(
  app: FastifyInstance,
  access: ConsoleAccess,
  handlers: ConsoleHandlers,
): void {
  for (const [key, operation] of Object.entries(CONSOLE_OPERATIONS) as [ConsoleKey, ConsoleOperation][]) {
    const [method = 'GET', path = ''] = key.split(' ');
    const query = operation.query ?? NOTHING;
    const checkQuery = compileCheck(query, 'query');
    const checkBody = compileCheck(operation.body ?? NOTHING, 'body');
    const handle = handlers[key] as (request: unknown) => Promise<unknown>;
    app.route({
      method,
      url: `/console/api${path}`,
      config: { operation: `console ${key}` },
      ...(operation.maxBytes !== undefined && { bodyLimit: operation.maxBytes }),
      async onRequest(request) {
        request.state.caller = await access.admit(request, operation.role);
        if (method !== 'GET') access.requireSameOrigin(request);
      },
      async handler(request, reply) {
        const asked = readQuery(query, request.query as Record<string, unknown>);
        checkQuery(asked);
        requireText(request.params, asked);
        const body = method === 'GET' ? {} : readBody(request, operation);
        checkBody(body);
        const { params, id: requestId } = request;
        const answer = await handle({ user: request.state.caller, params, query: asked, body, requestId });
        keepPrivate(reply).type('application/json; charset=utf-8');
        return JSON.stringify(answer);
      },
    });
  }
}
