import type { IncomingMessage } from 'node:http';
import { Socket } from 'node:net';
import { ERRORS, type ErrorCode, OPERATIONS } from '@foreword/contract';
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import { isTransient } from '../db/pools.ts';
import type { TrustsProxy } from '../platform/client-address.ts';
import { type Clock, monotonicMs } from '../platform/clock.ts';
import { ApiError, helpLink, unavailable } from '../platform/errors.ts';
import type { Slot } from '../platform/fair-queue.ts';
import { newId } from '../platform/ids.ts';
import type { Logs } from '../platform/log.ts';
import type { Metrics } from '../platform/metrics.ts';
import { nearest } from '../platform/nearest.ts';
import { FULL_RETRY_S, ObjectsError } from '../platform/objects/index.ts';
import { endSpan, readTraceParent, type Span, type SpanResult, traceIdOf } from '../platform/tracing.ts';
import {
  type ConnectionEnd,
  closeConnections,
  createConnectionEnd,
  handlePipelinedInTurn,
  noteResponse,
} from './sockets.ts';

/**
 * Whether a request has a header more than once. Node keeps the first `Host` and joins other values, so that another server
 * in front may have read something else. `name` is in lower case.
 */
export function isRepeated({ rawHeaders }: IncomingMessage, name: string): boolean {
  let count = 0;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const given = rawHeaders[at] ?? '';
    if (given.length === name.length && given.toLowerCase() === name) count += 1;
  }
  return count > 1;
}

const SENT_ONCE = ['Host', 'Authorization', 'Content-Type'];

/** The header that a request has twice, of those of which Node keeps only the first. */
const findRepeated = (raw: IncomingMessage): string | undefined =>
  SENT_ONCE.find((name) => isRepeated(raw, name.toLowerCase()));

/** A year: browsers then use https for this host, whatever a link says. Without subdomains, which may be someone else's. */
const HSTS = 'max-age=31536000';

/** Not for localhost: the browser would also require https from everything else on the developer's machine. */
function requiresHttps(publicUrl: string): boolean {
  const { protocol, hostname } = new URL(publicUrl);
  return protocol === 'https:' && !/(^|\.)localhost$/.test(hostname);
}

/** Headers of every response, errors and pages alike. */
const securityHeaders = (publicUrl: string): Readonly<Record<string, string>> => ({
  // Browsers must not guess that JSON or an upload is a page.
  'x-content-type-options': 'nosniff',
  ...(requiresHttps(publicUrl) && { 'strict-transport-security': HSTS }),
});

export const BODY_LIMIT_BYTES = 64 * 1024;
// Enough for 64 KiB on a bad phone line; a client that sends a byte per second is cut off.
const BODY_TIMEOUT_MS = 15_000;
/** Upload rate on a slow connection; extends the timeout of larger bodies. */
const BODY_BYTES_PER_MS = 100;
/** Node's own limit, for requests without a route. It exceeds the timeout of the largest body. */
const REQUEST_TIMEOUT_MS = 300_000;
const HEADERS_TIMEOUT_MS = 10_000;
const KEEP_ALIVE_TIMEOUT_MS = 72_000;
/** For the object store, after several attempts. */
const UNREACHABLE_RETRY_S = 5;

interface RequestState {
  startedMs: number;
  /** Time in which the request waited for a change, as it asked for. */
  waitedMs: number;
  /** Ends a request whose body does not arrive in time. */
  bodyTimer: NodeJS.Timeout | undefined;
  isLate: boolean;
  operation: string;
  mediaType: string | undefined;
  caller: unknown;
  /** Fields about the caller for the log line. */
  logFields: Record<string, string> | undefined;
  code: ErrorCode | undefined;
  /** Undefined unless the request belongs to a recorded trace. */
  span: Span | undefined;
  /** Its turn among the requests of all organizations. Undefined for routes that take no turns. */
  slot: Slot | undefined;
  /** The response as far as the request log needs it: an error body, or what a handler returned. */
  response: object | string | undefined;
}

const formatSize = (bytes: number): string => (bytes < 1_000_000 ? `${bytes / 1024} KiB` : `${bytes / 1_000_000} MB`);

export const tooLarge = (limitBytes: number): ApiError =>
  new ApiError('payload_too_large', `The body is larger than ${formatSize(limitBytes)}.`);

const malformed = (): ApiError => new ApiError('malformed_request', ERRORS.malformed_request.example);

const sentTwice = (header: string): ApiError =>
  new ApiError('malformed_request', `The request has the header ${header} twice. Send it once.`);

/** We do not decompress: a small body could become a huge one. */
const compressed = (encoding: string): ApiError =>
  new ApiError(
    'unsupported_media_type',
    `The body is compressed (Content-Encoding: ${encoding.slice(0, 40)}). Send it uncompressed, without Content-Encoding.`,
  );

/** True when the client disconnected before its request was complete. Node also marks fully read requests as destroyed. */
const isBrokenOff = (raw: FastifyRequest['raw']): boolean => raw.destroyed && !raw.complete;

function toApiError(error: unknown, { raw, routeOptions, state }: FastifyRequest): ApiError {
  if (error instanceof ApiError) return error;
  const { code, statusCode } = error as { code?: string; statusCode?: number };
  if (code === 'FST_ERR_CTP_BODY_TOO_LARGE') return tooLarge(routeOptions.bodyLimit ?? BODY_LIMIT_BYTES);
  // The client's fault, whatever error the socket reports.
  if (isBrokenOff(raw)) {
    const brokenOff = state.isLate ? 'request_timeout' : 'malformed_request';
    return new ApiError(brokenOff, ERRORS[brokenOff].example);
  }
  if (isTransient(error)) return unavailable(error);
  if (error instanceof ObjectsError && error.code === 'full')
    return new ApiError('storage_full', ERRORS.storage_full.example, { retryAfterS: FULL_RETRY_S, cause: error });
  if (error instanceof ObjectsError && error.code === 'unreachable') {
    const options = { retryAfterS: UNREACHABLE_RETRY_S, cause: error };
    return new ApiError('service_unavailable', ERRORS.service_unavailable.example, options);
  }
  if (statusCode !== undefined && statusCode >= 400 && statusCode < 500) return malformed();
  return new ApiError('internal_error', ERRORS.internal_error.example, { cause: error });
}

const API_PREFIX = '/v1/';
const API_PATHS = [...new Set(Object.values(OPERATIONS).map(({ path }) => path))];
/** Longer ones are not typing mistakes. */
const MAX_MISTYPED = 150;

/** The path of the API that is almost the same, with the ids of this one. */
function findSimilarPath(path: string): string | undefined {
  if (!path.startsWith(API_PREFIX) || path.length > MAX_MISTYPED) return undefined;
  const steps = path.split('/');
  const filled = API_PATHS.map((known) => known.split('/'))
    .filter((known) => known.length === steps.length)
    .map((known) => known.map((step, at) => (step.startsWith('{') ? steps[at] : step)).join('/'));
  return nearest(path, filled);
}

function unknownPath(url = ''): ApiError {
  const similar = findSimilarPath(url.split('?')[0] ?? '');
  const hint = similar === undefined ? '' : ` Did you mean ${similar}?`;
  return new ApiError(
    'not_found',
    `This path does not exist.${hint} The reference at /docs/reference lists all paths.`,
  );
}

/** Finds the methods of a path among all registered routes, for 405 and its `Allow` header. */
function watchRoutes(app: FastifyInstance): (path: string) => string[] {
  const routes: { methods: string[]; pattern: RegExp }[] = [];
  app.addHook('onRoute', ({ method, url }) => {
    const steps = url
      .split('/')
      .map((step) => (step === '*' ? '.*' : step.startsWith(':') ? '[^/]+' : RegExp.escape(step)));
    routes.push({ methods: [method].flat(), pattern: new RegExp(`^${steps.join('/')}$`) });
  });
  return (path) => [...new Set(routes.filter(({ pattern }) => pattern.test(path)).flatMap(({ methods }) => methods))];
}

export interface ServerOptions {
  log: Logs;
  clock: Clock;
  metrics: Metrics;
  publicUrl: string;
  trustsProxy: TrustsProxy;
  /** The page for a browser at an address that does not exist; undefined for other clients. Without it, all get JSON. */
  unknownPageFor?(request: FastifyRequest): Send | undefined;
  /** The path of a request within the service, by its `Host` header. */
  pathOf?(host: string | undefined, url: string): string;
}

/** `/v1/intros/` is the same path as `/v1/intros`. */
function withoutTrailingSlash(url: string): string {
  if (!url.startsWith(API_PREFIX)) return url;
  const queryAt = url.indexOf('?');
  const end = queryAt < 0 ? url.length : queryAt;
  return url[end - 1] === '/' ? url.slice(0, end - 1) + url.slice(end) : url;
}

type Begin = (request: FastifyRequest, reply: FastifyReply) => void;

function begin(request: FastifyRequest, reply: FastifyReply, common: Readonly<Record<string, string>>): void {
  const headers = request.raw.headers;
  const state: RequestState = {
    startedMs: monotonicMs(),
    waitedMs: 0,
    bodyTimer: undefined,
    isLate: false,
    operation: request.routeOptions?.config?.operation ?? 'unknown',
    mediaType: headers['content-type'],
    caller: undefined,
    logFields: undefined,
    code: undefined,
    span: undefined,
    slot: undefined,
    response: undefined,
  };
  // Fastify would reject other media types even for routes without a body; each route's parser decides instead.
  if (state.mediaType !== undefined) headers['content-type'] = 'application/json';
  request.state = state;
  reply.headers(common).header('request-id', request.id);
}

const describeRequest = ({ id, method, state: { code } }: FastifyRequest, status: number): SpanResult => ({
  attributes: {
    'http.request.method': method,
    'http.response.status_code': status,
    'foreword.request.id': id,
    'error.type': code,
  },
  error: status >= 500 ? code : null,
});

/** For a log line: the recorded trace, or that of the caller. */
const traceOf = ({ state: { span }, raw }: FastifyRequest): string | undefined =>
  traceIdOf(span).trace_id ?? readTraceParent(raw.headers.traceparent)?.traceId;

type Send = (request: FastifyRequest, reply: FastifyReply) => unknown;
/** `page` replaces the body of the error. */
type Reject = (request: FastifyRequest, reply: FastifyReply, error: ApiError, page?: Send) => void;

const createReject =
  ({ log, publicUrl }: ServerOptions): Reject =>
  (request, reply, error, page) => {
    const { state } = request;
    const body = error.toBody();
    state.code = error.code;
    state.response = body;
    if (error.status >= 500) {
      const err = error.cause ?? error;
      log.error(
        { request_id: request.id, trace_id: traceOf(request), operation: state.operation, err },
        'request failed',
      );
    }
    reply.header('link', helpLink(publicUrl, error.code));
    if (error.retryAfterS !== undefined) reply.header('retry-after', error.retryAfterS);
    if (error.code === 'unauthorized') reply.header('www-authenticate', 'Bearer');
    const { unavailablePage } = request.routeOptions?.config ?? {};
    const send = error.code === 'service_unavailable' ? unavailablePage : page;
    if (send !== undefined) send(request, reply);
    else reply.code(error.status).type('application/json; charset=utf-8').send(body);
  };

/** Browsers get a page for an address that does not exist. */
function createRejectUnknown(options: ServerOptions): Send {
  const reject = createReject(options);
  return (request, reply) =>
    reject(request, reply.header('vary', 'accept'), unknownPath(request.raw.url), options.unknownPageFor?.(request));
}

function startBodyTimer(request: FastifyRequest, end: ConnectionEnd): void {
  const { raw, state } = request;
  // A request from within this process, which has no connection, arrives complete.
  if (raw.method === 'GET' || raw.method === 'HEAD' || !(raw.socket instanceof Socket)) return;
  const excess = (request.routeOptions.bodyLimit ?? BODY_LIMIT_BYTES) - BODY_LIMIT_BYTES;
  const limitMs = BODY_TIMEOUT_MS + Math.max(0, excess) / BODY_BYTES_PER_MS;
  const onTimeout = () => {
    state.isLate = true;
    end.late(raw);
  };
  state.bodyTimer = setTimeout(onTimeout, limitMs).unref();
}

function addRequestHooks(app: FastifyInstance, options: ServerOptions, beginRequest: Begin, end: ConnectionEnd): void {
  const { log, metrics } = options;
  const reject = createReject(options);
  const rejectUnknown = createRejectUnknown(options);

  app.addHook('onRequest', (request, reply, done) => {
    beginRequest(request, reply);
    const { raw } = request;
    noteResponse(reply.raw, request.id);
    startBodyTimer(request, end);
    const isWithoutHost = raw.headers.host === undefined && raw.httpVersion === '1.1';
    if (isWithoutHost) return reject(request, reply, malformed());
    const repeated = findRepeated(raw);
    if (repeated !== undefined) return reject(request, reply, sentTwice(repeated));
    done();
  });

  function record(request: FastifyRequest, status: number): void {
    const { startedMs, waitedMs, operation, logFields, code, span } = request.state;
    const ms = monotonicMs() - startedMs - waitedMs;
    metrics.observeRequest(operation, status, ms / 1000);
    const traceId = traceOf(request);
    if (span !== undefined) endSpan(span, describeRequest(request, status));
    log.requests.write({
      request_id: request.id,
      ...(traceId !== undefined && { trace_id: traceId }),
      ...logFields,
      operation,
      method: request.method,
      status,
      ...(code !== undefined && { error: code }),
      duration_ms: Math.round(ms * 100) / 100,
      ...(waitedMs > 0 && { waited_ms: Math.round(waitedMs) }),
    });
  }

  app.addHook('onResponse', (request, reply, done) => {
    // The timer keeps running for a body that is still arriving, although its response was sent.
    if (request.raw.complete) clearTimeout(request.state.bodyTimer);
    record(request, reply.statusCode);
    done();
  });
  app.setErrorHandler((error, request, reply) => {
    const apiError = toApiError(error, request);
    reject(request, reply, apiError);
    if (!isBrokenOff(request.raw)) return;
    // The client is gone, so onResponse never runs.
    clearTimeout(request.state.bodyTimer);
    record(request, apiError.status);
  });
  const methodsOf = watchRoutes(app);
  app.setNotFoundHandler((request, reply) => {
    const allowed = methodsOf(request.raw.url?.split('?')[0] ?? '');
    // A route may be registered with this method and still answer 404, on a node without the api role.
    if (allowed.length === 0 || allowed.includes(request.method)) return rejectUnknown(request, reply);
    reply.header('allow', allowed.join(', '));
    const message = `${request.method} is not supported here. Use ${allowed.join(' or ')}.`;
    return reject(request, reply, new ApiError('method_not_allowed', message));
  });
}

const unused = (): never => {
  throw new Error('operations validate and present themselves');
};
/** Our routes have no schemas for Fastify, whose compilers would load dozens of modules at each start. */
const WITHOUT_SCHEMAS = { compilersFactory: { buildValidator: unused, buildSerializer: unused } };

export function createServer(options: ServerOptions): FastifyInstance {
  const { clock } = options;
  const common = securityHeaders(options.publicUrl);
  const beginRequest: Begin = (request, reply) => begin(request, reply, common);
  const end = createConnectionEnd({ ...options, common });
  const rejectUnknown = createRejectUnknown(options);
  const app = Fastify({
    logger: false,
    schemaController: WITHOUT_SCHEMAS,
    // Makes `request.ip` the client's address: the rightmost entry of X-Forwarded-For that no trusted proxy has.
    trustProxy: options.trustsProxy,
    bodyLimit: BODY_LIMIT_BYTES,
    requestTimeout: REQUEST_TIMEOUT_MS,
    keepAliveTimeout: KEEP_ALIVE_TIMEOUT_MS,
    http: {
      headersTimeout: HEADERS_TIMEOUT_MS,
      connectionsCheckingInterval: 500,
      // Node would reject it with an empty body; the onRequest hook sends the usual error body.
      requireHostHeader: false,
    },
    routerOptions: { maxParamLength: 200 },
    rewriteUrl: ({ url = '/', headers }) => withoutTrailingSlash(options.pathOf?.(headers.host, url) ?? url),
    genReqId: () => newId('req', clock()),
    clientErrorHandler: end,
    frameworkErrors: (_error, request, reply) => {
      beginRequest(request, reply);
      rejectUnknown(request, reply);
    },
    return503OnClosing: false,
    forceCloseConnections: 'idle',
  });
  handlePipelinedInTurn(app.server);
  app.decorateRequest('state');
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', { parseAs: 'buffer' }, (request, body, done) => {
    const encoding = request.headers['content-encoding'] ?? 'identity';
    if (encoding.toLowerCase() === 'identity') done(null, body);
    else done(compressed(encoding));
  });
  // Ignores an unknown Expect header; Node would respond with an empty 417.
  app.server.on('checkExpectation', (request, response) => app.server.emit('request', request, response));
  addRequestHooks(app, options, beginRequest, end);
  closeConnections(app);
  return app;
}

declare module 'fastify' {
  interface FastifyContextConfig {
    operation?: string;
    /** Sends a page for people instead of a JSON error while the service is unavailable. */
    unavailablePage?: Send;
  }
  interface FastifyRequest {
    state: RequestState;
  }
}
