import { describe, expect, test } from 'vitest';
import { forFile } from '../harness/index.ts';
import { anEvent, anIntro, expectError } from './support/actions.ts';
import { openService } from './support/service.ts';

const LIMIT_BYTES = 64 * 1024;

const fixture = await forFile(openService());
const api = fixture.api;

const send = (path: string, body: string | Buffer, headers: Record<string, string> = {}) =>
  api.raw('POST', path, {
    headers: { 'idempotency-key': 'errors', 'content-type': 'application/json', ...headers },
    body,
  });

test('every error is {error: {code, message}}, with field only for validation_failed', async () => {
  const invalid = await api.post('/v1/intros', {});
  expect(invalid.body).toEqual({
    error: { code: 'validation_failed', message: expect.stringMatching(/^member /), field: 'member' },
  });
  const unknown = await api.get('/v1/intros/x');
  expect(unknown.body).toEqual({ error: { code: 'not_found', message: expect.any(String) } });
});

describe('validation_failed names the field', () => {
  test.each([
    ['touchpoint', { touchpoint: 'Not A Slug' }],
    ['occurred_at', { occurred_at: 12 }],
    ['member.email', { member: { email: 'no address' } }],
    ['recipient.phone', { recipient: { first_name: 'Dana', phone: 'x' } }],
    ['reference.id', { reference: { id: 'a\tb' } }],
    [
      'context.appointment.timezone',
      { context: { appointment: { starts_at: '2031-01-01T10:00:00', timezone: 'Mars' } } },
    ],
    ['context.lane', { context: { lane: 'fast' } }],
    ['metadata.key', { metadata: { key: null } }],
  ])('%s', async (field, change) => {
    expectError(await api.post('/v1/touchpoint-events', anEvent(change)), 422, 'validation_failed', field);
  });

  test('that is unknown, at every depth, so that a typo does not go unnoticed', async () => {
    const typos = {
      occured_at: { occured_at: '2026-03-10T09:15:00Z' },
      'member.externalId': { member: { externalId: 'rep_17' } },
      'recipient.lastname': { recipient: { first_name: 'Dana', phone: '+14155550123', lastname: 'Reyes' } },
      'reference.url': { reference: { url: 'x' } },
      'context.trades': { context: { trades: 'roofing' } },
      'context.appointment.ends_at': {
        context: { appointment: { starts_at: '2031-01-01T10:00:00', timezone: 'UTC', ends_at: 'x' } },
      },
    };
    for (const [field, change] of Object.entries(typos)) {
      expectError(await api.post('/v1/touchpoint-events', anEvent(change)), 422, 'validation_failed', field);
    }
  });

  test('that comes first in the documented order if several are invalid', async () => {
    const wrong = {
      unknown: 1,
      metadata: [],
      recipient: { phone: 'x', first_name: '' },
      occurred_at: 'x',
      touchpoint: '',
      member: {},
    };
    const order = ['touchpoint', 'occurred_at', 'member', 'recipient.first_name', 'metadata', 'unknown'];
    const body: Record<string, unknown> = { ...wrong };
    for (const field of order) {
      expectError(await api.post('/v1/touchpoint-events', body), 422, 'validation_failed', field);
      const [name = ''] = field.split('.');
      const valid: Record<string, unknown> = anEvent();
      if (name in valid) body[name] = valid[name];
      else delete body[name];
    }
    expect((await api.post('/v1/touchpoint-events', body)).status).toBe(202);
  });
});

describe('a body that cannot be read', () => {
  test.each(['{', '', 'null', '[]', '"text"', '12', '{"a":1}{"b":2}', "{'a':1}"])('%j is 422', async (body) => {
    for (const path of ['/v1/touchpoint-events', '/v1/intros']) {
      expectError(await send(path, body), 422, 'validation_failed', 'body');
    }
  });

  test('that is not UTF-8 is 422', async () => {
    const bytes = Buffer.from(JSON.stringify(anIntro()).replace('Dana', 'D\u00e4na'), 'latin1');
    expectError(await send('/v1/intros', bytes), 422, 'validation_failed', 'body');
  });

  test.each(['text/plain', 'application/xml', 'application/json-seq', 'multipart/form-data; boundary=x'])(
    'declared as %s is 415',
    async (type) => {
      const reply = await send('/v1/intros', JSON.stringify(anIntro()), { 'content-type': type });
      expectError(reply, 415, 'unsupported_media_type');
    },
  );

  test('over 64 KiB is 413, and exactly 64 KiB is accepted', async () => {
    const body = JSON.stringify(anIntro());
    const fits = await send('/v1/intros', body.padEnd(LIMIT_BYTES), { 'idempotency-key': 'fits' });
    expect(fits.status).toBe(201);
    expectError(await send('/v1/intros', body.padEnd(LIMIT_BYTES + 1)), 413, 'payload_too_large');
  });
});

describe('paths and methods', () => {
  test('an unknown path is 404 not_found', async () => {
    for (const path of [
      '/v1',
      '/v1/',
      '/v1/intro',
      '/v2/intros',
      '/v1/intros//',
      '/v1/intros/a/b',
      '/intros',
      '/%zz',
    ]) {
      expectError(await api.get(path), 404, 'not_found');
    }
  });

  test.each([
    ['DELETE', '/v1/intros', ['GET', 'POST']],
    ['PATCH', '/v1/intros/x', ['GET']],
    ['GET', '/v1/touchpoint-events', ['POST']],
    ['GET', '/v1/intros/x/cancel', ['POST']],
    ['PUT', '/v1/intros/x/mark_sent', ['POST']],
    ['POST', '/v1/events/x', ['GET']],
    ['POST', '/v1/touchpoints', ['GET']],
    ['PUT', '/v1/members', ['GET', 'POST']],
  ])('%s %s is 405 with the possible methods in Allow', async (method, path, methods) => {
    const reply = await api.raw(method, path);
    expectError(reply, 405, 'method_not_allowed');
    const allowed = (reply.headers.get('allow') ?? '').split(', ').filter((name) => name !== 'HEAD');
    expect(allowed.sort()).toEqual(methods);
  });
});

describe('the order of checks on a creation', () => {
  test('is the schema, then idempotency, then the touchpoint and the member', async () => {
    await api.post('/v1/touchpoint-events', anEvent(), { key: 'order' });
    const invalid = await api.post('/v1/touchpoint-events', anEvent({ recipient: {} }), { key: 'order' });
    expectError(invalid, 422, 'validation_failed', 'recipient.first_name');
    const unresolvable = anEvent({ touchpoint: 'no_such', member: { id: 'x' } });
    expectError(await api.post('/v1/touchpoint-events', unresolvable, { key: 'order' }), 409, 'idempotency_conflict');
    expectError(await api.post('/v1/touchpoint-events', unresolvable), 422, 'touchpoint_not_found');
    const stranger = anIntro({ member: { id: 'x' } });
    expectError(await api.post('/v1/intros', stranger, { key: 'order' }), 409, 'idempotency_conflict');
    expectError(await api.post('/v1/intros', stranger), 422, 'member_not_found');
  });
});

test('the rejected requests above created no intros', async () => {
  const { body } = await api.get('/v1/intros?limit=100');
  expect(body.data.filter(({ touchpoint }: { touchpoint: string | null }) => touchpoint === null)).toHaveLength(1);
});
