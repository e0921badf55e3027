import type { Socket } from 'node:net';
import { ERRORS, type ErrorCode } from '@foreword/contract';
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import { type Clock, monotonicMs } from './clock.ts';
import { isTransient } from './db.ts';
import { ApiError } from './errors.ts';
import { newId } from './ids.ts';
import type { Logs } from './log.ts';
import type { Metrics } from './metrics.ts';
import { createConnectionEnd, noteResponse } from './sockets.ts';

export const BODY_LIMIT_BYTES = 64 * 1024;
// A phone on a bad line needs no longer for 64 KiB; one that drips a byte a second is no client of ours.
const BODY_TIMEOUT_MS = 15_000;
/** What a slow uplink brings of a body that may be larger. */
const BODY_BYTES_PER_MS = 100;
/** Node's own, for what no route has; the largest body that any route takes is here before. */
const REQUEST_TIMEOUT_MS = 300_000;
const HEADERS_TIMEOUT_MS = 10_000;
const KEEP_ALIVE_TIMEOUT_MS = 72_000;
/** While the service stops. */
const CLOSE_IDLE_MS = 50;
const UNAVAILABLE_RETRY_S = 1;

interface RequestState {
  startedMs: number;
  /** Ends a request whose body does not come. */
  patience: NodeJS.Timeout | undefined;
  isLate: boolean;
  operation: string;
  mediaType: string | undefined;
  caller: unknown;
  /** What of the caller stands in the log line. */
  shown: Record<string, string> | undefined;
  code: ErrorCode | undefined;
  /** What was answered, as far as a log may want to know: the body of an error, or what a handler gave. */
  answer: object | string | undefined;
}

const inWords = (bytes: number): string => (bytes < 1_000_000 ? `${bytes / 1024} KiB` : `${bytes / 1_000_000} MB`);

export const tooLarge = (limitBytes: number): ApiError =>
  new ApiError('payload_too_large', `The body is larger than ${inWords(limitBytes)}.`);

/** Whoever sent it went away in the middle. Node calls a request that was read to its end destroyed as well. */
const isBrokenOff = (raw: FastifyRequest['raw']): boolean => raw.destroyed && !raw.complete;

function toApiError(error: unknown, { raw, routeOptions, state }: FastifyRequest): ApiError {
  if (error instanceof ApiError) return error;
  const { code, statusCode } = error as { code?: string; statusCode?: number };
  if (code === 'FST_ERR_CTP_BODY_TOO_LARGE') return tooLarge(routeOptions.bodyLimit ?? BODY_LIMIT_BYTES);
  // That is no fault of ours, whatever the socket calls it.
  if (isBrokenOff(raw)) {
    const brokenOff = state.isLate ? 'request_timeout' : 'malformed_request';
    return new ApiError(brokenOff, ERRORS[brokenOff].example);
  }
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

/** Which methods a path takes, for 405 and its `Allow`: whatever is registered, HEAD included. */
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
}

/** Node's own close waits for every connection, however little is to come. */
function closeWhatIsIdleAtStop(app: FastifyInstance): void {
  const sockets = new Set<Socket>();
  app.server.on('connection', (socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  app.addHook('preClose', (done) => {
    // Again and again: one whose request was under way falls idle only after its answer.
    const idle = setInterval(() => {
      app.server.closeIdleConnections();
      // Browsers open connections ahead of need: one on which nothing was ever asked counts as no idle one.
      for (const socket of sockets) if (socket.bytesRead === 0) socket.destroy();
    }, CLOSE_IDLE_MS);
    app.server.once('close', () => clearInterval(idle));
    done();
  });
}

export function createServer(options: ServerOptions): FastifyInstance {
  const { log, clock, metrics } = options;
  const endConnection = createConnectionEnd({ log, clock });
  const app = Fastify({
    logger: false,
    // Behind a proxy of one's own the client's address is what that proxy says; from elsewhere nobody is believed.
    trustProxy: 'loopback, linklocal, uniquelocal',
    bodyLimit: BODY_LIMIT_BYTES,
    requestTimeout: REQUEST_TIMEOUT_MS,
    keepAliveTimeout: KEEP_ALIVE_TIMEOUT_MS,
    http: {
      headersTimeout: HEADERS_TIMEOUT_MS,
      connectionsCheckingInterval: 500,
      // Node would refuse it with an empty body; the first hook does so in the shape of every error.
      requireHostHeader: false,
    },
    routerOptions: { maxParamLength: 200 },
    genReqId: () => newId('req', clock()),
    clientErrorHandler: endConnection,
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
      patience: undefined,
      isLate: false,
      operation: request.routeOptions?.config?.operation ?? 'unknown',
      mediaType: headers['content-type'],
      caller: undefined,
      shown: undefined,
      code: undefined,
      answer: undefined,
    };
    // Fastify would refuse media types before a route that needs no body is asked; parseBody decides instead.
    if (state.mediaType !== undefined) headers['content-type'] = 'application/json';
    request.state = state;
    reply.header('request-id', request.id);
  }

  function reject(request: FastifyRequest, reply: FastifyReply, error: ApiError): void {
    const { state } = request;
    const body = error.toBody();
    state.code = error.code;
    state.answer = body;
    if (error.status >= 500) {
      log.error({ request_id: request.id, operation: state.operation, err: error.cause ?? error }, 'request failed');
    }
    if (error.retryAfterS !== undefined) reply.header('retry-after', error.retryAfterS);
    if (error.code === 'unauthorized') reply.header('www-authenticate', 'Bearer');
    reply.code(error.status).type('application/json; charset=utf-8').send(body);
  }

  app.decorateRequest('state');
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body));
  // What nobody offers is not refused with an empty 417: the request is served as if it expected nothing.
  app.server.on('checkExpectation', (request, response) => app.server.emit('request', request, response));
  app.addHook('onRequest', (request, reply, done) => {
    begin(request, reply);
    const { raw } = request;
    noteResponse(reply.raw, request.id);
    if (raw.method !== 'GET' && raw.method !== 'HEAD') {
      const excess = (request.routeOptions.bodyLimit ?? BODY_LIMIT_BYTES) - BODY_LIMIT_BYTES;
      const limitMs = BODY_TIMEOUT_MS + Math.max(0, excess) / BODY_BYTES_PER_MS;
      const late = () => {
        request.state.isLate = true;
        endConnection.late(raw);
      };
      request.state.patience = setTimeout(late, limitMs).unref();
    }
    if (raw.headers.host === undefined && raw.httpVersion === '1.1') {
      return reject(request, reply, new ApiError('malformed_request', ERRORS.malformed_request.example));
    }
    done();
  });
  closeWhatIsIdleAtStop(app);

  function account(request: FastifyRequest, status: number): void {
    const { startedMs, operation, shown, code } = request.state;
    const ms = monotonicMs() - startedMs;
    metrics.observeRequest(operation, status, ms / 1000);
    log.requests.write({
      request_id: request.id,
      ...shown,
      operation,
      method: request.method,
      status,
      ...(code !== undefined && { error: code }),
      duration_ms: Math.round(ms * 100) / 100,
    });
  }

  app.addHook('onResponse', (request, reply, done) => {
    // For a body that is still to come, though its answer is out already, the time goes on.
    if (request.raw.complete) clearTimeout(request.state.patience);
    account(request, reply.statusCode);
    done();
  });
  app.setErrorHandler((error, request, reply) => {
    const told = toApiError(error, request);
    reject(request, reply, told);
    if (!isBrokenOff(request.raw)) return;
    // Nobody is there for the answer, so that it never counts as given.
    clearTimeout(request.state.patience);
    account(request, told.status);
  });
  const methodsOf = watchRoutes(app);
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
