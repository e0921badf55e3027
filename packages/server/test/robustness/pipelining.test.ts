import net from 'node:net';
import { expect, test } from 'vitest';
import { createApi, forFile, openService, sleep } from '../harness/index.ts';

const FLOOD = 20_000;
const FLOOD_MS = 500;
/**
 * Responses of the flood while another client waits for one. They take turns, which gives a few dozen; all at once would be
 * thousands.
 */
const MAX_OVERTAKING = 2_000;

const fixture = await forFile(openService());

const get = (path: string, headers = '') => `GET ${path} HTTP/1.1\r\nHost: localhost\r\n${headers}\r\n`;

/** Sends requests without waiting for responses, and counts those that come. */
function flood(path: string, count: number) {
  const { hostname, port } = new URL(fixture.service.url);
  const socket = net.connect({ host: hostname, port: Number(port) });
  let responses = 0;
  socket.on('data', (chunk) => {
    for (let at = chunk.indexOf('HTTP/1.1 '); at >= 0; at = chunk.indexOf('HTTP/1.1 ', at + 1)) responses += 1;
  });
  socket.on('error', () => undefined);
  socket.write(get(path, 'Accept-Encoding: br\r\n').repeat(count));
  return { socket, responses: () => responses };
}

/** Sends all requests at once, and reads until each has its response. */
async function readResponses(requests: readonly string[]): Promise<string> {
  const { hostname, port } = new URL(fixture.service.url);
  const socket = net.connect({ host: hostname, port: Number(port) });
  socket.write(requests.join(''));
  let received = '';
  for await (const chunk of socket) {
    received += chunk;
    // The last request is refused with a complete body.
    if (received.split('HTTP/1.1 ').length > requests.length && received.endsWith('}}')) break;
  }
  return received;
}

test.each(['/openapi.json', '/v1/intros', '/healthz'])(
  `${FLOOD} pipelined requests for %s do not delay another client`,
  async (path) => {
    const { socket, responses } = flood(path, FLOOD);
    const started = performance.now();
    let overtaking = 0;
    while (performance.now() - started < FLOOD_MS) {
      const before = responses();
      const reply = await createApi(fixture.service.url, fixture.organization.key).get('/v1/touchpoints');
      expect(reply.status).toBe(200);
      overtaking = Math.max(overtaking, responses() - before);
      await sleep(10);
    }
    await expect.poll(responses).toBeGreaterThan(0);
    socket.destroy();
    expect(overtaking).toBeLessThan(MAX_OVERTAKING);
  },
);

test('pipelined requests are answered in order, bodies included', async () => {
  const { key } = fixture.organization;
  const body = JSON.stringify({
    member: { external_id: 'rep_17' },
    recipient: { first_name: 'Dana', phone: '+14155550123' },
  });
  const post = (n: number) =>
    `POST /v1/intros HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${key}\r\nIdempotency-Key: pipelined:${n}\r\n` +
    `Content-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
  const requests = Array.from({ length: 60 }, (_, n) =>
    n % 3 === 0 ? post(n) : get(n % 3 === 1 ? '/healthz' : '/v1/intros'),
  );
  const received = await readResponses(requests);
  const statuses = [...received.matchAll(/HTTP\/1\.1 (\d{3})/g)].map(([, status]) => Number(status));
  expect(statuses).toEqual(requests.map((_, n) => [201, 200, 401][n % 3]));
  const created = [...received.matchAll(/"id":"(int_\w+)"/g)].map(([, id]) => id);
  expect(new Set(created).size).toBe(20);
  // Their order of creation is the order in which they were sent.
  expect(created).toEqual(created.toSorted());
});

test('a client that disconnects in the middle of its pipelined requests leaves the service working', async () => {
  const before = fixture.service.output().length;
  const { socket } = flood('/v1/intros', 1_000);
  await sleep(20);
  socket.destroy();
  expect((await fetch(`${fixture.service.url}/healthz`)).status).toBe(200);
  expect(fixture.service.output().slice(before)).not.toMatch(/"level":"error"/);
});
