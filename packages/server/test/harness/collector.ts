import http from 'node:http';
import { listenLocally } from './streams.ts';

export interface CollectedMessage {
  readonly url: string;
  readonly headers: http.IncomingHttpHeaders;
  readonly body: string;
}

/** A collector of OpenTelemetry that keeps what it receives. */
interface Collector {
  readonly endpoint: string;
  readonly received: readonly CollectedMessage[];
  /** The status of further responses. */
  respondWith(status: number): void;
  close(): Promise<void>;
}

export async function startCollector(): Promise<Collector> {
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
    respondWith(next) {
      status = next;
    },
    close,
  };
}
