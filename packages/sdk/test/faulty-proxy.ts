import { once } from 'node:events';
import http from 'node:http';
import { listenLocally } from '../../server/test/harness/streams.ts';

/** The proxy's treatment of one request. The faults after `forward` reach the service first. */
export const FAULTS = [
  'none',
  'refuse',
  'fail-503',
  'fail-429',
  'gateway-page',
  'drop-response',
  'cut-response',
  'silence',
  'delay',
  'duplicate',
] as const;
export type Fault = (typeof FAULTS)[number];

interface Forwarded {
  readonly status: number;
  readonly headers: http.IncomingHttpHeaders;
  readonly body: Buffer;
}

/** How long a delayed response takes: longer than a short time limit, shorter than a long one. */
const DELAY_MS = 40;

const readAll = async (stream: AsyncIterable<Buffer>): Promise<Buffer> => {
  const chunks: Buffer[] = [];
  for await (const chunk of stream) chunks.push(chunk);
  return Buffer.concat(chunks);
};

async function forward(target: string, request: http.IncomingMessage, body: Buffer): Promise<Forwarded> {
  const upstream = http.request(new URL(request.url ?? '/', target), {
    method: request.method,
    headers: request.headers,
  });
  upstream.end(body);
  const [response] = (await once(upstream, 'response')) as [http.IncomingMessage];
  return { status: response.statusCode ?? 0, headers: response.headers, body: await readAll(response) };
}

const send = (response: http.ServerResponse, { status, headers, body }: Forwarded): void => {
  response.writeHead(status, headers).end(body);
};

const errorBody = (code: string): string => JSON.stringify({ error: { code, message: 'The proxy did this.' } });

/** Faults that never reach the service; returns whether it was one. */
function refuse(fault: Fault, request: http.IncomingMessage, response: http.ServerResponse): boolean {
  if (fault === 'refuse') request.socket.destroy();
  else if (fault === 'fail-503') response.writeHead(503, { 'retry-after': '0' }).end(errorBody('service_unavailable'));
  else if (fault === 'fail-429') response.writeHead(429, { 'retry-after': '0' }).end(errorBody('rate_limited'));
  else if (fault === 'gateway-page')
    response.writeHead(502, { 'content-type': 'text/html' }).end('<h1>Bad gateway</h1>');
  else return false;
  return true;
}

/** An HTTP proxy in front of a service that drops, cuts, delays, fails and duplicates. */
export async function startFaultyProxy(target: string) {
  let choose: (request: http.IncomingMessage) => Fault = () => 'none';
  const counts = Object.fromEntries(FAULTS.map((fault) => [fault, 0])) as Record<Fault, number>;
  const server = http.createServer(async (request, response) => {
    const fault = choose(request);
    counts[fault]++;
    if (refuse(fault, request, response)) return;
    const body = await readAll(request);
    const result = await forward(target, request, body);
    if (fault === 'duplicate') await forward(target, request, body);
    if (fault === 'delay') await new Promise((resolve) => setTimeout(resolve, DELAY_MS));
    if (fault === 'drop-response') return void request.socket.destroy();
    if (fault === 'silence') return;
    if (fault !== 'cut-response') return send(response, result);
    response.writeHead(result.status, result.headers);
    response.write(result.body.subarray(0, result.body.length / 2), () => request.socket.destroy());
  });
  const { url, close } = await listenLocally(server);
  return {
    url,
    /** How often each fault happened. */
    counts,
    /** Chooses the fault of each request from now on. */
    inject(chosen: typeof choose) {
      choose = chosen;
    },
    close,
  };
}
