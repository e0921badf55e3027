import http from 'node:http';
import type { AddressInfo } from 'node:net';

/** `lose` forwards the request and drops the connection instead of the response. */
export type Fault =
  | 'lose'
  | { readonly status: number; readonly headers?: Record<string, string>; readonly body?: string };

export interface FaultyProxy {
  readonly url: string;
  /** Idempotency keys of the requests that arrived, in order. */
  readonly keys: (string | undefined)[];
  /** The faults of the next requests, one each. */
  readonly faults: Fault[];
  close(): Promise<void>;
}

/** A proxy in front of a service whose connections break as told. */
export async function startFaultyProxy(target: string): Promise<FaultyProxy> {
  const keys: (string | undefined)[] = [];
  const faults: Fault[] = [];
  const server = http.createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    keys.push(request.headers['idempotency-key'] as string | undefined);
    const fault = faults.shift();
    if (fault !== undefined && fault !== 'lose') {
      response.writeHead(fault.status, { 'content-type': 'application/json', ...fault.headers });
      response.end(fault.body ?? '');
      return;
    }
    const { host: _, connection: __, ...headers } = request.headers as Record<string, string>;
    const method = request.method ?? 'GET';
    const body = chunks.length > 0 ? { body: new Uint8Array(Buffer.concat(chunks)) } : {};
    const answer = await fetch(target + request.url, { method, headers, ...body });
    const text = await answer.text();
    if (fault === 'lose') {
      response.destroy();
      return;
    }
    const requestId = answer.headers.get('request-id') ?? '';
    response.writeHead(answer.status, { 'content-type': 'application/json', 'request-id': requestId });
    response.end(text);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    keys,
    faults,
    close: () => new Promise((resolve) => server.close(() => resolve())),
  };
}
