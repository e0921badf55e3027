import net from 'node:net';
import { expect, test } from 'vitest';
import { forFile, nextKey, openService, sleep } from '../harness/index.ts';
import { completeBody } from './bodies.ts';
import { countStored, expectErrorShape } from './outcome.ts';
import { residentBytes, watch } from './watch.ts';

const ALLOWED_PING_MS = 250;
/** Idle connections hold almost no memory. */
const ALLOWED_GROWTH_BYTES = 80 * 1024 * 1024;
const IDLE = 500;
const SLOW = 20;

const fixture = await forFile(openService({ LOG_LEVEL: 'warn' }));

const post = (body: string, options: { length?: number; key?: string; headers?: string } = {}): string =>
  `POST /v1/intros HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${fixture.organization.key}\r\n` +
  `Idempotency-Key: ${options.key ?? nextKey()}\r\nContent-Type: application/json\r\n${options.headers ?? ''}` +
  `Content-Length: ${options.length ?? Buffer.byteLength(body)}\r\n\r\n${body}`;

const WHOLE = JSON.stringify(completeBody('intros'));
const HEALTH = 'GET /healthz HTTP/1.1\r\nHost: a\r\n';

const LONGEST_WAIT_MS = 19_000;
const DRIP_MS = 1_000;

/** Sends a byte per second; returns the responses, and when the server closed the connection. */
async function drip(bytes: string, startWith: string): Promise<{ statuses: number[]; waitedMs: number }> {
  const startedMs = performance.now();
  const { port, hostname } = new URL(fixture.service.url);
  const socket = net.connect({ host: hostname, port: Number(port) });
  socket.on('error', () => undefined);
  let received = '';
  socket.on('data', (chunk) => {
    received += chunk;
  });
  const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()));
  socket.write(startWith);
  let next = 0;
  const timer = setInterval(() => socket.write(bytes[next++ % bytes.length] ?? ' '), DRIP_MS);
  await Promise.race([closed, sleep(LONGEST_WAIT_MS)]);
  clearInterval(timer);
  socket.destroy();
  const responses = received.split('\r\n\r\n');
  const statuses = [...received.matchAll(/HTTP\/1\.1 (\d{3})/g)].map(([, status]) => Number(status));
  if (responses[1] !== undefined) expectErrorShape({ status: statuses[0] ?? 0, body: JSON.parse(responses[1]) });
  return { statuses, waitedMs: performance.now() - startedMs };
}

test('slow connections get a 408 in the usual error format, and hundreds of idle ones slow down no other request', async () => {
  const before = await countStored(fixture.database);
  const { port, hostname } = new URL(fixture.service.url);
  const quietBytes = residentBytes(fixture.service.pid);
  const watched = await watch(fixture.service, ALLOWED_PING_MS, async () => {
    const idle = Array.from({ length: IDLE }, () => net.connect({ host: hostname, port: Number(port) }));
    for (const socket of idle) socket.on('error', () => undefined);
    const slow = await Promise.all([
      ...Array.from({ length: SLOW }, () => drip(WHOLE, post('', { length: 5_000 }))),
      ...Array.from({ length: SLOW }, () => drip('X-Slow: yes\r\n', `${HEALTH}`)),
      ...Array.from({ length: SLOW }, () => drip('a', 'GET /')),
    ]);
    expect(slow.map(({ statuses }) => statuses)).toEqual(slow.map(() => [408]));
    for (const { waitedMs } of slow) expect(waitedMs).toBeLessThan(LONGEST_WAIT_MS);
    const reply = await fixture.api.get('/v1/touchpoints');
    expect(reply.status).toBe(200);
    for (const socket of idle) socket.destroy();
  });
  expect(watched.slowestPingMs).toBeLessThan(ALLOWED_PING_MS);
  expect(watched.peakBytes - quietBytes).toBeLessThan(ALLOWED_GROWTH_BYTES);
  expect(await countStored(fixture.database)).toEqual(before);
});
