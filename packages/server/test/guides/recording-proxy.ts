import http from 'node:http';
import { listenLocally } from '../harness/streams.ts';

export interface Recorded {
  readonly method: string;
  /** Path and query. */
  readonly target: string;
  readonly headers: http.IncomingHttpHeaders;
  readonly body: string;
  readonly status: number;
  readonly response: string;
}

type Received = Pick<Recorded, 'method' | 'target' | 'headers' | 'body'>;

async function readAll(stream: AsyncIterable<Buffer>): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of stream) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}

/** Stands in front of a service, so that a test sees every request of a program and its response. */
export class RecordingProxy {
  readonly #server: http.Server;
  #requests: Recorded[] = [];

  constructor(service: string, chooseTarget: (received: Received) => Promise<string> = async ({ target }) => target) {
    this.#server = http.createServer(async (request, response) => {
      const { method = 'GET', url: target = '/', headers } = request;
      const received = { method, target, headers, body: await readAll(request) };
      try {
        const { host: _host, connection: _connection, 'content-length': _length, expect: _expect, ...sent } = headers;
        const answer = await fetch(service + (await chooseTarget(received)), {
          method,
          headers: { ...(sent as Record<string, string>), 'accept-encoding': 'identity' },
          ...(received.body !== '' && { body: received.body }),
          redirect: 'manual',
        });
        const text = await answer.text();
        this.#requests.push({ ...received, status: answer.status, response: text });
        const { 'transfer-encoding': _encoding, connection: _close, ...kept } = Object.fromEntries(answer.headers);
        response.writeHead(answer.status, { ...kept, 'content-length': Buffer.byteLength(text) }).end(text);
      } catch (error) {
        this.#requests.push({ ...received, status: 599, response: String(error) });
        response.writeHead(599).end(String(error));
      }
    });
  }

  async listen(): Promise<string> {
    return (await listenLocally(this.#server)).url;
  }

  /** The requests since the last call, in the order of their responses. */
  take(): Recorded[] {
    const requests = this.#requests;
    this.#requests = [];
    return requests;
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}
