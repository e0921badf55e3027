import { isUtf8 } from 'node:buffer';
import {
  ERRORS,
  type ErrorCode,
  IdempotencyKey,
  OPERATIONS,
  type Operation,
  type OperationId,
} from '@foreword/contract';
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import { type Clock, monotonicMs } from './clock.ts';
import { isTransient } from './db.ts';
import { ApiError, invalid } from './errors.ts';
import { newId } from './ids.ts';
import type { Logs } from './log.ts';
import type { Metrics } from './metrics.ts';
import { compileCheck, readQuery } from './validate.ts';

const BODY_LIMIT_BYTES = 64 * 1024;
// A phone on a bad line needs no longer for 64 KiB; one that drips a byte a second is no client of ours.
const REQUEST_TIMEOUT_MS = 15_000;
const HEADERS_TIMEOUT_MS = 10_000;
const KEEP_ALIVE_TIMEOUT_MS = 72_000;
const UNAVAILABLE_RETRY_S = 1;

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

interface RequestState {
  startedMs: number;
  operation: string;
  mediaType: string | undefined;
  caller: unknown;
  /** What of the caller stands in the log line. */
  shown: Record<string, string> | undefined;
  code: ErrorCode | undefined;
}

const checkKey = compileCheck(IdempotencyKey, 'Idempotency-Key');
const JSON_MEDIA_TYPE = /^application\/json\s*(;\s*charset\s*=\s*"?utf-8"?\s*)?$/i;

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function parseBody(kind: 'needed' | 'empty', mediaType: string | undefined, raw: Buffer | undefined): unknown {
  const bytes = raw ?? Buffer.alloc(0);
  if (kind === 'empty' && bytes.length === 0) return {};
  if (kind === 'needed' && !JSON_MEDIA_TYPE.test(mediaType ?? '')) {
    throw new ApiError('unsupported_media_type', ERRORS.unsupported_media_type.example);
  }
  const body = isUtf8(bytes) ? parseJson(bytes.toString('utf8')) : undefined;
  if (body === undefined) throw invalid('body', 'is not valid JSON in UTF-8');
  if (typeof body !== 'object' || body === null || Array.isArray(body)) throw invalid('body', 'must be a JSON object');
  return body;
}

function toApiError(error: unknown): ApiError {
  if (error instanceof ApiError) return error;
  const { code, statusCode } = error as { code?: string; statusCode?: number };
  if (code === 'FST_ERR_CTP_BODY_TOO_LARGE') return new ApiError('payload_too_large', ERRORS.payload_too_large.example);
  if (isTransient(error)) {
    const options = { retryAfterS: UNAVAILABLE_RETRY_S, cause: error };
    return new ApiError('service_unavailable', ERRORS.service_unavailable.example, options);
  }
  if (statusCode !== undefined && statusCode >= 400 && statusCode < 500) {
    return new ApiError('malformed_request', ERRORS.malformed_request.example);
  }
  return new ApiError('internal_error', ERRORS.internal_error.example, { cause: error });
}

const NOT_HERE = 'There is nothing at this path. The reference at /docs lists all of them.';

/** Which methods a path takes, for 405 and its `Allow`. */
function methodsByPath(operations: readonly Operation[]): (path: string) => string[] {
  const routes = operations.map(({ method, path }) => ({
    method,
    pattern: new RegExp(`^${path.replaceAll(/\{[a-z_]+\}/g, '[^/]+')}$`),
  }));
  return (path) => {
    const methods = routes.filter(({ pattern }) => pattern.test(path)).map(({ method }) => method as string);
    return methods.includes('GET') ? [...methods, 'HEAD'] : methods;
  };
}

/** For what never became a request: the same shape, written by hand on the bare socket. */
function answerBrokenConnection(error: NodeJS.ErrnoException, socket: import('node:net').Socket): void {
  if (error.code === 'ECONNRESET' || socket.destroyed || !socket.writable) {
    socket.destroy();
    return;
  }
  const code = error.code === 'ERR_HTTP_REQUEST_TIMEOUT' ? 'request_timeout' : 'malformed_request';
  const { status, example } = ERRORS[code];
  const body = new ApiError(code, example).toBody();
  const reason = code === 'request_timeout' ? 'Request Timeout' : 'Bad Request';
  const head = `HTTP/1.1 ${status} ${reason}\r\nContent-Type: application/json; charset=utf-8\r\n`;
  socket.end(`${head}Content-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`);
}

export interface ServerOptions {
  log: Logs;
  clock: Clock;
  metrics: Metrics;
  timeouts?: { requestMs?: number };
}

export function createServer(options: ServerOptions): FastifyInstance {
  const { log, clock, metrics } = options;
  const app = Fastify({
    logger: false,
    bodyLimit: BODY_LIMIT_BYTES,
    requestTimeout: options.timeouts?.requestMs ?? REQUEST_TIMEOUT_MS,
    keepAliveTimeout: KEEP_ALIVE_TIMEOUT_MS,
    http: {
      headersTimeout: Math.min(HEADERS_TIMEOUT_MS, options.timeouts?.requestMs ?? HEADERS_TIMEOUT_MS),
      connectionsCheckingInterval: 500,
    },
    routerOptions: { maxParamLength: 200 },
    genReqId: () => newId('req', clock()),
    clientErrorHandler: answerBrokenConnection,
    frameworkErrors: (_error, request, reply) => {
      begin(request, reply);
      reject(request, reply, new ApiError('not_found', NOT_HERE));
    },
    return503OnClosing: false,
    forceCloseConnections: 'idle',
  });

  function begin(request: FastifyRequest, reply: FastifyReply): void {
    const headers = request.raw.headers;
    const state: RequestState = {
      startedMs: monotonicMs(),
      operation: request.routeOptions?.config?.operation ?? 'unknown',
      mediaType: headers['content-type'],
      caller: undefined,
      shown: undefined,
      code: undefined,
    };
    // Fastify would refuse media types before a route that needs no body is asked; parseBody decides instead.
    if (state.mediaType !== undefined) headers['content-type'] = 'application/json';
    request.state = state;
    reply.header('request-id', request.id);
  }

  function reject(request: FastifyRequest, reply: FastifyReply, error: ApiError): void {
    const { state } = request;
    state.code = error.code;
    if (error.status >= 500) {
      log.error({ request_id: request.id, operation: state.operation, err: error.cause ?? error }, 'request failed');
    }
    if (error.retryAfterS !== undefined) reply.header('retry-after', error.retryAfterS);
    if (error.code === 'unauthorized') reply.header('www-authenticate', 'Bearer');
    reply.code(error.status).type('application/json; charset=utf-8').send(error.toBody());
  }

  app.decorateRequest('state');
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body));
  app.addHook('onRequest', (request, reply, done) => {
    begin(request, reply);
    done();
  });
  app.addHook('onResponse', (request, reply, done) => {
    const { startedMs, operation, shown, code } = request.state;
    const ms = monotonicMs() - startedMs;
    metrics.observeRequest(operation, reply.statusCode, ms / 1000);
    log.requests.info({
      request_id: request.id,
      ...shown,
      operation,
      method: request.method,
      status: reply.statusCode,
      ...(code !== undefined && { error: code }),
      duration_ms: Math.round(ms * 100) / 100,
    });
    done();
  });
  app.setErrorHandler((error, request, reply) => reject(request, reply, toApiError(error)));
  const methodsOf = methodsByPath(Object.values(OPERATIONS));
  app.setNotFoundHandler((request, reply) => {
    const allowed = methodsOf(request.raw.url?.split('?')[0] ?? '');
    // A node without the api role has the path, but not here.
    if (allowed.length === 0 || allowed.includes(request.method))
      return reject(request, reply, new ApiError('not_found', NOT_HERE));
    reply.header('allow', allowed.join(', '));
    const message = `${request.method} is not possible here. Use ${allowed.join(' or ')}.`;
    return reject(request, reply, new ApiError('method_not_allowed', message));
  });
  return app;
}

declare module 'fastify' {
  interface FastifyContextConfig {
    operation?: string;
  }
  interface FastifyRequest {
    state: RequestState;
  }
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
          checkBody?.(content);
        }
        const answer = await handle({
          caller,
          idempotencyKey: String(request.raw.headers['idempotency-key']),
          params: request.params as { id: string },
          query: asked,
          body: content,
        });
        if (answer.replayed === true) reply.header('idempotent-replayed', 'true');
        // Answers hold people's names and numbers: no cache on the way keeps them.
        reply.header('cache-control', 'no-store');
        reply.code(operation.success.status).type('application/json; charset=utf-8');
        return typeof answer.body === 'string' ? answer.body : JSON.stringify(answer.body);
      },
    });
  }
}
