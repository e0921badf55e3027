import { gzipSync } from 'node:zlib';
import { OPERATIONS } from '@foreword/contract';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { forFile, nextKey, openService, type Reply, type TestDatabase } from '../harness/index.ts';
import { MALFORMED_BODIES, WRONG_FILTERS, WRONG_PARAMETERS } from './bad-requests.table.ts';
import { CREATIONS, type Creation, completeBody } from './bodies.ts';
import { countStored, invalidField, type Outcome, outcomeOf } from './outcome.ts';
import { exchange } from './socket.ts';

type Stored = Awaited<ReturnType<typeof countStored>>;

/** Makes each test of the file fail if it stores more than it declares. */
function expectNothingStored(database: () => TestDatabase): { expect(more: Partial<Stored>): void } {
  let before: Stored;
  let more: Partial<Stored> = {};
  beforeEach(async () => {
    more = {};
    before = await countStored(database());
  });
  afterEach(async () => {
    const allowed = { ...before };
    for (const [name, added] of Object.entries(more)) allowed[name as keyof Stored] += added;
    expect(await countStored(database()), 'a rejected request stored something').toEqual(allowed);
  });
  return {
    expect(added) {
      more = added;
    },
  };
}

const NOT_FOUND: Outcome = { status: 404, code: 'not_found', field: undefined };

const fixture = await forFile(openService());
const acme = fixture.organization;
const organization = await fixture.newOrganization({ name: 'Summit Homes' });
const intro = (await organization.api.post('/v1/intros', completeBody('intros'))).body.id;
const event = (await organization.api.post('/v1/touchpoint-events', completeBody('touchpoint-events'))).body.id;
const foreign = { organization, intro, event };
const introId = (await acme.api.post('/v1/intros', completeBody('intros'))).body.id;
const endpointId = (await acme.api.post('/v1/webhook_endpoints', { url: 'https://a.example', active: false })).body.id;

const stored = expectNothingStored(() => fixture.database);

const JSON_TYPE = { 'content-type': 'application/json' };

const raw = (path: string, body: string | Buffer, headers: Record<string, string> = JSON_TYPE): Promise<Reply> =>
  acme.api.raw('POST', path, { body, headers: { 'idempotency-key': nextKey(), ...headers } });

describe('a method', () => {
  const allowed = new Map<string, string[]>();
  for (const { method, path } of Object.values(OPERATIONS)) {
    const methods = method === 'GET' ? ['GET', 'HEAD'] : [method];
    allowed.set(path, [...(allowed.get(path) ?? []), ...methods]);
  }
  for (const path of ['/', '/healthz', '/readyz', '/metrics', '/openapi.json']) allowed.set(path, ['GET', 'HEAD']);

  test.each([...allowed])('that %s does not support is rejected, and Allow lists the others', async (path, methods) => {
    const target = path.replace('{id}', introId);
    const others = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'].filter((method) => !methods.includes(method));
    for (const method of others) {
      const reply = await acme.api.raw(method, target, { headers: { 'idempotency-key': nextKey() } });
      expect([method, outcomeOf(reply).code]).toEqual([method, 'method_not_allowed']);
      expect(reply.headers.get('allow')?.split(', ').sort()).toEqual([...methods].sort());
    }
  });

  test.each(['PROPFIND', 'TRACE', 'LINK', 'PURGE'])('as rare as %s is rejected in the same way', async (method) => {
    const [reply] = await exchange(
      fixture.service.url,
      `${method} /v1/intros HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`,
    );
    expect(reply && outcomeOf(reply).code).toBe('method_not_allowed');
  });
});

test('a path that does not exist is not_found with any method', async () => {
  const paths = [
    ...['/v1', '/v1/', '/v2/intros', '/V1/intros', '/v1/intros//', '/v1//intros', '/v1/Intros', '/v1/intro', '/intros'],
    ...['/favicon.ico', '/%zz', '/v1/touchpoint_events', '/v1/%69ntrosx'],
    ...[`/v1/intros/${introId}/delete`, `/v1/intros/${introId}/cancel/now`],
  ];
  for (const path of paths)
    for (const method of ['GET', 'POST', 'DELETE'])
      expect([method, path, outcomeOf(await acme.api.raw(method, path))]).toEqual([method, path, NOT_FOUND]);
});

test.each([
  ['/v1/touchpoint_events', '/v1/touchpoint-events'],
  ['/v1/webhook-endpoints?limit=3', '/v1/webhook_endpoints'],
  ['/v1/intro', '/v1/intros'],
  [`/v1/intros/int_1/mark-sent`, '/v1/intros/int_1/mark_sent'],
  ['/v1/nothing', null],
  [`/v1/${'intros'.repeat(100)}`, null],
])('%s suggests %s', async (path, similar) => {
  const hint = similar === null ? '' : ` Did you mean ${similar}?`;
  const { message } = (await acme.api.get(path)).body.error;
  expect(message).toBe(`This path does not exist.${hint} The reference at /docs/reference lists all paths.`);
});

describe('a query', () => {
  test.each(Object.keys(WRONG_FILTERS))('of %s is rejected by its first wrong parameter', async (list) => {
    const path = list.replace('{id}', endpointId);
    for (const [query, field] of [...WRONG_PARAMETERS, ...(WRONG_FILTERS[list] ?? [])])
      expect([query, outcomeOf(await acme.api.get(`${path}?${query}`))]).toEqual([query, invalidField(field)]);
  });

  test.each(['limit=5&limit=5', 'member=a&member=b', 'touchpoint=a&touchpoint=a', 'metadata[a]=1&metadata[a]=2'])(
    'that repeats a parameter, as %s does, is rejected with the reason',
    async (query) => {
      const { message } = (await acme.api.get(`/v1/intros?${query}`)).body.error;
      expect(message).toBe(`${query.split('=')[0]} must be sent only once.`);
    },
  );

  test('for an unknown member, in any form, returns an empty list', async () => {
    for (const id of ['%00', 'x', '%ED%A0%80', foreign.organization.memberId, 'a'.repeat(4_000)]) {
      const { status, body } = await acme.api.get(`/v1/intros?member=${id}`);
      expect([id, status, body]).toEqual([id, 200, { object: 'list', data: [], has_more: false }]);
    }
  });

  test('is rejected by operations that take no parameters', async () => {
    for (const path of ['/v1/touchpoints', `/v1/intros/${introId}`])
      expect(outcomeOf(await acme.api.get(`${path}?limit=5`))).toEqual(invalidField('limit'));
    for (const path of [...CREATIONS.map((creation) => `/v1/${creation}`), `/v1/intros/${introId}/cancel`])
      expect(outcomeOf(await raw(`${path}?dry_run=true`, '{}'))).toEqual(invalidField('dry_run'));
  });
});

describe('an Idempotency-Key', () => {
  const WRONG = ['', 'a'.repeat(256), 'a'.repeat(4_000), 'clé', '\u00ff', 'a\tb', '\u0080'];

  test.each([...CREATIONS, `intros/{id}/cancel`, `intros/{id}/mark_sent`])(
    'that is missing or invalid is rejected by /v1/%s before the body is checked',
    async (operation) => {
      const path = `/v1/${operation.replace('{id}', introId)}`;
      const missing = await acme.api.raw('POST', path, { headers: JSON_TYPE, body: '{"extra":' });
      expect(outcomeOf(missing)).toEqual(invalidField('Idempotency-Key'));
      for (const key of WRONG) {
        const reply = await raw(path, '{"extra":', { ...JSON_TYPE, 'idempotency-key': key });
        expect([key, outcomeOf(reply)]).toEqual([key, invalidField('Idempotency-Key')]);
      }
    },
  );
});

const BODY_LIMIT_BYTES = 64 * 1024;
const WRONG_MEDIA_TYPE: Outcome = { status: 415, code: 'unsupported_media_type', field: undefined };
const TOO_LARGE: Outcome = { status: 413, code: 'payload_too_large', field: undefined };
const MOVES = ['cancel', 'mark_sent'] as const;

describe('a malformed body', () => {
  test.each(CREATIONS)('is rejected by /v1/%s with the field "body"', async (creation) => {
    for (const [name, body] of MALFORMED_BODIES)
      expect([name, outcomeOf(await raw(`/v1/${creation}`, body))]).toEqual([name, invalidField('body')]);
  });

  test.each(MOVES)('is rejected by %s, which needs no body, with the field "body"', async (move) => {
    for (const [name, body] of MALFORMED_BODIES.filter(([, body]) => body.length > 0))
      expect([name, outcomeOf(await raw(`/v1/intros/${introId}/${move}`, body))]).toEqual([name, invalidField('body')]);
    expect((await acme.api.get(`/v1/intros/${introId}`)).body.status).toBe('requested');
  });

  test.each(MOVES)('is also one that has fields, because %s takes none', async (move) => {
    const reply = await raw(`/v1/intros/${introId}/${move}`, '{"reason":"moved"}');
    expect(outcomeOf(reply)).toEqual(invalidField('reason'));
  });
});

describe('a compressed body', () => {
  test.each([...CREATIONS, `intros/${introId}/cancel`])('is rejected by /v1/%s with the reason', async (path) => {
    for (const encoding of ['gzip', 'br', 'zstd', 'gzip, identity']) {
      const reply = await raw(`/v1/${path}`, gzipSync('{}'), { ...JSON_TYPE, 'content-encoding': encoding });
      expect(outcomeOf(reply)).toEqual(WRONG_MEDIA_TYPE);
      expect(reply.body.error.message).toContain('Content-Encoding');
    }
  });

  test('is not one with the encoding identity', async () => {
    const body = JSON.stringify(completeBody('intros'));
    // The unknown parameter, which is checked later, is rejected in its place.
    const { status } = await raw('/v1/intros?x=', body, { ...JSON_TYPE, 'content-encoding': 'identity' });
    expect(status).toBe(422);
  });
});

describe('a large body', () => {
  const padded = (creation: Creation, bytes: number) => {
    const text = JSON.stringify(completeBody(creation));
    return text + ' '.repeat(bytes - Buffer.byteLength(text));
  };

  test.each(CREATIONS)('is rejected by /v1/%s from the first extra byte', async (creation) => {
    for (const bytes of [BODY_LIMIT_BYTES + 1, BODY_LIMIT_BYTES * 2])
      expect(outcomeOf(await raw(`/v1/${creation}`, padded(creation, bytes)))).toEqual(TOO_LARGE);
  });

  test('is also rejected when it is sent in chunks without a length', async () => {
    const head = `POST /v1/intros HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${acme.key}\r\nIdempotency-Key: ${nextKey()}\r\n`;
    const chunk = `1000\r\n${' '.repeat(0x1000)}\r\n`;
    const body = `Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n${chunk.repeat(17)}0\r\n\r\n`;
    const [reply] = await exchange(fixture.service.url, head + body);
    expect(reply && outcomeOf(reply)).toEqual(TOO_LARGE);
  });

  test.each(CREATIONS)('of exactly 64 KiB is accepted by /v1/%s', async (creation) => {
    const reply = await raw(`/v1/${creation}`, padded(creation, BODY_LIMIT_BYTES));
    expect(reply.status).toBe(creation === 'intros' ? 201 : 202);
    const isIntro = creation === 'intros';
    stored.expect({ events: isIntro ? 0 : 1, intros: isIntro ? 1 : 0, keys: 1 });
  });
});

describe('a media type', () => {
  const WRONG = [
    ...['text/plain', 'application/xml', 'application/x-www-form-urlencoded', 'multipart/form-data; boundary=x'],
    ...['application/jsonp', 'text/json', 'application/json; charset=latin1', 'application/json; charset=utf-16'],
    ...['application/merge-patch+json', 'json', 'application/', '*/*', 'application/json, text/plain', '{}', ';'],
  ];
  const RIGHT = [
    ...['application/json', 'Application/JSON', 'application/json; charset=utf-8', 'application/json;charset=UTF-8'],
    ...['application/json ; charset="utf-8"'],
  ];

  test.each(CREATIONS)('other than JSON in UTF-8 is rejected by /v1/%s', async (creation) => {
    const body = JSON.stringify(completeBody(creation));
    for (const type of WRONG) {
      const reply = await raw(`/v1/${creation}`, body, { 'content-type': type });
      expect([type, outcomeOf(reply)]).toEqual([type, WRONG_MEDIA_TYPE]);
    }
    const untyped = await raw(`/v1/${creation}`, Buffer.from(body), {});
    expect(outcomeOf(untyped)).toEqual(WRONG_MEDIA_TYPE);
  });

  test.each(CREATIONS)('for JSON in UTF-8 is accepted by /v1/%s in every spelling', async (creation) => {
    for (const type of RIGHT) {
      const reply = await raw(`/v1/${creation}`, '{}', { 'content-type': type });
      expect([type, outcomeOf(reply)]).toEqual([type, invalidField(creation === 'intros' ? 'member' : 'touchpoint')]);
    }
  });
});
