import type { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { ERRORS } from '@foreword/contract';
import type { Clock } from './clock.ts';
import { ApiError } from './errors.ts';
import { newId } from './ids.ts';
import type { Logs } from './log.ts';

/** The last answer begun on each connection; pipelined answers leave in order, so the last is the last to finish. */
const lastAnswers = new WeakMap<Socket, { answer: ServerResponse<IncomingMessage>; requestId: string }>();

export function noteAnswer(answer: ServerResponse<IncomingMessage>, requestId: string): void {
  lastAnswers.set(answer.req.socket, { answer, requestId });
}

/** A request that arrived whole and still waits for its answer, or one whose answer has begun. */
const isOthers = (last: ServerResponse<IncomingMessage> | undefined): boolean =>
  last !== undefined && !last.writableFinished && (last.req.complete || last.headersSent);

/** Its answer is out, and the rest of its body still comes: there is nothing more to say to it. */
const isAnswered = (last: ServerResponse<IncomingMessage> | undefined): boolean =>
  last?.writableFinished === true && !last.req.complete;

/** For the answer to arrive before the connection goes. */
const LINGER_MS = 500;

export interface ConnectionEnd {
  (error: NodeJS.ErrnoException, socket: Socket): void;
  /** Its time is over. */
  late(request: IncomingMessage): void;
}

/** For what never became a request: the shape of every error, written by hand on the bare socket. */
export function createConnectionEnd({ log, clock }: { log: Logs; clock: Clock }): ConnectionEnd {
  function end(error: NodeJS.ErrnoException, socket: Socket): void {
    const { answer: last, requestId } = lastAnswers.get(socket) ?? {};
    const isGone = error.code === 'ECONNRESET' || socket.destroyed || !socket.writable;
    // Whoever waits for another answer must not be given this one: without any, they send it again and find what it made.
    if (isGone || isOthers(last) || isAnswered(last)) {
      socket.destroy();
      return;
    }
    const code = error.code === 'ERR_HTTP_REQUEST_TIMEOUT' ? 'request_timeout' : 'malformed_request';
    const { status, example } = ERRORS[code];
    const body = new ApiError(code, example).toBody();
    const reason = code === 'request_timeout' ? 'Request Timeout' : 'Bad Request';
    const begun = last?.req.complete === false ? requestId : undefined;
    const id = begun ?? newId('req', clock());
    // One that had begun is told of when it breaks off.
    if (begun === undefined) log.requests.write({ request_id: id, operation: 'unknown', status, error: code });
    const head = `HTTP/1.1 ${status} ${reason}\r\nContent-Type: application/json; charset=utf-8\r\nRequest-Id: ${id}\r\n`;
    socket.end(`${head}Content-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`);
  }

  return Object.assign(end, {
    late(request: IncomingMessage) {
      const { socket } = request;
      // A request that was made up within the process has no connection.
      if (request.complete || !(socket instanceof Socket) || socket.destroyed) return;
      end(Object.assign(new Error('the body did not come'), { code: 'ERR_HTTP_REQUEST_TIMEOUT' }), socket);
      setTimeout(() => socket.destroy(), LINGER_MS).unref();
    },
  });
}
