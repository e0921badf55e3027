import { isUtf8 } from 'node:buffer';
import {
  CLIP_MAX_BYTES,
  ERRORS,
  IdempotencyKey,
  OPERATIONS,
  type Operation,
  type OperationId,
  VIDEO_TYPES,
} from '@foreword/contract';
import type { FastifyInstance, FastifyReply } from 'fastify';
import { ApiError, invalid } from './errors.ts';
import { BODY_LIMIT_BYTES, tooLarge } from './http.ts';
import { compileCheck, readQuery } from './validate.ts';

/** What a handler gets. `Caller` is whatever the gate found out about the key. */
export interface ApiRequest<Caller> {
  readonly caller: Caller;
  readonly idempotencyKey: string;
  readonly params: { readonly id: string };
  readonly query: unknown;
  readonly body: unknown;
}

export interface Answer {
  /** As it goes out: an object, or JSON that was written before. */
  readonly body: object | string;
  readonly replayed?: boolean;
}

export interface RateState {
  readonly allowed: boolean;
  readonly limit: number;
  readonly remaining: number;
  readonly resetS: number;
  readonly retryAfterS: number;
}

/** Who is calling, and may they call now. */
export interface Gate<Caller> {
  authenticate(authorization: string | undefined): Caller | Promise<Caller>;
  /** `null` when limits are off. */
  admit(caller: Caller, kind: 'read' | 'write'): RateState | null | Promise<RateState | null>;
  /** What of the caller stands in a log line. */
  describe(caller: Caller): Record<string, string>;
}

export type Handlers<Caller> = { readonly [K in OperationId]: (request: ApiRequest<Caller>) => Promise<Answer> };

const checkKey = compileCheck(IdempotencyKey, 'Idempotency-Key');
const EMPTY_OBJECT = Buffer.from('{}');
const JSON_MEDIA_TYPE = /^application\/json\s*(;\s*charset\s*=\s*"?utf-8"?\s*)?$/i;

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** A JSON object, or 422. */
export function readJson(bytes: Buffer): object {
  const body = isUtf8(bytes) ? parseJson(bytes.toString('utf8')) : undefined;
  if (body === undefined) throw invalid('body', 'is not valid JSON in UTF-8');
  if (typeof body !== 'object' || body === null || Array.isArray(body)) throw invalid('body', 'must be a JSON object');
  return body;
}

/** A video as it came, where one may come. */
export class Clip {
  readonly mediaType: string;
  readonly bytes: Buffer;

  constructor(mediaType: string, bytes: Buffer) {
    this.mediaType = mediaType;
    this.bytes = bytes;
  }
}

type BodyKind = NonNullable<Operation['body']>['kind'];

function readClip(mediaType: string | undefined, bytes: Buffer): Clip | null {
  const [type = ''] = (mediaType ?? '').toLowerCase().split(';');
  const offered = VIDEO_TYPES.find((offer) => offer === type.trim());
  if (offered === undefined) return null;
  if (bytes.length === 0) throw invalid('body', 'is an empty video');
  return new Clip(offered, bytes);
}

/** Where a video may come and what came is none of the types: `{}` under any type, else it was meant to be one. */
function readInsteadOfClip(isJson: boolean, bytes: Buffer): object {
  if (isJson && bytes.length > BODY_LIMIT_BYTES) throw tooLarge(BODY_LIMIT_BYTES);
  if (isJson || bytes.equals(EMPTY_OBJECT)) return readJson(bytes);
  throw new ApiError('unsupported_media_type', `Declare the video as one of ${VIDEO_TYPES.join(', ')}.`);
}

function parseBody(kind: BodyKind, mediaType: string | undefined, raw: Buffer | undefined): unknown {
  const bytes = raw ?? Buffer.alloc(0);
  const isJson = JSON_MEDIA_TYPE.test(mediaType ?? '');
  const clip = kind === 'clip' ? readClip(mediaType, bytes) : null;
  if (clip !== null) return clip;
  if (kind !== 'required' && bytes.length === 0) return {};
  if (kind === 'clip') return readInsteadOfClip(isJson, bytes);
  if (kind === 'required' && !isJson) {
    throw new ApiError('unsupported_media_type', ERRORS.unsupported_media_type.example);
  }
  return readJson(bytes);
}

function admitOrThrow(reply: FastifyReply, rate: RateState): void {
  reply.header('ratelimit-limit', rate.limit);
  reply.header('ratelimit-remaining', rate.remaining);
  reply.header('ratelimit-reset', rate.resetS);
  if (rate.allowed) return;
  const wait = rate.retryAfterS === 1 ? '1 second' : `${rate.retryAfterS} seconds`;
  const message = `Too many requests. Wait ${wait}, then send it again with the same Idempotency-Key.`;
  throw new ApiError('rate_limited', message, { retryAfterS: rate.retryAfterS });
}

/** One route for each operation of the contract; the type of `handlers` leaves none out. */
export function registerOperations<Caller>(app: FastifyInstance, gate: Gate<Caller>, handlers: Handlers<Caller>): void {
  for (const [operationId, operation] of Object.entries(OPERATIONS) as [OperationId, Operation][]) {
    const handle = handlers[operationId];
    const { body, query } = operation;
    const checkQuery = compileCheck(query, 'query');
    const checkBody = body && compileCheck(body.schema, 'body');
    const kind = operation.method === 'GET' ? 'read' : 'write';

    app.route({
      method: operation.method,
      url: operation.path.replaceAll(/\{([a-z_]+)\}/g, ':$1'),
      config: { operation: operationId },
      ...(body?.kind === 'clip' && { bodyLimit: CLIP_MAX_BYTES }),
      async onRequest(request, reply) {
        const headers = request.raw.headers;
        const known = gate.authenticate(headers.authorization);
        const caller = known instanceof Promise ? await known : known;
        request.state.caller = caller;
        request.state.shown = gate.describe(caller);
        const verdict = gate.admit(caller, kind);
        const rate = verdict instanceof Promise ? await verdict : verdict;
        if (rate !== null) admitOrThrow(reply, rate);
        if (body === undefined) return;
        const key = headers['idempotency-key'];
        if (key === undefined) throw invalid('Idempotency-Key', 'is required');
        checkKey(key);
      },
      async handler(request, reply) {
        const caller = request.state.caller as Caller;
        const asked = readQuery(query, request.query as Record<string, unknown>);
        checkQuery(asked);
        let content: unknown;
        if (body !== undefined) {
          content = parseBody(body.kind, request.state.mediaType, request.body as Buffer | undefined);
          if (!(content instanceof Clip)) checkBody?.(content);
        }
        const answer = await handle({
          caller,
          idempotencyKey: String(request.raw.headers['idempotency-key']),
          params: request.params as { id: string },
          query: asked,
          body: content,
        });
        request.state.answer = answer.body;
        if (answer.replayed === true) reply.header('idempotent-replayed', 'true');
        // Answers hold people's names and numbers: no cache on the way keeps them.
        reply.header('cache-control', 'no-store');
        reply.code(operation.success.status).type('application/json; charset=utf-8');
        return typeof answer.body === 'string' ? answer.body : JSON.stringify(answer.body);
      },
    });
  }
}
