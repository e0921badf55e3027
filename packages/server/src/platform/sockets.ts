import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { ERRORS } from '@foreword/contract';
import { ApiError } from './errors.ts';

/** The last answer begun on each connection; pipelined answers leave in order, so the last is the last to finish. */
const lastAnswers = new WeakMap<Socket, ServerResponse<IncomingMessage>>();

export function noteAnswer(answer: ServerResponse<IncomingMessage>): void {
  lastAnswers.set(answer.req.socket, answer);
}

/** A request that arrived whole and still waits for its answer. */
function owesAnswer(socket: Socket): boolean {
  const last = lastAnswers.get(socket);
  return last?.req.complete === true && !last.writableFinished;
}

/** For what never became a request: the shape of every error, written by hand on the bare socket. */
export function answerBrokenConnection(error: NodeJS.ErrnoException, socket: Socket): void {
  // Whoever waits for another answer must not be given this one: without any, they send it again and find what it made.
  if (error.code === 'ECONNRESET' || socket.destroyed || !socket.writable || owesAnswer(socket)) {
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
