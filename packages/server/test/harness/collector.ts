import http from 'node:http';
import { listenLocally } from './streams.ts';

export interface CollectedMessage {
  readonly url: string;
  readonly headers: http.IncomingHttpHeaders;
  readonly body: string;
}

/** A collector of OpenTelemetry that keeps what it receives. */
export async function startCollector() {
  const received: CollectedMessage[] = [];
  let status = 200;
  const server = http.createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      received.push({ url: request.url ?? '', headers: request.headers, body: Buffer.concat(chunks).toString() });
      response.writeHead(status, { 'content-type': 'application/json' }).end('{"partialSuccess":{}}');
    });
  });
  const { url, close } = await listenLocally(server);
  return {
    endpoint: url,
    received,
    /** The status of further responses. */
    respondWith(next: number) {
      status = next;
    },
    close,
  };
}
