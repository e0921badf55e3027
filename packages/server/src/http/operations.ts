import { setTimeout as pause } from 'node:timers/promises';
import {
  type BodyOf,
  CLIP_MAX_BYTES,
  IdempotencyKey,
  needsKey,
  OPERATIONS,
  type Operation,
  type OperationAccess,
  type OperationForm,
  type OperationId,
  type OperationOf,
  type QueryOf,
  type ResponseOf,
  type Role,
  Type,
} from '@foreword/contract';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Database, Tenant, Tx } from '../db/tenancy.ts';
import { ApiError, invalid } from '../platform/errors.ts';
import type { QueuedClient, Slot } from '../platform/fair-queue.ts';
import type { WaitingClient } from '../platform/long-poll.ts';
import type { Origin } from '../platform/origin.ts';
import type { Tracer } from '../platform/tracing.ts';
import { compileCheck } from '../platform/validate.ts';
import {
  type Authenticator,
  CONNECTION_COST,
  type Caller as KeyCaller,
  type KeyUsage,
  type Limiter,
  type RequestQueues,
  requireScope,
} from './access/index.ts';
import { type Answer, once } from './idempotency/index.ts';
import { type Clip, type Route, readClipOrObject, readJson, registerRoute, requireJson } from './route.ts';
import { isRepeated } from './server.ts';

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
  readonly query: QueryOf<OperationOf<K>>;
  readonly body: BodyOf<OperationOf<K>, Clip>;
}

/** The API key, member or operator that uses an operation. */
export interface Caller extends Tenant {
  /** The id of an API key or a member. Null: the operator. */
  readonly by: string | null;
  /** The role of a member in the console. Undefined for an API key and for the operator. */
  readonly role?: Role;
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
  run(tx: Tx, caller: Caller, input: Input<K>, prepared: Prepared | undefined): Promise<object>;
  /** Leaves out of the stored response what an erasure would not find there. */
  store?(response: object): object;
  /** Adds what is not stored, such as links and secrets. */
  present?(response: object, caller: Caller, input: Input<K>): object | Promise<object>;
  /**
   * The response for a repeated request whose stored one was removed. `id` is the object of the first request. Null: it is gone, too.
   */
  restore?(tx: Tx, caller: Caller, input: Input<K>, id: string | null): Promise<object | null>;
  /** The stored response is of no use anymore: the work runs again. */
  isOutdated?(response: object): boolean;
}

type Read<K extends ReadId> = (caller: Caller, input: ReadInput<K>) => Promise<ResponseOf<OperationOf<K>>>;
type Batched<K extends BatchedId> = (caller: Caller, input: Input<K>, key: string) => Promise<Answer>;
type Change<K extends ChangeId> =
  | KeyedChange<K>
  | ((tx: Tx, caller: Caller, input: Input<K>) => Promise<ResponseOf<OperationOf<K>>>);

/** The server's side of the contract. Each module provides its own operations; a missing one is a type error. */
export type Handlers = { readonly [K in ReadId]: Read<K> } & { readonly [K in BatchedId]: Batched<K> } & {
  readonly [K in ChangeId]: Change<K>;
};

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

/** Authenticates, checks the key's scope and applies the rate limit, which also counts a refused scope. */
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
  usage.note(caller);
  const isRead = operation.method === 'GET' || operation.changesNothing === true;
  const admitted = limiter.admit(caller, isRead ? 'read' : 'write', cost);
  const rate = admitted instanceof Promise ? await admitted : admitted;
  if (rate !== null) {
    reply.header('ratelimit-limit', rate.limit);
    reply.header('ratelimit-remaining', rate.remaining);
    reply.header('ratelimit-reset', rate.resetS);
  }
  requireScope(caller, operation);
  if (rate !== null && rate.exceeded !== null) {
    await pause(REFUSAL_DELAY_MS);
    throw rateLimited(rate.exceeded, rate.retryAfterS);
  }
}

function requireKey({ raw }: FastifyRequest): void {
  const key = raw.headers['idempotency-key'];
  if (key === undefined) throw invalid('Idempotency-Key', 'is required');
  if (isRepeated(raw, 'idempotency-key')) throw invalid('Idempotency-Key', 'must be sent only once');
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
export function createCost({ query }: OperationForm): (query: { limit?: unknown }) => number {
  const schema = query?.properties.limit as { minimum?: number; maximum?: number; default?: number } | undefined;
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
  db: Database,
  { method, path }: Operation,
  change: AnyChange,
  caller: Caller,
  input: AnyInput,
  key: string | undefined,
): Promise<{ readonly body: object; readonly replayed: boolean }> {
  const { id } = input.params;
  const prepared = await change.prepare?.(caller, input);
  const run = (tx: Tx) => change.run(tx, caller, input, prepared);
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
    restore: async (tx: Tx, objectId: string | null) => (await change.restore?.(tx, caller, input, objectId)) ?? null,
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
) => Promise<ResponseOf<OperationOf<K>>>;

/** For the console, whose own rules say who may use an operation. */
export const useOperations =
  <H extends Partial<Handlers>>(db: Database, handlers: H): UseOperation<keyof H & UsableId> =>
  async (id, caller, { key, params = { id: '' }, query = {}, body = {} } = {}) => {
    const operation: Operation = OPERATIONS[id];
    const input = { params, query, body } as AnyInput;
    const handler: unknown = handlers[id];
    if (!needsKey(operation)) return (handler as (caller: Caller, input: AnyInput) => Promise<never>)(caller, input);
    return (await runChange(db, operation, toChange(handler), caller, input, key)).body as never;
  };

/** Identifies the callers of operations: by their API key, or by their session in the console. */
export interface Credential {
  /** Where the paths of the operations begin. */
  readonly prefix: string;
  /** Throws unless the request may use the operation. Leaves the caller in the state of the request. */
  authorize(request: FastifyRequest, reply: FastifyReply, operation: OperationForm, cost: number): Promise<void>;
  actorOf(request: FastifyRequest): Origin['actor'];
  openSlot(request: FastifyRequest, client: QueuedClient, operation: OperationForm, cost: number): Slot;
  /** Keeps the keys of different callers apart. */
  scopeKey(request: FastifyRequest, key: string): string;
  /** The client of a request that may wait for a change. */
  waiting?(request: FastifyRequest, reply: FastifyReply): WaitingClient;
  /** Responses have an ETag and are compressed. */
  readonly isConditional: boolean;
  /** Responses contain names and phone numbers, so no cache may store them. */
  keepPrivate(reply: FastifyReply): void;
}

/** An operation gets these besides its input. */
interface Circumstances {
  readonly key: string;
  readonly waiting: WaitingClient | undefined;
}

/** An operation that is ready to be registered. */
export interface Served {
  readonly name: string;
  readonly operation: OperationForm & { readonly maxBytes?: number };
  /** It needs an Idempotency-Key. */
  readonly isKeyed: boolean;
  run(caller: Caller, input: AnyInput, circumstances: Circumstances): Promise<Answer>;
}

/** The operations of the contract with their handlers. */
export const serveHandlers = (db: Database, handlers: Handlers): readonly Served[] =>
  (Object.entries(OPERATIONS) as [OperationId, Operation][]).map(([name, operation]) => {
    // The schemas have checked query and body, which TypeScript cannot relate to an id that varies.
    const handler: unknown = handlers[name];
    return {
      name,
      operation,
      isKeyed: needsKey(operation),
      async run(caller, input, { key, waiting }) {
        if (!needsKey(operation)) {
          const read = handler as (caller: Caller, input: object) => Promise<object>;
          return { body: await read(caller, { ...input, waiting }) };
        }
        if (operation.isBatched) return (handler as Batched<BatchedId>)(caller, input as never, key);
        return runChange(db, operation, toChange(handler), caller, input, key);
      },
    };
  });

/** For the callers of the API. */
export function apiKeys({ gate, tracer }: { readonly gate: Gate; readonly tracer: Tracer | undefined }): Credential {
  const { queues } = gate;
  return {
    prefix: '',
    isConditional: true,
    async authorize(request, reply, operation, cost) {
      await authorize(gate, operation, request, reply, cost);
      // Only callers with a key are traced: others could fill the collector.
      const { startedMs, operation: name } = request.state;
      const startMs = performance.timeOrigin + startedMs;
      request.state.span = tracer?.startRequest(name, request.raw.headers.traceparent, startMs);
    },
    actorOf: ({ state }) => ({ type: 'key', id: (state.caller as KeyCaller).keyId }),
    openSlot({ state }, client, operation, cost) {
      const { organizationId } = state.caller as KeyCaller;
      return 'isBatched' in operation
        ? queues.batched.slot(organizationId, 1, client)
        : queues.api.slot(organizationId, cost + CONNECTION_COST, client);
    },
    scopeKey: (_request, key) => key,
    waiting: (request, reply) => waitingClient(gate, request, reply),
    keepPrivate: (reply) => void reply.header('cache-control', 'no-store'),
  };
}

const NOTHING = Type.Object({}, { additionalProperties: false });

/** PostgreSQL rejects NUL and unpaired surrogates, so no object has them in its name. */
const isText = (value: unknown): boolean => typeof value !== 'string' || !/[\p{Cc}\p{Cs}]/u.test(value);

function requireText(params: unknown, query: Record<string, unknown>): void {
  if (!Object.values(params as object).every(isText)) throw new ApiError('not_found', 'Nothing with this name exists.');
  const broken = Object.keys(query).find((name) => !isText(query[name]));
  if (broken !== undefined) throw invalid(broken, 'must be text without control characters');
}

/** Registers a route for each operation. */
export function registerOperations(app: FastifyInstance, credential: Credential, served: readonly Served[]): void {
  const { prefix } = credential;
  for (const { name, operation, isKeyed, run } of served) {
    const { method, path, body } = operation;
    const isPublic = 'operationId' in operation;
    const costOf = createCost(operation);
    registerRoute(app, {
      name: prefix === '' ? name : `console ${name}`,
      method,
      url: prefix + path.replaceAll(/\{([a-z_]+)\}/g, ':$1'),
      maxBytes: body?.kind === 'clip' ? CLIP_MAX_BYTES : operation.maxBytes,
      query: operation.query ?? NOTHING,
      body: body?.schema ?? (method === 'GET' ? undefined : NOTHING),
      isConditional: credential.isConditional && method === 'GET',
      isApi: isPublic,
      async authorize(request, reply) {
        await credential.authorize(request, reply, operation, costOf(request.query as object));
        if (isKeyed) requireKey(request);
      },
      actorOf: credential.actorOf,
      openSlot: (request, client) => credential.openSlot(request, client, operation, costOf(request.query as object)),
      ...(!isPublic && { checkInput: requireText }),
      parseBody: BODY_PARSERS[body?.kind ?? 'empty'],
      async handle(request, input, reply) {
        const key = credential.scopeKey(request, String(request.raw.headers['idempotency-key']));
        const given = { ...input, params: request.params } as AnyInput;
        const waiting = isKeyed ? undefined : credential.waiting?.(request, reply);
        const answered = await run(request.state.caller as Caller, given, { key, waiting });
        request.state.response = answered.body;
        if (answered.replayed === true) reply.header('idempotent-replayed', 'true');
        if (answered.hint !== undefined) reply.header('foreword-hint', answered.hint);
        credential.keepPrivate(reply);
        reply.code(operation.success.status);
        return answered.body;
      },
    });
  }
}
