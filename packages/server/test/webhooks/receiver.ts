import http from 'node:http';
import https from 'node:https';
import { listenLocally } from '../harness/streams.ts';

const WAIT_MS = 60_000;
const POLL_MS = 5;

export interface Received {
  readonly path: string;
  readonly headers: Record<string, string>;
  readonly body: string;
  readonly atMs: number;
}

export type Answer = (response: http.ServerResponse, received: Received) => void;

export const status =
  (code: number, body = '', headers: Record<string, string> = {}): Answer =>
  (response) => {
    response.writeHead(code, headers).end(body);
  };

/** Accepts the request and never responds. */
export const hang: Answer = () => undefined;

export type Receiver = Awaited<ReturnType<typeof startReceiver>>;

/** A real HTTP server that records the requests it receives. */
export async function startReceiver(
  answer: Answer = status(200, 'ok'),
  options: { tls?: { key: string; cert: string }; host?: string } = {},
) {
  const received: Received[] = [];
  let answering = answer;
  const listener: http.RequestListener = (request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const headers = request.headers as Record<string, string>;
      const one = { path: request.url ?? '', headers, body: Buffer.concat(chunks).toString(), atMs: performance.now() };
      received.push(one);
      answering(response, one);
    });
  };
  const server = options.tls === undefined ? http.createServer(listener) : https.createServer(options.tls, listener);
  const { port, close } = await listenLocally(server, options.host);
  return {
    url: `${options.tls === undefined ? 'http' : 'https'}://127.0.0.1:${port}/hook`,
    port,
    received,
    /** Sets the response to later requests. */
    answerWith(next: Answer) {
      answering = next;
    },
    /** Waits for at least this many requests. */
    async until(count: number) {
      const end = performance.now() + WAIT_MS;
      while (received.length < count) {
        if (performance.now() > end) throw new Error(`${received.length} of ${count} requests were received`);
        await new Promise((resolve) => setTimeout(resolve, POLL_MS));
      }
      return received;
    },
    close,
  };
}
