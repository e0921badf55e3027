import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

/**
 * A hundred webhook receivers in one process, each on its own port, and five that never respond. A message asks for the ports, or for
 * the arrivals once there are `count`, or after a time limit. Exits with its parent.
 */
export interface ReceiverRequest {
  readonly count?: number;
}

export interface Ports {
  readonly answering: number[];
  readonly hanging: number[];
}

/** When the webhook was published and when it arrived, in ms since 1970. */
export type Arrival = readonly [publishedMs: number, atMs: number];

const RECEIVERS = 100;
const HANGING = 5;
const LIMIT_MS = 100_000;
const POLL_MS = 5;

const arrivals = new Map<string, Arrival>();

async function listen(isAnswering: boolean): Promise<number> {
  const server = createServer((request, response) => {
    const atMs = Date.now();
    const { port } = server.address() as AddressInfo;
    let body = '';
    request.setEncoding('utf8');
    request.on('data', (chunk) => {
      body += chunk;
    });
    request.on('end', () => {
      if (!isAnswering) return;
      arrivals.set(`${port} ${request.headers['webhook-id']}`, [Date.parse(JSON.parse(body).timestamp), atMs]);
      response.end();
    });
  });
  server.listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  return (server.address() as AddressInfo).port;
}

const ports: Ports = { answering: [], hanging: [] };
for (let n = 0; n < RECEIVERS; n++) ports.answering.push(await listen(true));
for (let n = 0; n < HANGING; n++) ports.hanging.push(await listen(false));

async function takeArrivals(count: number): Promise<Arrival[]> {
  for (const end = Date.now() + LIMIT_MS; arrivals.size < count && Date.now() < end; ) await sleep(POLL_MS);
  const taken = [...arrivals.values()];
  arrivals.clear();
  return taken;
}

process.on('message', async ({ count }: ReceiverRequest) => {
  const response = count === undefined ? ports : await takeArrivals(count);
  // The bench may have exited in the meantime.
  if (process.connected) process.send?.(response);
});
process.on('disconnect', () => process.exit(0));
process.send?.('ready');
