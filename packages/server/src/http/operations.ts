import { setTimeout as pause } from 'node:timers/promises';
import {
  CLIP_MAX_BYTES,
  IdempotencyKey,
  needsKey,
  OPERATIONS,
  type Operation,
  type OperationAccess,
  type OperationBody,
  type OperationId,
  type OperationQuery,
} from '@foreword/contract';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Transaction } from 'kysely';
import type { Static } from 'typebox';
import {
  type Authenticator,
  CONNECTION_COST,
  type Caller as KeyCaller,
  type KeyUsage,
  type Limiter,
  type RequestQueues,
  requireScope,
} from '../access/index.ts';
import type { Tables, Tenant } from '../db/tenancy.ts';
import { type Answer, once } from '../idempotency/index.ts';
import type { Database } from '../platform/db.ts';
import { ApiError, invalid } from '../platform/errors.ts';
import type { Slot } from '../platform/fair-queue.ts';
import { isRepeated } from '../platform/headers.ts';
import type { WaitingClient } from '../platform/long-poll.ts';
import type { Tracer } from '../platform/tracing.ts';
import { compileCheck } from '../platform/validate.ts';
import { type Clip, type Route, readClipOrObject, readJson, registerRoute, requireJson } from './route.ts';

type Operations = typeof OPERATIONS;
type BatchedId = {
  [K in OperationId]: Operations[K] extends { isBatched: true } ? K : never;
}[OperationId];
type ReadId = {
  [K in OperationId]: Operations[K] extends { changesNothing: true }
    ? K
    : Operations[K] extends { body: object }
      ? never
      : K;
}[OperationId];
export type ChangeId = Exclude<OperationId, BatchedId | ReadId>;

/** A request that passed the checks of the contract. */
export interface Input<K extends OperationId> {
  readonly params: { readonly id: string };
  readonly query: OperationQuery<K>;
  readonly body: OperationBody<K, Clip>;
}

/** The API key, member or operator that uses an operation. */
export interface Caller extends Tenant {
  /** The id of an API key or a member. Null: the operator. */
  readonly by: string | null;
}

export interface ReadInput<K extends OperationId> extends Input<K> {
  /** Undefined: does not wait for a change. */
  readonly waiting?: WaitingClient | undefined;
}

/** Files that were stored before the transaction of a change. */
export interface Prepared {
  /** Deletes what the change did not use: it was a repeat, or was refused. */
  end(): Promise<void>;
}

/** A change that needs more than one function. The first response and every replay are presented from the same stored object. */
export interface KeyedChange<K extends ChangeId> {
  /** Replaces the body in the fingerprint of the request, for example with a hash if the body has a phone number. */
  identify?(caller: Caller, input: Input<K>): unknown;
  /** Runs before the transaction, so that a slow object store holds no locks. */
  prepare?(caller: Caller, input: Input<K>): Promise<Prepared | undefined>;
  /** Runs once per Idempotency-Key, in the transaction that stores its response. */
  run(tx: Transaction<Tables>, caller: Caller, input: Input<K>, prepared: Prepared | undefined): Promise<object>;
  /** Leaves out of the stored response what an erasure would not find there. */
  store?(response: object): object;
  /** Adds what is not stored, such as links and secrets. */
  present?(response: object, caller: Caller, input: Input<K>): object | Promise<object>;
  /** The response for a repeated request whose stored one was removed. Null: the object is gone, too. */
  restore?(tx: Transaction<Tables>, caller: Caller, input: Input<K>): Promise<object | null>;
  /** The stored response is of no use anymore: the work runs again. */
  isOutdated?(response: object): boolean;
}

type ResponseOf<K extends OperationId> = Static<Operations[K]['success']['schema']>;

type Read<K extends ReadId> = (caller: Caller, input: ReadInput<K>) => Promise<ResponseOf<K>>;
type Batched<K extends BatchedId> = (caller: Caller, input: Input<K>, key: string) => Promise<Answer>;
type Change<K extends ChangeId> =
  | KeyedChange<K>
  | ((tx: Transaction<Tables>, caller: Caller, input: Input<K>) => Promise<ResponseOf<K>>);

/** The server's side of the contract. Each module provides its own operations; a missing one is a type error. */
export type Handlers = { readonly [K in ReadId]: Read<K> } & { readonly [K in BatchedId]: Batched<K> } & {
  readonly [K in ChangeId]: Change<K>;
};

export interface OperationDeps {
  readonly db: Database<Tables>;
  readonly tracer: Tracer;
  readonly gate: Gate;
}

/** Authenticates API requests and limits their rate. */
export interface Gate {
  readonly authenticator: Pick<Authenticator, 'authenticate'>;
  readonly usage: Pick<KeyUsage, 'note'>;
  readonly limiter: Limiter;
  readonly queues: RequestQueues;
}

const checkKey = compileCheck(IdempotencyKey, 'Idempotency-Key');

const BODY_PARSERS: Record<NonNullable<Operation['body']>['kind'], Route['parseBody']> = {
  required: requireJson,
  optional: (_mediaType, bytes) => (bytes.length === 0 ? {} : readJson(bytes)),
  empty: (_mediaType, bytes) => (bytes.length === 0 ? {} : readJson(bytes)),
  clip: readClipOrObject,
};

const EXCEEDED = { key: 'with this key', organization: "with your organization's keys together" };

/** A client that ignores 429 would otherwise keep the process busy with refusals. It has to wait for a second anyway. */
const REFUSAL_DELAY_MS = 100;

function rateLimited(exceeded: 'key' | 'organization', retryAfterS: number): ApiError {
  const wait = retryAfterS === 1 ? '1 second' : `${retryAfterS} seconds`;
  const message = `Too many requests ${EXCEEDED[exceeded]}. Wait ${wait}, then retry with the same Idempotency-Key.`;
  return new ApiError('rate_limited', message, { retryAfterS });
}

/** Authenticates, checks the key's scope, applies the rate limit and requires an Idempotency-Key where the operation changes something. */
export async function authorize(
  { authenticator, usage, limiter }: Gate,
  operation: OperationAccess,
  request: FastifyRequest,
  reply: FastifyReply,
  cost = 1,
): Promise<void> {
  const { state } = request;
  const { headers } = request.raw;
  // A cached key is known at once, so the hot path awaits nothing.
  const known = authenticator.authenticate(headers.authorization, request);
  const caller = known instanceof Promise ? await known : known;
  state.caller = caller;
  state.logFields = { organization: caller.organizationId, key: caller.keyId };
  requireScope(caller, operation);
  usage.note(caller);
  const isRead = operation.method === 'GET' || operation.changesNothing === true;
  const admitted = limiter.admit(caller, isRead ? 'read' : 'write', cost);
  const rate = admitted instanceof Promise ? await admitted : admitted;
  if (rate !== null) {
    reply.header('ratelimit-limit', rate.limit);
    reply.header('ratelimit-remaining', rate.remaining);
    reply.header('ratelimit-reset', rate.resetS);
    if (rate.exceeded !== null) {
      await pause(REFUSAL_DELAY_MS);
      throw rateLimited(rate.exceeded, rate.retryAfterS);
    }
  }
  if (!needsKey(operation)) return;
  const key = headers['idempotency-key'];
  if (key === undefined) throw invalid('Idempotency-Key', 'is required');
  if (isRepeated(request.raw, 'idempotency-key')) throw invalid('Idempotency-Key', 'must be sent only once');
  checkKey(key);
}

function waitingClient({ authenticator }: Gate, request: FastifyRequest, reply: FastifyReply): WaitingClient {
  const slot = request.state.slot as Slot;
  return {
    keyId: (request.state.caller as KeyCaller).keyId,
    advise: (hint) => void reply.header('foreword-hint', hint),
    get isConnected() {
      return slot.client.isConnected;
    },
    onDisconnect: (listener) => slot.client.onDisconnect(listener),
    leaveFor: (waiting) => slot.leaveFor(waiting),
    async reauthenticate() {
      await authenticator.authenticate(request.raw.headers.authorization, request);
    },
    addWaitedMs(ms) {
      request.state.waitedMs += ms;
    },
  };
}

const OBJECTS_PER_TOKEN = 10;

/** A list costs one token for each 10 objects of its `limit`; everything else costs one. */
export function createCost({ query }: Operation): (query: { limit?: unknown }) => number {
  const schema = query.properties.limit as { minimum?: number; maximum?: number; default?: number } | undefined;
  if (schema === undefined) return () => 1;
  const { minimum = 1, maximum = 1, default: usual } = schema;
  return ({ limit = usual }) => {
    const objects = Number(limit);
    // The check of the query rejects the others.
    return objects >= minimum && objects <= maximum ? Math.ceil(objects / OBJECTS_PER_TOKEN) : 1;
  };
}

type AnyChange = KeyedChange<ChangeId>;
type AnyInput = Input<ChangeId>;

const toChange = (handler: unknown): AnyChange =>
  (typeof handler === 'function' ? { run: handler } : handler) as AnyChange;

/** Without a key, the change runs each time. */
async function runChange(
  db: Database<Tables>,
  { method, path }: Operation,
  change: AnyChange,
  caller: Caller,
  input: AnyInput,
  key: string | undefined,
): Promise<{ readonly body: object; readonly replayed: boolean }> {
  const { id } = input.params;
  const prepared = await change.prepare?.(caller, input);
  const run = (tx: Transaction<Tables>) => change.run(tx, caller, input, prepared);
  const request = {
    tenant: caller,
    method: method as 'POST' | 'DELETE',
    path: path.replace('{id}', () => id),
    body: change.identify === undefined ? input.body : change.identify(caller, input),
    objectId: id || undefined,
  };
  const repetition = {
    store: change.store,
    isOutdated: change.isOutdated,
    restore: async (tx: Transaction<Tables>) => (await change.restore?.(tx, caller, input)) ?? null,
  };
  try {
    const { response, replayed } =
      key === undefined
        ? { response: await db.kysely.transaction().execute(run), replayed: false }
        : await once(db, { ...request, key }, run, repetition);
    return { body: (await change.present?.(response, caller, input)) ?? response, replayed };
  } finally {
    await prepared?.end();
  }
}

type UsableId = ChangeId | ReadId;

/** Uses an operation of the API in this process. The input is what the schemas of the operation allow. */
export type UseOperation<Id extends UsableId = UsableId> = <K extends Id>(
  id: K,
  caller: Caller,
  request?: Partial<Input<K>> & { readonly key?: string | undefined },
) => Promise<ResponseOf<K>>;

/** For the console, whose own rules say who may use an operation. */
export const useOperations =
  <H extends Partial<Handlers>>(db: Database<Tables>, handlers: H): UseOperation<keyof H & UsableId> =>
  async (id, caller, { key, params = { id: '' }, query = {}, body = {} } = {}) => {
    const operation: Operation = OPERATIONS[id];
    const input = { params, query, body } as AnyInput;
    const handler: unknown = handlers[id];
    if (!needsKey(operation)) return (handler as (caller: Caller, input: AnyInput) => Promise<never>)(caller, input);
    return (await runChange(db, operation, toChange(handler), caller, input, key)).body as never;
  };

/** Registers a route for each operation of the contract. */
export function registerOperations(
  app: FastifyInstance,
  { db, tracer, gate }: OperationDeps,
  handlers: Handlers,
): void {
  const { queues } = gate;
  for (const [operationId, operation] of Object.entries(OPERATIONS) as [OperationId, Operation][]) {
    const { body, isBatched } = operation;
    // The schemas have checked query and body, which TypeScript cannot relate to an id that varies.
    const handler: unknown = handlers[operationId];
    const costOf = createCost(operation);

    const answer = (request: FastifyRequest, input: AnyInput, reply: FastifyReply): Promise<Answer> => {
      const caller = request.state.caller as KeyCaller;
      if (!needsKey(operation)) {
        const read = handler as (caller: Caller, input: object) => Promise<object>;
        return read(caller, { ...input, waiting: waitingClient(gate, request, reply) }).then((body) => ({ body }));
      }
      const key = String(request.raw.headers['idempotency-key']);
      if (isBatched) return (handler as Batched<BatchedId>)(caller, input as Input<BatchedId>, key);
      return runChange(db, operation, toChange(handler), caller, input, key);
    };

    registerRoute(app, {
      name: operationId,
      method: operation.method,
      url: operation.path.replaceAll(/\{([a-z_]+)\}/g, ':$1'),
      maxBytes: body?.kind === 'clip' ? CLIP_MAX_BYTES : undefined,
      query: operation.query,
      body: body?.schema,
      isConditional: operation.method === 'GET',
      isApi: true,
      async authorize(request, reply) {
        await authorize(gate, operation, request, reply, costOf(request.query as object));
        // Only callers with a key are traced: others could fill the collector.
        const { startedMs } = request.state;
        request.state.span = tracer.startRequest(request.raw.headers.traceparent, performance.timeOrigin + startedMs);
      },
      actorOf: ({ state }) => ({ type: 'key', id: (state.caller as KeyCaller).keyId }),
      openSlot({ state, query }, client) {
        const { organizationId } = state.caller as KeyCaller;
        return isBatched
          ? queues.batched.slot(organizationId, 1, client)
          : queues.api.slot(organizationId, costOf(query as object) + CONNECTION_COST, client);
      },
      parseBody: BODY_PARSERS[body?.kind ?? 'empty'],
      async handle(request, input, reply) {
        const answered = await answer(request, { ...input, params: request.params } as AnyInput, reply);
        request.state.response = answered.body;
        if (answered.replayed === true) reply.header('idempotent-replayed', 'true');
        if (answered.hint !== undefined) reply.header('foreword-hint', answered.hint);
        // Responses contain names and phone numbers, so no cache may store them.
        reply.header('cache-control', 'no-store').code(operation.success.status);
        return answered.body;
      },
    });
  }
}
