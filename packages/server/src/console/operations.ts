import {
  CONSOLE_OPERATIONS,
  type ConsoleBody,
  type ConsoleKey,
  type ConsoleOperation,
  type ConsoleParams,
  type ConsoleQuery,
  type ConsoleResponse,
} from '@foreword/contract';
import type { FastifyInstance } from 'fastify';
import { Type } from 'typebox';
import { type Caller, registerRoute, requireJson } from '../http/index.ts';
import { ApiError, invalid } from '../platform/errors.ts';
import type { FairQueue } from '../platform/fair-queue.ts';
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

/** A signed-in member as the caller of an operation of the API. */
export const callerOf = ({ tenant, memberId: by }: ConsoleUser): Caller => ({ ...tenant, by });

/** A signed-in member, for the audit log. */
export const memberActor = ({ memberId: id }: Pick<ConsoleUser, 'memberId'>) => ({ type: 'member', id }) as const;

const NOTHING = Type.Object({}, { additionalProperties: false });

/** PostgreSQL rejects NUL and unpaired surrogates, so no object has them in its name. */
const isText = (value: unknown): boolean => typeof value !== 'string' || !/[\p{Cc}\p{Cs}]/u.test(value);

function requireText(params: unknown, query: Record<string, unknown>): void {
  if (!Object.values(params as object).every(isText)) throw new ApiError('not_found', 'Nothing with this name exists.');
  const broken = Object.keys(query).find((name) => !isText(query[name]));
  if (broken !== undefined) throw invalid(broken, 'must be text without control characters');
}

/** Registers a route per operation. It authorizes the user, checks the origin and the input, then calls the handler. */
export function registerConsoleOperations(
  app: FastifyInstance,
  access: ConsoleAccess,
  queue: FairQueue,
  handlers: ConsoleHandlers,
): void {
  for (const [key, operation] of Object.entries(CONSOLE_OPERATIONS) as [ConsoleKey, ConsoleOperation][]) {
    const [method = 'GET', path = ''] = key.split(' ');
    // The schemas have checked query and body, which TypeScript cannot relate to a key that varies.
    const handle = handlers[key] as (request: unknown) => Promise<unknown>;
    registerRoute(app, {
      name: `console ${key}`,
      method,
      url: `/console/api${path}`,
      maxBytes: operation.maxBytes,
      query: operation.query ?? NOTHING,
      body: operation.body ?? NOTHING,
      async authorize(request) {
        request.state.caller = await access.admit(request, operation.role);
        if (method !== 'GET') access.requireSameOrigin(request);
      },
      actorOf: ({ state }) => memberActor(state.caller as ConsoleUser),
      openSlot: ({ state }, client) => queue.slot((state.caller as ConsoleUser).tenant.organizationId, 1, client),
      checkInput: requireText,
      parseBody: (mediaType, bytes) =>
        method === 'GET' || (operation.body === undefined && bytes.length === 0) ? {} : requireJson(mediaType, bytes),
      async handle({ state, params, id: requestId }, { query, body }, reply) {
        const response = await handle({ user: state.caller, params, query, body, requestId });
        keepPrivate(reply);
        return JSON.stringify(response);
      },
    });
  }
}

/** Scoped to the member, because two members' pages may generate the same key. */
export const retryKey = ({ memberId }: ConsoleUser, clientKey: string): string => `console:${memberId}:${clientKey}`;
