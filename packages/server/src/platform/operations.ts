import { isUtf8 } from 'node:buffer';
import { setTimeout as pause } from 'node:timers/promises';
import {
  CLIP_MAX_BYTES,
  ERRORS,
  IdempotencyKey,
  needsKey,
  OPERATIONS,
  type Operation,
  type OperationAccess,
  type OperationBody,
  type OperationId,
  type OperationQuery,
  VIDEO_TYPES,
} from '@foreword/contract';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { TObject } from 'typebox';
import { sendConditionally } from './conditional.ts';
import { ApiError, invalid } from './errors.ts';
import type { QueuedClient, Slot } from './fair-queue.ts';
import { isRepeated } from './headers.ts';
import { BODY_LIMIT_BYTES, tooLarge } from './http.ts';
import type { WaitingClient } from './long-poll.ts';
import { type Origin, withRequest } from './origin.ts';
import { type Tracer, withSpan } from './tracing.ts';
import { compileCheck, readQuery } from './validate.ts';

/** A route whose query and JSON body follow a schema. The API and the console are built from these. */
export interface Route {
  /** Names the operation in logs and metrics. */
  readonly name: string;
  readonly method: string;
  readonly url: string;
  /** Overrides the usual limit. */
  readonly maxBytes?: number | undefined;
  readonly query: TObject;
  readonly body: TObject | undefined;
  /** Responses have an ETag and are compressed. */
  readonly isConditional?: boolean;
  /** Null and empty text in optional fields of the body count as not sent, and errors name every problem. */
  readonly isApi?: boolean;
  /** Who is allowed to make the request, for the audit log. Routes without it record the service as the actor. */
  actorOf?(request: FastifyRequest): Origin['actor'];
  /** Runs before the body is read. Throws when the request is not allowed. */
  authorize(request: FastifyRequest, reply: FastifyReply): Promise<void>;
  /** For routes that organizations share fairly. */
  openSlot?(request: FastifyRequest, client: QueuedClient): Slot;
  /** Checks that schemas cannot express. */
  checkInput?(params: object, query: Record<string, unknown>): void;
  /** A JSON object, or a clip where the operation accepts one. */
  parseBody(mediaType: string | undefined, bytes: Buffer): object;
  /** Returns an object, or JSON as text. */
  handle(request: FastifyRequest, input: { query: unknown; body: unknown }, reply: FastifyReply): Promise<unknown>;
}

const connectionOf = ({ raw }: FastifyRequest, reply: FastifyReply): QueuedClient => ({
  get isConnected() {
    return !raw.socket.destroyed;
  },
  onDisconnect(listener) {
    reply.raw.once('close', listener);
    return () => reply.raw.off('close', listener);
  },
});

export function registerRoute(app: FastifyInstance, route: Route): void {
  const { query, maxBytes } = route;
  const isApi = route.isApi ?? false;
  // An empty filter is not "no filter": a caller would act on objects that it did not mean.
  const checkQuery = compileCheck(query, 'query', { isApi });
  const readBody = route.body && compileCheck(route.body, 'body', { isApi, acceptsEmpty: isApi });
  app.route({
    method: route.method,
    url: route.url,
    config: { operation: route.name },
    ...(maxBytes !== undefined && { bodyLimit: maxBytes }),
    onRequest: (request, reply) => route.authorize(request, reply),
    async handler(request, reply) {
      const values = readQuery(query, request.query as Record<string, unknown>);
      checkQuery(values);
      route.checkInput?.(request.params as object, values);
      let body: object | undefined;
      if (readBody !== undefined) {
        const sent = route.parseBody(request.state.mediaType, (request.body as Buffer | undefined) ?? Buffer.alloc(0));
        body = sent instanceof Clip ? sent : readBody(sent);
      }
      const slot = route.openSlot?.(request, connectionOf(request, reply));
      request.state.slot = slot;
      const entering = slot?.enter();
      if (entering !== undefined) await entering;
      try {
        const work = () => withSpan(request.state.span, () => route.handle(request, { query: values, body }, reply));
        // Nothing that only reads is recorded.
        const response = await (route.actorOf === undefined || route.method === 'GET'
          ? work()
          : withRequest(request, route.actorOf(request), work));
        reply.type('application/json; charset=utf-8');
        const text = typeof response === 'string' ? response : JSON.stringify(response);
        return route.isConditional === true ? await sendConditionally(request, reply, text) : text;
      } finally {
        slot?.leave();
      }
    },
  });
}

/** The uploaded video of an operation that accepts one. */
export class Clip {
  readonly mediaType: string;
  readonly bytes: Buffer;

  constructor(mediaType: string, bytes: Buffer) {
    this.mediaType = mediaType;
    this.bytes = bytes;
  }
}

/** Input of a handler. `Caller` is what the gate knows about the API key. */
export interface ApiRequest<Caller, K extends OperationId> {
  readonly caller: Caller;
  readonly idempotencyKey: string;
  readonly params: { readonly id: string };
  readonly query: OperationQuery<K>;
  readonly body: OperationBody<K, Clip>;
  readonly client: WaitingClient;
}

export interface Answer {
  /** An object, or JSON that was stored as text. */
  readonly body: object | string;
  readonly replayed?: boolean;
  /** Advice for the caller in ASCII; the request succeeded. */
  readonly hint?: string | undefined;
}

export interface RateState {
  /** Null if it was allowed. */
  readonly exceeded: 'key' | 'organization' | null;
  readonly limit: number;
  readonly remaining: number;
  readonly resetS: number;
  readonly retryAfterS: number;
}

/** Authenticates API requests, limits their rate, and shares processing among organizations. */
export interface Gate<Caller> {
  /** `client` may be limited to certain addresses. */
  authenticate(authorization: string | undefined, client: { readonly ip: string }): Caller | Promise<Caller>;
  /** Throws when the caller may not use the operation. */
  allow(caller: Caller, operation: OperationAccess): void;
  /** `null` when rate limits are off. */
  admit(caller: Caller, kind: 'read' | 'write', cost: number): RateState | null | Promise<RateState | null>;
  openSlot(caller: Caller, kind: 'batched' | 'single', cost: number, client: QueuedClient): Slot;
  /** Fields about the caller for the log. */
  describe(caller: Caller): Record<string, string>;
  /** The id of the API key. */
  keyOf(caller: Caller): string;
}

export type Handlers<Caller> = { readonly [K in OperationId]: (request: ApiRequest<Caller, K>) => Promise<Answer> };

const checkKey = compileCheck(IdempotencyKey, 'Idempotency-Key');
const EMPTY_OBJECT = Buffer.from('{}');
const JSON_MEDIA_TYPE = /^application\/json\s*(;\s*charset\s*=\s*"?utf-8"?\s*)?$/i;

const isJson = (mediaType: string | undefined): boolean => JSON_MEDIA_TYPE.test(mediaType ?? '');

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** A JSON object, or 422. */
function readJson(bytes: Buffer): object {
  const body = isUtf8(bytes) ? parseJson(bytes.toString('utf8')) : undefined;
  if (body === undefined) throw invalid('body', 'is not valid JSON in UTF-8');
  if (typeof body !== 'object' || body === null || Array.isArray(body)) throw invalid('body', 'must be a JSON object');
  return body;
}

export function requireJson(mediaType: string | undefined, bytes: Buffer): object {
  if (!isJson(mediaType)) throw new ApiError('unsupported_media_type', ERRORS.unsupported_media_type.example);
  return readJson(bytes);
}

function readClip(mediaType: string | undefined, bytes: Buffer): Clip | null {
  const [type = ''] = (mediaType ?? '').toLowerCase().split(';');
  const videoType = VIDEO_TYPES.find((known) => known === type.trim());
  if (videoType === undefined) return null;
  if (bytes.length === 0) throw invalid('body', 'is an empty video');
  return new Clip(videoType, bytes);
}

function readClipOrObject(mediaType: string | undefined, bytes: Buffer): object {
  const clip = readClip(mediaType, bytes);
  if (clip !== null) return clip;
  if (bytes.length === 0) return {};
  if (isJson(mediaType) && bytes.length > BODY_LIMIT_BYTES) throw tooLarge(BODY_LIMIT_BYTES);
  if (isJson(mediaType) || bytes.equals(EMPTY_OBJECT)) return readJson(bytes);
  throw new ApiError('unsupported_media_type', `Declare the video as one of ${VIDEO_TYPES.join(', ')}.`);
}

const BODY_PARSERS: Record<NonNullable<Operation['body']>['kind'], Route['parseBody']> = {
  required: requireJson,
  optional: (_mediaType, bytes) => (bytes.length === 0 ? {} : readJson(bytes)),
  empty: (_mediaType, bytes) => (bytes.length === 0 ? {} : readJson(bytes)),
  clip: readClipOrObject,
};

const EXCEEDED = { key: 'with this key', organization: "with your organization's keys together" };

/** A client that ignores 429 would otherwise keep the process busy with refusals. It has to wait for a second anyway. */
const REFUSAL_DELAY_MS = 100;

function describeRate(reply: FastifyReply, { limit, remaining, resetS }: RateState): void {
  reply.header('ratelimit-limit', limit);
  reply.header('ratelimit-remaining', remaining);
  reply.header('ratelimit-reset', resetS);
}

function rateLimited(exceeded: 'key' | 'organization', retryAfterS: number): ApiError {
  const wait = retryAfterS === 1 ? '1 second' : `${retryAfterS} seconds`;
  const message = `Too many requests ${EXCEEDED[exceeded]}. Wait ${wait}, then retry with the same Idempotency-Key.`;
  return new ApiError('rate_limited', message, { retryAfterS });
}

/** Authenticates, checks the key's scope, applies the rate limit and requires an Idempotency-Key where the operation changes something. */
export async function authorize<Caller>(
  gate: Gate<Caller>,
  operation: OperationAccess,
  request: FastifyRequest,
  reply: FastifyReply,
  cost = 1,
): Promise<void> {
  const headers = request.raw.headers;
  // A cached key is known at once, so the hot path awaits nothing.
  const known = gate.authenticate(headers.authorization, request);
  const caller = known instanceof Promise ? await known : known;
  request.state.caller = caller;
  request.state.logFields = gate.describe(caller);
  gate.allow(caller, operation);
  const admitted = gate.admit(caller, operation.method === 'GET' || operation.changesNothing ? 'read' : 'write', cost);
  const rate = admitted instanceof Promise ? await admitted : admitted;
  if (rate !== null) describeRate(reply, rate);
  if (rate !== null && rate.exceeded !== null) {
    await pause(REFUSAL_DELAY_MS);
    throw rateLimited(rate.exceeded, rate.retryAfterS);
  }
  if (!needsKey(operation)) return;
  const key = headers['idempotency-key'];
  if (key === undefined) throw invalid('Idempotency-Key', 'is required');
  if (isRepeated(request.raw, 'idempotency-key')) throw invalid('Idempotency-Key', 'must be sent only once');
  checkKey(key);
}

function waitingClient<Caller>(gate: Gate<Caller>, request: FastifyRequest, slot: Slot): WaitingClient {
  return {
    get isConnected() {
      return slot.client.isConnected;
    },
    onDisconnect: (listener) => slot.client.onDisconnect(listener),
    leaveFor: (waiting) => slot.leaveFor(waiting),
    async reauthenticate() {
      await gate.authenticate(request.raw.headers.authorization, request);
    },
    addWaitedMs(ms) {
      request.state.waitedMs += ms;
    },
  };
}

/** Events and direct intros are written in batches. */
const BATCHED: ReadonlySet<OperationId> = new Set(['createTouchpointEvent', 'createIntro']);
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

/** Registers a route for each operation of the contract. A missing handler is a type error. */
export function registerOperations<Caller>(
  app: FastifyInstance,
  gate: Gate<Caller>,
  tracer: Tracer,
  handlers: Handlers<Caller>,
): void {
  for (const [operationId, operation] of Object.entries(OPERATIONS) as [OperationId, Operation][]) {
    // The schemas have checked query and body, which TypeScript cannot relate to a key that varies.
    const handle = handlers[operationId] as (request: unknown) => Promise<Answer>;
    const { body } = operation;
    const costOf = createCost(operation);
    const kind = BATCHED.has(operationId) ? 'batched' : 'single';
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
      actorOf: ({ state }) => ({ type: 'key', id: gate.keyOf(state.caller as Caller) }),
      openSlot: ({ state, query }, client) =>
        gate.openSlot(state.caller as Caller, kind, costOf(query as object), client),
      parseBody: BODY_PARSERS[body?.kind ?? 'empty'],
      async handle(request, input, reply) {
        const idempotencyKey = String(request.raw.headers['idempotency-key']);
        const { params, state } = request;
        const client = waitingClient(gate, request, state.slot as Slot);
        const answer = await handle({ ...input, caller: state.caller, idempotencyKey, params, client });
        request.state.response = answer.body;
        if (answer.replayed === true) reply.header('idempotent-replayed', 'true');
        if (answer.hint !== undefined) reply.header('foreword-hint', answer.hint);
        // Responses contain names and phone numbers, so no cache may store them.
        reply.header('cache-control', 'no-store').code(operation.success.status);
        return answer.body;
      },
    });
  }
}
