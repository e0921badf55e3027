import { describe, expect, test } from 'vitest';
import { type Api, forFile } from '../harness/index.ts';
import { expectError, sendTogether } from './support/actions.ts';
import { openService } from './support/service.ts';

const PATH = '/v1/webhook_endpoints';
const SECRET = /^whsec_[A-Za-z0-9+/]{43}=$/;

/** Nothing listens there: these tests are only about the endpoints themselves. */
const hook = 'http://127.0.0.1:1/hook';

const fixture = await forFile(openService());

async function newEndpoint(api: Api = fixture.api, changes: object = {}) {
  const { status, body } = await api.post(PATH, { url: hook, events: ['*'], ...changes });
  expect(status).toBe(201);
  return body;
}

const remove = (api: Api, id: string, key: string) =>
  api.raw('DELETE', `${PATH}/${id}`, { headers: { 'idempotency-key': key } });

describe('an endpoint', () => {
  test('is created with its secret, which no other response contains, and sends nothing', async () => {
    const created = await newEndpoint(fixture.api, { events: ['intro.*', 'recipient.opted_out'] });
    expect(created).toEqual({
      id: expect.stringMatching(/^whk_[0-9a-z]{26}$/),
      object: 'webhook_endpoint',
      url: hook,
      description: null,
      events: ['intro.*', 'recipient.opted_out'],
      active: true,
      disabled_reason: null,
      failing_since: null,
      secret: expect.stringMatching(SECRET),
      environment: 'test',
      created_at: expect.any(String),
    });
    const { secret, ...rest } = created;
    expect((await fixture.api.get(`${PATH}/${created.id}/attempts`)).body).toMatchObject({ data: [] });
    expect((await fixture.api.get(`${PATH}/${created.id}`)).body).toEqual(rest);
    expect((await fixture.api.get(PATH)).body.data[0]).toEqual(rest);
    const stored = JSON.stringify(
      await fixture.database.query(
        `select e::text from webhook_endpoints e union all select k::text from idempotency_keys k
         union all select encode(secret, 'escape') from webhook_endpoints`,
      ),
    );
    expect(stored).not.toContain(secret.slice('whsec_'.length));
  });

  test('is created once per key, and a repeat returns the same secret', async () => {
    const key = 'endpoint:1';
    const first = await fixture.api.post(PATH, { url: hook }, { key });
    const again = await fixture.api.post(PATH, { url: hook }, { key });
    expect(first.status).toBe(201);
    expect(first.body.events).toEqual(['*']);
    expect(again.body).toEqual(first.body);
    expect(again.headers.get('idempotent-replayed')).toBe('true');
    expectError(await fixture.api.post(PATH, { url: `${hook}/2` }, { key }), 409, 'idempotency_conflict');
  });

  test('can be changed, and is deleted once per key', async () => {
    const { id } = await newEndpoint();
    const change = { url: `${hook}/new`, events: ['intro.ready'], active: false };
    const changed = await fixture.api.post(`${PATH}/${id}`, change);
    expect(changed.status).toBe(200);
    expect(changed.body).toMatchObject({ id, ...change });
    expect(changed.body).not.toHaveProperty('secret');
    expect((await fixture.api.post(`${PATH}/${id}`, {})).body).toEqual(changed.body);
    const gone = await remove(fixture.api, id, 'delete:1');
    expect([gone.status, gone.body]).toEqual([200, { id, object: 'webhook_endpoint', deleted: true }]);
    const again = await remove(fixture.api, id, 'delete:1');
    expect([again.status, again.headers.get('idempotent-replayed')]).toEqual([200, 'true']);
    expectError(await remove(fixture.api, id, 'delete:2'), 404, 'not_found');
    expectError(await fixture.api.get(`${PATH}/${id}`), 404, 'not_found');
    expectError(await fixture.api.raw('DELETE', `${PATH}/${id}`), 422, 'validation_failed', 'Idempotency-Key');
  });

  test('keeps its description until it is changed or removed', async () => {
    const description = '👋'.repeat(200);
    const { id, secret, ...created } = await newEndpoint(fixture.api, { description });
    const update = async (body: object) => (await fixture.api.post(`${PATH}/${id}`, body)).body;
    expect(await update({ active: true })).toEqual({ id, ...created, description });
    expect((await fixture.api.post(`${PATH}/${id}/rotate_secret`)).body.description).toBe(description);
    for (const nothing of ['', null]) {
      expect((await newEndpoint(fixture.api, { description: nothing })).description).toBeNull();
      expect((await update({ description: 'CRM' })).description).toBe('CRM');
      expect((await update({ description: nothing })).description).toBeNull();
    }
  });

  test('can be one of at most twenty', async () => {
    const { api } = await fixture.newOrganization();
    const answers = await sendTogether(24, (_, options) => api.post(PATH, { url: hook }, options));
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(20);
    const [refused] = answers.filter(({ status }) => status !== 201);
    expectError(refused as (typeof answers)[0], 409, 'webhook_endpoint_limit');
    const page = (await api.get(`${PATH}?limit=5`)).body;
    expect([page.data.length, page.has_more]).toEqual([5, true]);
    const next = (await api.get(`${PATH}?limit=100&starting_after=${page.data[4].id}`)).body;
    expect([next.data.length, next.has_more]).toEqual([15, false]);
    expectError(await api.get(`${PATH}?starting_after=whk_none`), 422, 'validation_failed', 'starting_after');
  });
});

describe('an invalid body is rejected, and nothing is stored', () => {
  test.each<[string, object, string]>([
    ['no url', {}, 'url'],
    ['another scheme', { url: 'ftp://a.example' }, 'url'],
    ['an unknown type', { url: 'https://a.example', events: ['intro.lost'] }, 'events.0'],
    ['no types', { url: 'https://a.example', events: [] }, 'events'],
    ['a description of 201 characters', { url: 'https://a.example', description: 'x'.repeat(201) }, 'description'],
    ['a description with a line break', { url: 'https://a.example', description: 'a\nb' }, 'description'],
    ['a description that is not text', { url: 'https://a.example', description: 7 }, 'description'],
    ['an unknown field', { url: 'https://a.example', secret: 'mine' }, 'secret'],
  ])('%s', async (_name, body, field) => {
    const before = (await fixture.api.get(PATH)).body;
    expectError(await fixture.api.post(PATH, body), 422, 'validation_failed', field);
    expect((await fixture.api.get(PATH)).body).toEqual(before);
  });

  test('an update with a description that is too long changes nothing, and the error states the limit', async () => {
    const { id } = await newEndpoint(fixture.api, { description: 'CRM' });
    const refused = await fixture.api.post(`${PATH}/${id}`, { description: 'x'.repeat(201), active: false });
    expectError(refused, 422, 'validation_failed', 'description');
    expect(refused.body.error.message).toContain('at most 200 characters');
    expect((await fixture.api.get(`${PATH}/${id}`)).body).toMatchObject({ description: 'CRM', active: true });
  });

  test('a replay names exactly one existing message or a start time', async () => {
    const { id } = await newEndpoint();
    const replay = (body: object) => fixture.api.post(`${PATH}/${id}/replay`, body);
    expectError(await replay({}), 422, 'validation_failed', 'body');
    expectError(await replay({ since: 'yesterday' }), 422, 'validation_failed', 'since');
    expectError(await replay({ message: 'msg_none' }), 422, 'validation_failed', 'message');
    const backwards = { since: '2026-03-02T00:00:00Z', until: '2026-03-01T00:00:00Z' };
    expectError(await replay(backwards), 422, 'validation_failed', 'until');
    expect((await replay({ since: '2020-01-01T00:00:00Z' })).body).toEqual({
      object: 'webhook_replay',
      endpoint: id,
      messages: 0,
    });
  });
});
