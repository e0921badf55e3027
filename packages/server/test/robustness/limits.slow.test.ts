import { describe, expect, test } from 'vitest';
import { forFile, nextKey, openService } from '../harness/index.ts';
import { completeBody, type JsonObject } from './bodies.ts';
import { countStored, expectErrorShape, outcomeOf } from './outcome.ts';
import { exchange } from './socket.ts';
import { residentBytes, watch } from './watch.ts';

const BODY_LIMIT_BYTES = 64 * 1024;
const ALLOWED_PING_MS = 250;
const MIB = 1024 * 1024;
// For bodies: V8 keeps memory that it once needed for parsing.
const ALLOWED_HEAP_GROWTH_BYTES = 200 * MIB;
// At the rate limit of one key, 100 a second, more would keep a whole CPU busy.
const ALLOWED_PROCESSOR_MS = 10;
// On a slow machine: parsing a body takes at most half of its time.
const ALLOWED_PARSES = 4;
// Few at once: the pings should measure one request, not a queue of them.
const CONCURRENCY = 4;
const ROUNDS = 8;
// Other programs on the machine raise the processor time, so the lowest of these counts.
const BATCHES = 3;
const WARM_UP_REQUESTS = 400;

/** CPU time that parsing the body takes on this machine. */
function parsingMs(body: string): number {
  const before = process.threadCpuUsage();
  for (let round = 0; round < ROUNDS; round++) {
    try {
      JSON.parse(body);
    } catch {}
  }
  const { user, system } = process.threadCpuUsage(before);
  return (user + system) / 1_000 / ROUNDS;
}

const fill = (part: (index: number) => string, before: string, after: string): string => {
  let text = before;
  for (let i = 0; text.length + part(i).length + after.length < BODY_LIMIT_BYTES; i++) text += part(i);
  return text + after;
};
const nest = (open: string, close: string, around: readonly [string, string] = ['', '']) => {
  const depth = Math.floor((BODY_LIMIT_BYTES - around.join('').length - 1) / (open.length + close.length));
  return `${around[0]}${open.repeat(depth)}1${close.repeat(depth)}${around[1]}`;
};
const { metadata: _, ...withoutMetadata } = completeBody('intros') as JsonObject;
const inMetadata = (key: string): readonly [string, string] => [
  `${JSON.stringify(withoutMetadata).slice(0, -1)},"metadata":{${key}`,
  '}}',
];

const HOSTILE: [name: string, body: string][] = [
  ['64 KiB of open brackets', '['.repeat(BODY_LIMIT_BYTES)],
  ['64 KiB of open objects', '{"a":'.repeat(BODY_LIMIT_BYTES / 5)],
  ['lists in lists', nest('[', ']')],
  ['objects in objects', nest('{"a":', '}')],
  ['members in members', nest('{"member":', '}')],
  ['lists in lists below metadata', nest('[', ']', inMetadata('"a":'))],
  ['objects in objects below metadata', nest('{"a":', '}', inMetadata('"a":'))],
  ['thousands of unknown fields', fill((i) => `"${i.toString(36)}":0,`, '{', '"z":0}')],
  ['thousands of unknown fields in the recipient', fill((i) => `"${i.toString(36)}":0,`, '{"recipient":{', '"z":0}}')],
  [
    'thousands of pairs of metadata',
    fill((i) => `"${i.toString(36)}":0,`, inMetadata('')[0], `"z":0${inMetadata('')[1]}`),
  ],
  [
    'thousands of bad keys of metadata',
    fill((i) => `"!${i.toString(36)}":[],`, inMetadata('')[0], `"z":0${inMetadata('')[1]}`),
  ],
  ['one endless key of metadata', `${inMetadata('')[0]}"${'a'.repeat(60_000)}":1${inMetadata('')[1]}`],
  ['one endless unknown field', `{"${'é'.repeat(30_000)}":1}`],
  ['one endless number', `${inMetadata('"n":')[0]}${'9'.repeat(60_000)}${inMetadata('')[1]}`],
  [
    'one endless email address',
    JSON.stringify({ ...completeBody('intros'), member: { email: `${'a@'.repeat(30_000)}` } }),
  ],
  [
    'one endless time',
    JSON.stringify({ ...completeBody('touchpoint-events'), occurred_at: '2026-03-10T09:15:00.'.padEnd(60_000, '1') }),
  ],
  ['thousands of escapes', `{"member":"${'\\u0000'.repeat(10_000)}"}`],
  ['thousands of the same field', fill(() => '"member":{},', '{', '"member":{}}')],
];

const fixture = await forFile(openService({ LOG_LEVEL: 'warn' }));
const { database, service, organization: acme } = fixture;
// Memory that the process needs for normal bodies of the same size does not count.
for (let sent = 0; sent < WARM_UP_REQUESTS; sent += CONCURRENCY) {
  const body = JSON.stringify(completeBody('intros')).padEnd(BODY_LIMIT_BYTES);
  const sends = Array.from({ length: CONCURRENCY }, () =>
    acme.api.raw('POST', '/v1/intros', {
      headers: { 'content-type': 'application/json', 'idempotency-key': nextKey() },
      body,
    }),
  );
  for (const reply of await Promise.all(sends)) expect(reply.status).toBe(201);
}
const restingBytes = residentBytes(service.pid);

describe('a hostile body neither stalls other requests nor grows the process', () => {
  test.each(HOSTILE)('%s', async (_name, body) => {
    expect(Buffer.byteLength(body)).toBeLessThanOrEqual(BODY_LIMIT_BYTES);
    const before = await countStored(database);
    const headers = { 'content-type': 'application/json' };
    const processorMs: number[] = [];
    for (let batch = 0; batch < BATCHES; batch++) {
      const watched = await watch(service, ALLOWED_PING_MS, async () => {
        for (let round = 0; round < ROUNDS; round++) {
          const sends = Array.from({ length: CONCURRENCY }, (_, i) =>
            acme.api.raw('POST', i % 2 === 0 ? '/v1/intros' : '/v1/touchpoint-events', {
              headers: { ...headers, 'idempotency-key': nextKey() },
              body,
            }),
          );
          for (const reply of await Promise.all(sends)) expect(outcomeOf(reply).code).toBe('validation_failed');
        }
      });
      expect(watched.slowestPingMs).toBeLessThan(ALLOWED_PING_MS);
      expect(watched.peakBytes - restingBytes).toBeLessThan(ALLOWED_HEAP_GROWTH_BYTES);
      processorMs.push(watched.processorMs / (CONCURRENCY * ROUNDS));
    }
    const allowedMs = Math.max(ALLOWED_PROCESSOR_MS, ALLOWED_PARSES * parsingMs(body));
    expect(Math.min(...processorMs)).toBeLessThan(allowedMs);
    expect(await countStored(database)).toEqual(before);
  });

  test('nor does a query with thousands of parameters', async () => {
    const query = Array.from({ length: 3_000 }, (_, i) => `${i.toString(36)}=`).join('&');
    const watched = await watch(service, ALLOWED_PING_MS, async () => {
      for (let round = 0; round < ROUNDS; round++) {
        const requests = Array.from({ length: CONCURRENCY }, () => acme.api.get(`/v1/intros?${query}`));
        for (const reply of await Promise.all(requests)) expect(outcomeOf(reply).status).toBe(422);
      }
    });
    expect(watched.slowestPingMs).toBeLessThan(ALLOWED_PING_MS);
  });
});

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
    ['headers of 20 KB', () => `${HEALTH}X-Long: ${'a'.repeat(20_000)}\r\n\r\n`],
    ['thousands of headers', () => `${HEALTH}${'a: b\r\n'.repeat(5_000)}\r\n`],
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

  test('with an unknown Expect header get an error in the usual format, or are served normally', async () => {
    const [reply] = await exchange(service.url, `${HEALTH}Expect: a miracle\r\n\r\n`);
    if (reply?.status === 200) expect(reply.body).toEqual({ status: 'ok' });
    else expectErrorShape(reply ?? { status: 0, body: undefined });
  });

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

  test('in the middle of a body is disconnected at once, and nothing is stored', async () => {
    const before = await countStored(database);
    const startedMs = performance.now();
    const replies = await exchange(service.url, post(WHOLE, { length: WHOLE.length + 10 }), { end: true });
    expect(performance.now() - startedMs).toBeLessThan(2_000);
    for (const reply of replies) expect(outcomeOf(reply).status).toBe(400);
    expect(await countStored(database)).toEqual(before);
  });
});
