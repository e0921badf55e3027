import net from 'node:net';
import { describe, expect, test } from 'vitest';
import { createApi, forFile, nextKey, openService, sleep } from '../harness/index.ts';
import { completeBody } from './bodies.ts';
import { countStored, outcomeOf } from './outcome.ts';
import { exchange } from './socket.ts';

const FLOOD = 20_000;

const fixture = await forFile(openService());
const { database, service, organization: acme } = fixture;

const post = (body: string, options: { length?: number; key?: string; headers?: string } = {}): string =>
  `POST /v1/intros HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${acme.key}\r\n` +
  `Idempotency-Key: ${options.key ?? nextKey()}\r\nContent-Type: application/json\r\n${options.headers ?? ''}` +
  `Content-Length: ${options.length ?? Buffer.byteLength(body)}\r\n\r\n${body}`;

const WHOLE = JSON.stringify(completeBody('intros'));
const HEALTH = 'GET /healthz HTTP/1.1\r\nHost: a\r\n';

describe('bytes that are not HTTP', () => {
  const GARBAGE: [name: string, bytes: () => string][] = [
    ['nonsense', () => '\u0000\u0001\u0002\r\n\r\n'],
    ['a TLS greeting', () => '\u0016\u0003\u0001\u0002\u0000\u0001\u0000\u0001\u00fc\u0003\u0003'],
    ['an HTTP/2 preface', () => 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'],
    ['an unknown method', () => 'BREW /v1/intros HTTP/1.1\r\nHost: a\r\n\r\n'],
    ['a request without Host', () => 'GET /healthz HTTP/1.1\r\n\r\n'],
    ['a header without a colon', () => `${HEALTH}Broken\r\n\r\n`],
    ['two lengths', () => post(WHOLE, { headers: 'Content-Length: 5\r\n' })],
    ['a length and chunks', () => post(WHOLE, { headers: 'Transfer-Encoding: chunked\r\n' })],
    ['a length that is not a number', () => post(WHOLE).replace(/Content-Length: \d+/, 'Content-Length: many')],
    ['a negative length', () => post(WHOLE).replace(/Content-Length: \d+/, 'Content-Length: -5')],
    ['a broken chunk', () => post('zz\r\nabc').replace(/Content-Length: \d+/, 'Transfer-Encoding: chunked')],
  ];

  test.each(GARBAGE)('such as %s get a 400 in the usual error format', async (_, bytes) => {
    const before = await countStored(database);
    const replies = await exchange(service.url, bytes());
    expect(replies.map(outcomeOf)).toEqual([{ status: 400, code: 'malformed_request', field: undefined }]);
    expect(await countStored(database)).toEqual(before);
  });

  test.each([
    ['headers of 20 KB', `${HEALTH}X-Long: ${'a'.repeat(20_000)}\r\n\r\n`, 431, 'headers_too_large'],
    ['thousands of headers', `${HEALTH}${'a: b\r\n'.repeat(5_000)}\r\n`, 431, 'headers_too_large'],
    ['an address of 20 KB', `GET /v1/intros?reference_id=${'a'.repeat(20_000)} HTTP/1.1\r\n`, 414, 'uri_too_long'],
  ])('that are too long, such as %s, get a %3$i', async (_, bytes, status, code) => {
    const replies = await exchange(service.url, bytes);
    expect(replies.map(outcomeOf)).toEqual([{ status, code, field: undefined }]);
  });

  test.each(['Host: a', 'Authorization: Bearer x', 'authorization: Bearer x', 'Content-Type: application/json'])(
    'with a second "%s" are rejected, and the message names the header',
    async (header) => {
      const before = await countStored(database);
      const [reply] = await exchange(service.url, post(WHOLE, { headers: `${header}\r\n` }));
      expect(reply && outcomeOf(reply)).toEqual({ status: 400, code: 'malformed_request', field: undefined });
      expect(reply?.body.error.message.toLowerCase()).toContain(header.split(':')[0]?.toLowerCase());
      expect(await countStored(database)).toEqual(before);
    },
  );

  test('after a valid request never change its response: a stored intro is not reported as a 400', async () => {
    for (let i = 0; i < 5; i++) {
      const key = nextKey();
      const replies = await exchange(service.url, `${post(WHOLE, { key })}\u0000nonsense\r\n\r\n`);
      const [first] = replies;
      const again = await acme.api.post('/v1/intros', JSON.parse(WHOLE), { key });
      const wasStored = again.headers.get('idempotent-replayed') === 'true';
      if (wasStored && first !== undefined) expect(first.status).toBe(201);
    }
  });

  test('left over after a length that is too short are rejected as a request of their own', async () => {
    const before = await countStored(database);
    const replies = await exchange(service.url, post(WHOLE, { length: WHOLE.length - 10 }));
    for (const reply of replies) expect([400, 422]).toContain(outcomeOf(reply).status);
    expect(await countStored(database)).toEqual(before);
  });
});

describe('a client that half-closes', () => {
  test('after a complete request gets its response or none, and the same intro with the same key', async () => {
    const key = nextKey();
    const [reply] = await exchange(service.url, post(WHOLE, { key }), { end: true });
    const { status, body } = await acme.api.post('/v1/intros', JSON.parse(WHOLE), { key });
    expect(status).toBe(201);
    if (reply !== undefined) expect([reply.status, reply.body.id]).toEqual([201, body.id]);
  });

  test('in the middle of a body is disconnected, and nothing is stored', async () => {
    const before = await countStored(database);
    const replies = await exchange(service.url, post(WHOLE, { length: WHOLE.length + 10 }), { end: true });
    for (const reply of replies) expect(outcomeOf(reply).status).toBe(400);
    expect(await countStored(database)).toEqual(before);
  });
});

const get = (path: string, headers = '') => `GET ${path} HTTP/1.1\r\nHost: localhost\r\n${headers}\r\n`;

/** Sends requests without waiting for responses, and counts those that come. */
function flood(path: string, count: number) {
  const { hostname, port } = new URL(service.url);
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
  const { hostname, port } = new URL(service.url);
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
    await expect.poll(responses, { interval: 1 }).toBeGreaterThan(0);
    const reply = await createApi(service.url, acme.key).get('/v1/touchpoints');
    expect(reply.status).toBe(200);
    expect(responses()).toBeLessThan(FLOOD);
    socket.destroy();
  },
);

test('pipelined requests are answered in order, bodies included', async () => {
  const { key } = acme;
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
  const before = service.output().length;
  const { socket } = flood('/v1/intros', 1_000);
  await sleep(20);
  socket.destroy();
  expect((await fetch(`${service.url}/healthz`)).status).toBe(200);
  expect(service.output().slice(before)).not.toMatch(/"level":"error"/);
});
