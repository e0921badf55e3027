import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/**
 * A hundred webhook receivers in one process, each on its own port, and five that never respond. Handles one request
 * per message. Exits with its parent.
 */
export interface ReceiverRequest {
  /** `ports`; `reset` the arrivals; `arrivals` once there are `count`, or after a time limit. */
  readonly type: 'ports' | 'reset' | 'arrivals';
  readonly count?: number;
}

export interface Ports {
  readonly answering: number[];
  readonly hanging: number[];
}

/** The number of the webhook and when it arrived, in ms since 1970. */
export type Arrival = readonly [n: number, atMs: number];

const RECEIVERS = 100;
const HANGING = 5;
const LIMIT_MS = 100_000;
const POLL_MS = 5;
const NUMBER = /"n":(\d+)/;

let arrivals: Arrival[] = [];
const nowMs = () => performance.timeOrigin + performance.now();

async function listen(isAnswering: boolean): Promise<number> {
  const server = createServer((request, response) => {
    const atMs = nowMs();
    let body = '';
    request.setEncoding('utf8');
    request.on('data', (chunk) => {
      body += chunk;
    });
    request.on('end', () => {
      if (!isAnswering) return;
      arrivals.push([Number(NUMBER.exec(body)?.[1]), atMs]);
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

async function arrivalsOf(count: number): Promise<Arrival[]> {
  const end = nowMs() + LIMIT_MS;
  while (arrivals.length < count && nowMs() < end) await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  return arrivals;
}

process.on('message', async ({ type, count = 0 }: ReceiverRequest) => {
  if (type === 'reset') arrivals = [];
  const result = type === 'ports' ? ports : type === 'arrivals' ? await arrivalsOf(count) : 'done';
  // The bench may have exited in the meantime.
  if (process.connected) process.send?.(result);
});
process.on('disconnect', () => process.exit(0));
process.send?.('ready');
