import http from 'node:http';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { forFile } from '../harness/index.ts';
import { anEvent, anIntro, createIntro, expectError } from './support/actions.ts';
import { openService } from './support/service.ts';

const INTROS = 10;

const fixture = await forFile(openService());
const api = fixture.api;
for (let i = 0; i < INTROS; i++) await createIntro(api);

interface Raw {
  readonly status: number | undefined;
  readonly headers: http.IncomingHttpHeaders;
  readonly bytes: Buffer;
}

/** Without fetch, which decompresses and adds headers of its own. */
function get(path: string, headers: Record<string, string> = {}): Promise<Raw> {
  const authorization = `Bearer ${fixture.organization.key}`;
  return new Promise((resolve, reject) => {
    const request = http.get(fixture.service.url + path, { headers: { authorization, ...headers } }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk) => chunks.push(chunk));
      response.on('end', () =>
        resolve({ status: response.statusCode, headers: response.headers, bytes: Buffer.concat(chunks) }),
      );
    });
    request.on('error', reject);
  });
}

describe('Link', () => {
  const FAILING: [code: string, request: () => Promise<{ headers: Headers }>][] = [
    ['validation_failed', () => api.post('/v1/intros', {})],
    ['not_found', () => api.get('/nowhere')],
    ['unauthorized', () => api.raw('GET', '/v1/intros', { headers: { authorization: 'Bearer x' } })],
  ];

  test.each(FAILING)('of %s leads to the explanation of that code under the public address', async (code, request) => {
    const { headers } = await request();
    expect(headers.get('link')).toBe(`<${fixture.service.url}/docs/errors#${code}>; rel="help"`);
    const page = await fetch(`${fixture.service.url}/docs/errors`);
    expect(page.headers.get('content-security-policy')).toContain("default-src 'none'");
    expect(await page.text()).toContain(`id="${code}"`);
  });

  test('is absent from a success', async () => {
    expect((await api.get('/v1/intros')).headers.get('link')).toBeNull();
  });
});

describe('a list', () => {
  const LIST = '/v1/intros?limit=10';

  test.each([
    ['br', brotliDecompressSync],
    ['gzip', gunzipSync],
  ] as const)('is compressed with %s when the client accepts it', async (encoding, decompress) => {
    const plain = await get(LIST);
    const reply = await get(LIST, { 'accept-encoding': encoding });
    expect(reply.headers).toMatchObject({ 'content-encoding': encoding, vary: 'accept-encoding' });
    expect(reply.bytes.length).toBeLessThan(plain.bytes.length / 2);
    expect(decompress(reply.bytes).equals(plain.bytes)).toBe(true);
  });

  test('is not compressed for other clients, nor when it is short', async () => {
    expect((await get(LIST)).headers['content-encoding']).toBeUndefined();
    const short = await get('/v1/intros?status=expired', { 'accept-encoding': 'br, gzip' });
    expect(short.headers['content-encoding']).toBeUndefined();
    expect(JSON.parse(short.bytes.toString())).toMatchObject({ data: [] });
  });

  test('that has not changed is a 304 without a body, and a changed one is complete', async () => {
    const { etag = '' } = (await get(LIST)).headers;
    const same = await get(LIST, { 'if-none-match': etag, 'accept-encoding': 'br' });
    expect([same.status, same.bytes.length, same.headers.etag]).toEqual([304, 0, etag]);
    const { id } = await createIntro(api);
    const changed = await get(LIST, { 'if-none-match': etag });
    expect(changed.status).toBe(200);
    expect(changed.headers.etag).not.toBe(etag);
    expect(JSON.parse(changed.bytes.toString()).data[0].id).toBe(id);
  });

  test('never is a 304 for the ETag of another organization, as its body differs', async () => {
    const other = await fixture.newOrganization({ name: 'Second' });
    const { etag = '' } = (await get(LIST)).headers;
    const headers = { 'if-none-match': etag, authorization: `Bearer ${other.key}` };
    expect((await get(LIST, headers)).status).toBe(200);
  });
});

describe('a path with a trailing slash', () => {
  test('is the same path', async () => {
    const { body } = await api.get('/v1/intros');
    expect((await api.get('/v1/intros/')).body).toEqual(body);
    expect((await api.get('/v1/intros/?limit=1')).body.data).toEqual(body.data.slice(0, 1));
    const [{ id }] = body.data;
    expect((await api.get(`/v1/intros/${id}/`)).body.id).toBe(id);
    expectError(await api.raw('DELETE', '/v1/intros/'), 405, 'method_not_allowed');
  });

  test('is the same request for an Idempotency-Key', async () => {
    const first = await api.post('/v1/intros/', anIntro(), { key: 'slash' });
    expect(first.status).toBe(201);
    expect((await api.post('/v1/intros', anIntro(), { key: 'slash' })).body).toEqual(first.body);
  });
});

describe('Foreword-Hint', () => {
  test('is sent for an appointment that had already started', async () => {
    const at = (starts_at: string) => ({ context: { appointment: { starts_at, timezone: 'America/Chicago' } } });
    for (const [path, body] of [
      ['/v1/intros', anIntro],
      ['/v1/touchpoint-events', anEvent],
    ] as const) {
      const hint = async (startsAt: string) => (await api.post(path, body(at(startsAt)))).headers.get('foreword-hint');
      expect(await hint('2026-03-12T14:30:00')).toContain('The appointment had already started.');
      expect(await hint('2036-03-12T14:30:00')).toBeNull();
    }
  });

  test('is sent when the member has no number and emails to them bounce', async () => {
    const member = { first_name: 'Kim', last_name: 'Lee', email: 'kim@acme.example', external_id: 'rep_kim' };
    const { id } = (await api.post('/v1/members', member)).body;
    const hint = async () => (await api.post('/v1/intros', anIntro({ member: { id } }))).headers.get('foreword-hint');
    expect(await hint()).toBeNull();
    const set = (columns: string) => fixture.database.query(`update members set ${columns} where id = $1`, [id]);
    await set("bounced_email = 'kim@acme.example'");
    expect(await hint()).toContain('The member has no phone number, and emails to them bounce');
    await set("phone = '+15005550145'");
    expect(await hint()).toBeNull();
  });

  const words = (count: number) => ({ instructions: { script: Array(count).fill('é').join('\n') } });

  test('advises on a script of more than 37 words, even for a repeated request', async () => {
    for (const replayed of [null, 'true']) {
      const { status, headers } = await api.post('/v1/intros', anIntro(words(38)), { key: 'long' });
      expect([status, headers.get('idempotent-replayed')]).toEqual([201, replayed]);
      expect(headers.get('foreword-hint')).toBe(
        'The script has 38 words. Up to 37 words, about 15 seconds, work best.',
      );
    }
  });

  test('is absent for a shorter script, whose emoji do not count, and for an intro without one', async () => {
    const script = `${Array(37).fill('word').join(' ')} 👋 🏠 1️⃣`;
    for (const body of [anIntro(words(37)), anIntro({ instructions: { script } }), anIntro()])
      expect((await api.post('/v1/intros', body)).headers.get('foreword-hint')).toBeNull();
  });
});

test('409 idempotency_conflict names the object of the key and when it was created', async () => {
  const event = await api.post('/v1/touchpoint-events', anEvent(), { key: 'whose' });
  const reply = await api.post('/v1/touchpoint-events', anEvent({ metadata: { a: 1 } }), { key: 'whose' });
  expect(reply.body.error.message).toBe(
    `This Idempotency-Key was already used for a different request. It belongs to ${event.body.id}, created at ` +
      `${event.body.created_at}. Build each key from the data of its own request.`,
  );
  const intro = await createIntro(api);
  await api.post(`/v1/intros/${intro.id}/cancel`, undefined, { key: 'whose:cancel' });
  const other = await api.post('/v1/intros', anIntro(), { key: 'whose:cancel' });
  expect(other.body.error.message).toContain(`It belongs to ${intro.id}, created at ${intro.created_at}.`);
  expect([reply.body.error.object_id, other.body.error.object_id]).toEqual([event.body.id, intro.id]);
});
