import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { ERRORS, type ErrorCode } from '@foreword/contract';
import type { FastifyInstance } from 'fastify';
import type { Clock } from '../platform/clock.ts';
import { ApiError, helpLink } from '../platform/errors.ts';
import { newId } from '../platform/ids.ts';
import type { Logs } from '../platform/log.ts';

// An import would read every export of the module, and so load Node's `fetch` at each start.
const { maxHeaderSize, STATUS_CODES } = process.getBuiltinModule('node:http');

/** The last response of each connection. Pipelined responses are sent in order, so it is also the last to finish. */
const lastResponses = new WeakMap<Socket, { response: ServerResponse<IncomingMessage>; requestId: string }>();

export function noteResponse(response: ServerResponse<IncomingMessage>, requestId: string): void {
  lastResponses.set(response.req.socket, { response, requestId });
}

/** The last request is complete and has no full response yet, or its response has begun. */
const isResponding = (last: ServerResponse<IncomingMessage> | undefined): boolean =>
  last !== undefined && !last.writableFinished && (last.req.complete || last.headersSent);

/** The response was sent while the rest of the request body is still arriving; nothing else needs to be sent. */
const isAnswered = (last: ServerResponse<IncomingMessage> | undefined): boolean =>
  last?.writableFinished === true && !last.req.complete;

/** Lets the response arrive before the connection is closed. */
const LINGER_MS = 500;

export interface ConnectionEnd {
  (error: NodeJS.ErrnoException, socket: Socket): void;
  /** For a request whose body did not arrive in time. */
  late(request: IncomingMessage): void;
}

/** Node limits the address and the headers together. The bytes at the limit show which it is if they begin with the request. */
function codeOf(error: NodeJS.ErrnoException): ErrorCode {
  // Only errors of the parser have it. Fastify declares another type.
  const { code, rawPacket } = error as { code?: string; rawPacket?: Buffer };
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return 'request_timeout';
  if (code !== 'HPE_HEADER_OVERFLOW') return 'malformed_request';
  return /^[A-Z]+ \S+$/.test(rawPacket?.subarray(0, maxHeaderSize).toString('latin1') ?? '')
    ? 'uri_too_long'
    : 'headers_too_large';
}

/** Answers connections that sent no valid request: writes the usual error body to the bare socket. */
export function createConnectionEnd({
  log,
  clock,
  publicUrl,
  common,
}: {
  log: Logs;
  clock: Clock;
  publicUrl: string;
  /** Headers of every response. */
  common: Readonly<Record<string, string>>;
}): ConnectionEnd {
  const fixed = Object.entries(common)
    .map(([name, value]) => `${name}: ${value}\r\n`)
    .join('');
  function end(error: NodeJS.ErrnoException, socket: Socket): void {
    const { response: last, requestId } = lastResponses.get(socket) ?? {};
    const isGone = error.code === 'ECONNRESET' || socket.destroyed || !socket.writable;
    // A client that waits for another response must not get this one. Without any, it retries with its Idempotency-Key.
    if (isGone || isResponding(last) || isAnswered(last)) {
      socket.destroy();
      return;
    }
    const code = codeOf(error);
    const { status, example } = ERRORS[code];
    const body = new ApiError(code, example).toBody();
    const begun = last?.req.complete === false ? requestId : undefined;
    const id = begun ?? newId('req', clock());
    // A request that had begun is logged when it breaks off.
    if (begun === undefined) log.requests.write({ request_id: id, operation: 'unknown', status, error: code });
    const head = `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\nContent-Type: application/json; charset=utf-8\r\nRequest-Id: ${id}\r\nLink: ${helpLink(publicUrl, code)}\r\n${fixed}`;
    socket.end(`${head}Content-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`);
  }

  return Object.assign(end, {
    late(request: IncomingMessage) {
      const { socket } = request;
      // A request injected within the process has no connection.
      if (request.complete || !(socket instanceof Socket) || socket.destroyed) return;
      end(Object.assign(new Error('the body did not arrive in time'), { code: 'ERR_HTTP_REQUEST_TIMEOUT' }), socket);
      setTimeout(() => socket.destroy(), LINGER_MS).unref();
    },
  });
}

/** How often idle connections are closed during shutdown. */
const CLOSE_IDLE_MS = 50;
/**
 * Requests other than reports are answered within 3 s. A phone that lost its signal during an upload, or that reads a video slowly,
 * continues at another node; without this limit, the process would run out of time before it releases its jobs.
 */
const CLOSE_ALL_MS = 3_000;

/** Closes idle connections during shutdown, which Node's own close would wait for, and after a while all others. */
export function closeConnections(app: FastifyInstance): void {
  const sockets = new Set<Socket>();
  app.server.on('connection', (socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  app.addHook('preClose', (done) => {
    // Repeated, because a connection with a request in progress becomes idle only after its response.
    const idle = setInterval(() => {
      app.server.closeIdleConnections();
      // Browsers open connections in advance; Node does not count one without any request as idle.
      for (const socket of sockets) if (socket.bytesRead === 0) socket.destroy();
    }, CLOSE_IDLE_MS);
    const all = setTimeout(() => app.server.closeAllConnections(), CLOSE_ALL_MS);
    app.server.once('close', () => {
      clearInterval(idle);
      clearTimeout(all);
    });
    done();
  });
}

type Listener = (request: IncomingMessage, response: ServerResponse) => void;

/** How many requests of each connection wait for their turn. Connections that never pipelined are missing. */
type Waiting = WeakMap<Socket, { count: number }>;

function queueOf(waiting: Waiting, socket: Socket): { count: number } {
  const known = waiting.get(socket);
  if (known !== undefined) return known;
  const queue = { count: 0 };
  waiting.set(socket, queue);
  // Node resumes reading after each response.
  socket.on('resume', () => {
    if (queue.count > 0) socket.pause();
  });
  return queue;
}

/**
 * Handles the requests of each connection one after another, and reads no more of them while some are waiting. Node starts all
 * requests of a chunk at once, so one client that sends many without waiting for responses would delay everyone else's.
 */
export function handlePipelinedInTurn(server: Server): void {
  const [handle] = server.listeners('request') as Listener[];
  if (handle === undefined) throw new Error('the server has no request listener yet');
  const waiting: Waiting = new WeakMap();
  server.removeAllListeners('request');
  server.on('request', (request: IncomingMessage, response: ServerResponse) => {
    // A response gets the socket once those before it were sent.
    if (response.socket !== null) return handle(request, response);
    const { socket } = request;
    const queue = queueOf(waiting, socket);
    queue.count += 1;
    socket.pause();
    response.once('socket', () => {
      // After a pass of the event loop, in which other connections are served.
      setImmediate(() => {
        queue.count -= 1;
        if (socket.destroyed) return;
        if (queue.count === 0) socket.resume();
        handle(request, response);
      });
    });
  });
}
