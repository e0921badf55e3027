import { describe, expect, test } from 'vitest';
import { forFile } from '../harness/index.ts';
import { createIntro, expectError, sendTogether } from './support/actions.ts';
import { openService } from './support/service.ts';

const fixture = await forFile(openService());
const api = fixture.api;

const UNKNOWN = '/v1/intros/int_01kahzv8e1f0rtx5m2q6n9d3bw';

/** Arrange: moves the row directly, because `ready` and `sent` would take a recording and a delivery. */
async function introIn(status: string, responsibility = 'integration'): Promise<string> {
  const { id } = await createIntro(api, { delivery: { responsibility } });
  await fixture.database.sql`update intros set status = ${status},
       recorded_at = case when ${status} in ('ready', 'sent') then now() end,
       sent_at = case when ${status} = 'sent' then now() end,
       cancelled_at = case when ${status} = 'cancelled' then now() end,
       expires_at = case when ${status} in ('requested', 'ready') then expires_at end
     where id = ${id}`;
  return id;
}

const retrieve = async (id: string) => (await api.get(`/v1/intros/${id}`)).body;

describe('POST /v1/intros/{id}/cancel', () => {
  test.each(['requested', 'ready'])('%s becomes cancelled', async (status) => {
    const id = await introIn(status);
    const before = await retrieve(id);
    expect(before.status).toBe(status);
    const reply = await api.post(`/v1/intros/${id}/cancel`);
    expect(reply.status).toBe(200);
    expect(reply.body).toEqual({
      ...before,
      status: 'cancelled',
      version: before.version + 1,
      expires_at: null,
      cancelled_at: expect.any(String),
    });
    expect(await retrieve(id)).toEqual(reply.body);
  });
});

describe('POST /v1/intros/{id}/mark_sent', () => {
  test('ready becomes sent if the integration delivers', async () => {
    const id = await introIn('ready');
    const before = await retrieve(id);
    const reply = await api.post(`/v1/intros/${id}/mark_sent`);
    expect(reply.status).toBe(200);
    expect(reply.body).toEqual({
      ...before,
      status: 'sent',
      delivery: { ...before.delivery, status: 'sent' },
      version: before.version + 1,
      expires_at: null,
      sent_at: expect.any(String),
    });
    expect(await retrieve(id)).toEqual(reply.body);
  });
  test('an error does not bind the key: the same key works once the intro is ready', async () => {
    const { id } = await createIntro(api);
    const key = `acme_crm:${id}:sent`;
    expectError(await api.post(`/v1/intros/${id}/mark_sent`, undefined, { key }), 409, 'intro_not_ready');
    await fixture.database.sql`update intros set status = 'ready', recorded_at = now() where id = ${id}`;
    expect((await api.post(`/v1/intros/${id}/mark_sent`, undefined, { key })).body.status).toBe('sent');
  });
});

test.each([
  ['cancel', 'sent'],
  ['cancel', 'cancelled'],
  ['cancel', 'expired'],
  ['mark_sent', 'sent'],
  ['take_down', 'cancelled'],
  ['take_down', 'expired'],
])('%s does not change an intro that is %s, and responds with 200', async (action, status) => {
  const id = await introIn(status);
  const before = await retrieve(id);
  expect(await api.post(`/v1/intros/${id}/${action}`)).toMatchObject({ status: 200, body: before });
  expect(await retrieve(id)).toEqual(before);
});

test.each([
  ['mark_sent', 'requested', 'integration', 'intro_not_ready'],
  ['mark_sent', 'requested', 'service', 'intro_not_ready'],
  ['mark_sent', 'ready', 'service', 'intro_not_ready'],
  ['mark_sent', 'cancelled', 'integration', 'intro_closed'],
  ['mark_sent', 'expired', 'integration', 'intro_closed'],
  ['take_down', 'requested', 'integration', 'intro_not_sent'],
  ['take_down', 'ready', 'integration', 'intro_not_sent'],
])('%s of an intro that is %s, delivered by the %s, is 409 %s', async (action, status, responsibility, code) => {
  const id = await introIn(status, responsibility);
  const before = await retrieve(id);
  expectError(await api.post(`/v1/intros/${id}/${action}`), 409, code);
  expect(await retrieve(id)).toEqual(before);
});

test.each([
  ['cancel', 'requested'],
  ['take_down', 'sent'],
])('ten concurrent requests to %s with different keys change the intro once', async (action, status) => {
  const id = await introIn(status);
  const replies = await sendTogether(10, (_, options) => api.post(`/v1/intros/${id}/${action}`, undefined, options));
  const first = replies[0]?.body;
  expect(first.version).toBe(2);
  for (const { status, body } of replies) expect({ status, body }).toEqual({ status: 200, body: first });
});

describe.each(['cancel', 'mark_sent'])('%s', (action) => {
  test('requires no body: it may be empty or {}, with any or no Content-Type', async () => {
    const forms = [
      {},
      { body: '{}' },
      { headers: { 'content-type': 'text/plain' }, body: ' {} ' },
      { headers: { 'content-type': 'application/json' }, body: '' },
    ];
    for (const [n, { headers, body }] of forms.entries()) {
      const id = await introIn('ready');
      const reply = await api.raw('POST', `/v1/intros/${id}/${action}`, {
        headers: { 'idempotency-key': `${action}:${id}:${n}`, ...headers },
        ...(body !== undefined && { body }),
      });
      expect(reply.status).toBe(200);
    }
  });
});

test('of a concurrent cancel and mark_sent, exactly one takes effect', async () => {
  for (let n = 0; n < 10; n++) {
    const id = await introIn('ready');
    const [cancelled, sent] = await Promise.all([
      api.post(`/v1/intros/${id}/cancel`),
      api.post(`/v1/intros/${id}/mark_sent`),
    ]);
    const intro = await retrieve(id);
    expect(cancelled).toMatchObject({ status: 200, body: intro });
    if (intro.status === 'cancelled') {
      expectError(sent, 409, 'intro_closed');
      expect(intro.sent_at).toBeNull();
    } else {
      expect(intro).toMatchObject({ status: 'sent', cancelled_at: null });
      expect(sent).toMatchObject({ status: 200, body: intro });
    }
  }
});

test('the order of checks on an existing object is the schema, then idempotency, then 404, then the status', async () => {
  const id = await introIn('cancelled');
  const { id: other } = await createIntro(api);
  const key = `acme_crm:${other}:cancel`;
  expect((await api.post(`/v1/intros/${other}/cancel`, undefined, { key })).status).toBe(200);
  const conflicting = { key };
  const malformed = await api.post(`${UNKNOWN}/mark_sent`, { reason: 'x' }, conflicting);
  expectError(malformed, 422, 'validation_failed', 'reason');
  expectError(await api.post(`${UNKNOWN}/mark_sent`, undefined, conflicting), 409, 'idempotency_conflict');
  expectError(await api.post(`/v1/intros/${id}/mark_sent`, undefined, conflicting), 409, 'idempotency_conflict');
  expectError(await api.post(`${UNKNOWN}/mark_sent`), 404, 'not_found');
  expectError(await api.post(`/v1/intros/${id}/mark_sent`), 409, 'intro_closed');
});

describe('POST /v1/intros/{id}/take_down', () => {
  test('takes the page of a sent intro down once: for the API, the timeline and the test helpers', async () => {
    const id = await introIn('sent');
    const before = await retrieve(id);
    const reply = await api.post(`/v1/intros/${id}/take_down`, undefined, { key: 'take_down:1' });
    expect(reply.status).toBe(200);
    expect(reply.body).toEqual({ ...before, version: before.version + 1, taken_down_at: expect.any(String) });
    expect((await api.post(`/v1/intros/${id}/take_down`)).body).toEqual(reply.body);
    const replay = await api.post(`/v1/intros/${id}/take_down`, undefined, { key: 'take_down:1' });
    expect([replay.headers.get('idempotent-replayed'), replay.body]).toEqual(['true', reply.body]);
    const { data } = (await api.get(`/v1/intros/${id}/timeline`)).body;
    expect(data.filter(({ type }: { type: string }) => type === 'taken_down')).toEqual([
      {
        at: reply.body.taken_down_at,
        type: 'taken_down',
        cause: 'integration',
        detail: { key: expect.stringMatching(/^key_/) },
      },
    ]);
    expectError(await api.post(`/v1/test_helpers/intros/${id}/open`), 409, 'intro_closed');
    expect(await retrieve(id)).toEqual(reply.body);
  });
});
