import { describe, expect, test } from 'vitest';
import { anIntro } from '../acceptance/support/actions.ts';
import { createApi, forFile, openService } from '../harness/index.ts';
import { exchange } from './socket.ts';

const fixture = await forFile(openService());
const SECURE = 'https://intros.acme.example/base';
/** The same service behind a proxy with TLS. */
const secureUrl = (await fixture.newNode({ PUBLIC_URL: `${SECURE}/` })).url;

const raw = (lines: readonly string[], body = '') => `${lines.join('\r\n')}\r\n\r\n${body}`;

describe('a request with a header twice', () => {
  test.each(['Host: evil.example', 'host: 127.0.0.1'])('is malformed if the second one is %s', async (second) => {
    const [reply] = await exchange(
      fixture.service.url,
      raw(['GET /v1/intros HTTP/1.1', 'Host: 127.0.0.1', second, `Authorization: Bearer ${fixture.organization.key}`]),
    );
    expect({ status: reply?.status, code: reply?.body.error.code }).toEqual({ status: 400, code: 'malformed_request' });
  });

  test('is rejected if it has two idempotency keys, and creates nothing', async () => {
    const count = () => fixture.database.query('select count(*)::int as n from intros');
    const before = await count();
    const body = JSON.stringify(anIntro());
    const [reply] = await exchange(
      fixture.service.url,
      raw(
        [
          'POST /v1/intros HTTP/1.1',
          'Host: 127.0.0.1',
          `Authorization: Bearer ${fixture.organization.key}`,
          'Content-Type: application/json',
          `Content-Length: ${Buffer.byteLength(body)}`,
          'Idempotency-Key: one',
          'idempotency-key: two',
        ],
        body,
      ),
    );
    expect(reply).toMatchObject({
      status: 422,
      body: {
        error: { code: 'validation_failed', field: 'Idempotency-Key', message: expect.stringContaining('once') },
      },
    });
    expect(await count()).toEqual(before);
  });
});

test('the published document, links and the explanation of an error are under the public address', async () => {
  const document = (await (await fetch(`${secureUrl}/openapi.json`)).json()) as { servers: { url: string }[] };
  expect(document.servers.map(({ url }) => url)).toEqual([SECURE]);
  const api = createApi(secureUrl, fixture.organization.key);
  const { headers } = await api.post('/v1/intros', {});
  expect(headers.get('link')).toBe(`<${SECURE}/docs/errors#validation_failed>; rel="help"`);
  const { key } = await fixture.run(
    ...['key', 'create', '--org', fixture.organization.id, '--allow-recording-links', 'true'],
  );
  const { id } = (await api.post('/v1/intros', anIntro())).body;
  const link = await createApi(secureUrl, key).post(`/v1/intros/${id}/recording_link`);
  expect(link.body.url).toMatch(new RegExp(`^${SECURE}/r/`));
});

test('private addresses of webhook endpoints are rejected, unless the operator allows them', async () => {
  const { url } = await fixture.newNode({ WEBHOOKS_ALLOW_PRIVATE: 'off', FOREWORD_ROLE: 'api' });
  for (const [at, status] of [
    [url, 422],
    [fixture.service.url, 201],
  ] as const) {
    const reply = await createApi(at, fixture.organization.key).post('/v1/webhook_endpoints', {
      url: 'http://0x7f.1/',
    });
    expect(reply.status).toBe(status);
  }
});

describe('every response', () => {
  const PATHS = [
    '/v1/intros',
    '/v1/nothing',
    '/nothing',
    '/healthz',
    '/readyz',
    '/metrics',
    '/openapi.json',
    '/docs/reference',
  ];
  const PAGES = ['/', '/i/UnknownToken', '/r/UnknownToken0000000000', '/console/signin', '/console/api/session', '/%'];

  test.each([...PATHS, ...PAGES])('of %s forbids guessing its type, and requires https if possible', async (path) => {
    for (const [url, hsts] of [
      [fixture.service.url, null],
      [secureUrl, 'max-age=31536000'],
    ] as const) {
      const { headers } = await fetch(url + path, { redirect: 'manual' });
      expect(headers.get('x-content-type-options')).toBe('nosniff');
      expect(headers.get('strict-transport-security')).toBe(hsts);
    }
  });

  test.each([
    ['that is no HTTP', 'hello\r\n\r\n'],
    ['without a host', 'GET /healthz HTTP/1.1\r\n\r\n'],
    ['with headers that are too large', `GET / HTTP/1.1\r\nHost: a\r\nA: ${'a'.repeat(20_000)}\r\n\r\n`],
  ])('to a request %s does, too', async (_name, text) => {
    const [reply] = await exchange(secureUrl, text);
    expect(reply?.headers.get('x-content-type-options')).toBe('nosniff');
    expect(reply?.headers.get('strict-transport-security')).toBe('max-age=31536000');
  });

  test('to a part of a video does, too', async () => {
    const { body } = await fixture.api.post('/v1/intros', anIntro());
    const { url } = await fixture.run('intro', 'link', body.id);
    const at = `${secureUrl}${new URL(url).pathname}/uploads`;
    const { headers } = await fetch(at, {
      method: 'POST',
      headers: { 'tus-resumable': '1.0.0', 'upload-length': 'x' },
    });
    expect(headers.get('x-content-type-options')).toBe('nosniff');
    expect(headers.get('strict-transport-security')).toBe('max-age=31536000');
    expect(headers.get('request-id')).toMatch(/^req_/);
  });
});
