import { OPERATIONS } from '@foreword/contract';
import { describe, expect, test } from 'vitest';
import { forFile, nextKey, openService, type Reply } from '../harness/index.ts';
import { WRONG_FILTERS, WRONG_PARAMETERS } from './bad-requests.table.ts';
import { CREATIONS, completeBody } from './bodies.ts';
import { invalidField, type Outcome, outcomeOf } from './outcome.ts';
import { exchange } from './socket.ts';
import { expectNothingStored } from './stored.ts';

const NOT_FOUND: Outcome = { status: 404, code: 'not_found', field: undefined };

const fixture = await forFile(openService());
const acme = fixture.organization;
const organization = await fixture.newOrganization({ name: 'Summit Homes' });
const intro = (await organization.api.post('/v1/intros', completeBody('intros'))).body.id;
const event = (await organization.api.post('/v1/touchpoint-events', completeBody('touchpoint-events'))).body.id;
const foreign = { organization, intro, event };
const introId = (await acme.api.post('/v1/intros', completeBody('intros'))).body.id;
const endpointId = (await acme.api.post('/v1/webhook_endpoints', { url: 'https://a.example', active: false })).body.id;

expectNothingStored(() => fixture.database);

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

  test('never starts a page after an object of another organization or another kind', async () => {
    for (const id of [foreign.intro, foreign.event, acme.memberId, acme.id])
      expect(outcomeOf(await acme.api.get(`/v1/intros?starting_after=${id}`))).toEqual(invalidField('starting_after'));
    for (const id of [foreign.event, foreign.intro, introId])
      expect(outcomeOf(await acme.api.get(`/v1/events?starting_after=${id}`))).toEqual(invalidField('starting_after'));
    for (const id of [foreign.organization.memberId, introId])
      expect(outcomeOf(await acme.api.get(`/v1/members?starting_after=${id}`))).toEqual(invalidField('starting_after'));
  });

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

  test('with a control character makes the request malformed', async () => {
    for (const control of ['\u0000', '\u0007', '\u007f']) {
      const head = `POST /v1/intros HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${acme.key}\r\n`;
      const text = `${head}Idempotency-Key: a${control}b\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{}`;
      const [reply] = await exchange(fixture.service.url, text);
      expect(reply && [400, 422]).toContain(reply && outcomeOf(reply).status);
    }
  });
});
