import { Webhook } from 'standardwebhooks';
import { describe, expect, test } from 'vitest';
import { type Api, forFile } from '../harness/index.ts';
import { startReceiver, status } from '../webhooks/receiver.ts';
import { createIntro, eventually, expectError, introOfEvent, listAll, sendTogether } from './support/actions.ts';
import { openService } from './support/service.ts';

const PATH = '/v1/webhook_endpoints';
const SECRET = /^whsec_[A-Za-z0-9+/]{43}=$/;

const fixture = await forFile(openService());
const receiver = await forFile(startReceiver(status(200, 'thanks')));
const hook = receiver.url;

async function newEndpoint(api: Api = fixture.api, changes: object = {}) {
  const { status, body } = await api.post(PATH, { url: hook, ...changes });
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

const arrival = (id: string) =>
  eventually(
    async () => receiver.received.filter(({ headers }) => headers['webhook-id'] === id),
    (found) => found.length > 0,
  );

describe('a test event', () => {
  test('appears in the attempts', async () => {
    const { id } = await newEndpoint();
    const sent = await fixture.api.post(`${PATH}/${id}/test`);
    const attempts = await eventually(async () => (await fixture.api.get(`${PATH}/${id}/attempts`)).body.data, {
      length: 1,
    });
    expect(attempts).toEqual([
      {
        id: expect.stringMatching(/^att_/),
        object: 'webhook_attempt',
        message: sent.body.id,
        type: 'webhook.test',
        succeeded: true,
        status: 200,
        error: null,
        duration_ms: expect.any(Number),
        answer: 'thanks',
        next_attempt_at: null,
        environment: 'test',
        created_at: expect.any(String),
      },
    ]);
  });

  test('is sent again by a replay, with the same ID', async () => {
    const { id } = await newEndpoint();
    const { body } = await fixture.api.post(`${PATH}/${id}/test`);
    await arrival(body.id);
    await eventually(async () => (await fixture.api.get(`${PATH}/${id}/attempts`)).body.data, { length: 1 });
    const replay = await fixture.api.post(`${PATH}/${id}/replay`, { message: body.id });
    expect([replay.status, replay.body.messages]).toEqual([202, 1]);
    await eventually(() => receiver.received.filter(({ headers }) => headers['webhook-id'] === body.id).length === 2);
  });

  test('has both signatures after a rotation, and repeating the key does not rotate again', async () => {
    const { id, secret } = await newEndpoint();
    const rotate = () => fixture.api.post(`${PATH}/${id}/rotate_secret`, undefined, { key: `rotate:${id}` });
    const rotated = await rotate();
    expect(rotated.body.secret).toMatch(SECRET);
    expect(rotated.body.secret).not.toBe(secret);
    expect((await rotate()).body).toEqual(rotated.body);
    const { body } = await fixture.api.post(`${PATH}/${id}/test`);
    const [first] = await arrival(body.id);
    for (const one of [secret, rotated.body.secret]) {
      expect(new Webhook(one).verify(first?.body ?? '', first?.headers ?? {})).toMatchObject({ type: 'webhook.test' });
    }
  });

  test('is rejected for a disabled endpoint, such as one that responded with 410', async () => {
    const { id } = await newEndpoint();
    receiver.answerWith(status(410));
    await fixture.api.post(`${PATH}/${id}/test`);
    const gone = await eventually(async () => (await fixture.api.get(`${PATH}/${id}`)).body, { active: false });
    receiver.answerWith(status(200, 'thanks'));
    expect(gone.disabled_reason).toBe('gone');
    expectError(await fixture.api.post(`${PATH}/${id}/test`), 409, 'webhook_endpoint_inactive');
    const since = { since: '2020-01-01T00:00:00Z' };
    expectError(await fixture.api.post(`${PATH}/${id}/replay`, since), 409, 'webhook_endpoint_inactive');
    const back = await fixture.api.post(`${PATH}/${id}`, { active: true });
    expect(back.body).toMatchObject({ active: true, disabled_reason: null, failing_since: null });
    expect((await fixture.api.post(`${PATH}/${id}/replay`, since)).body.messages).toBe(1);
  });
});

describe('events contain the object as the API returns it', () => {
  interface WebhookBody {
    readonly type: string;
    readonly data: { readonly id: string };
  }

  const find = (type: string, id: string) =>
    eventually(async () =>
      receiver.received
        .map(({ body }) => JSON.parse(body) as WebhookBody)
        .find((webhook) => webhook.type === type && webhook.data.id === id),
    );

  test('when an event is processed and creates an intro', async () => {
    const { api } = await fixture.newOrganization();
    await newEndpoint(api);
    const intro = await introOfEvent(api);
    expect((await find('intro.requested', intro.id))?.data).toEqual(intro);
    const [processed] = receiver.received
      .map(({ body }) => JSON.parse(body))
      .filter(({ type, data }) => type === 'touchpoint_event.processed' && data.intro === intro.id);
    expect(processed.data).toEqual((await api.get(`/v1/events/${processed.data.id}`)).body);
  });

  test('when a replay sends what an endpoint missed while it was off', async () => {
    const { api } = await fixture.newOrganization();
    const { id } = await newEndpoint(api, { active: false });
    const intro = await introOfEvent(api);
    const { data: missed } = await listOf(api, id);
    expect(missed).toMatchObject([
      { type: 'intro.requested', status: 'failed', attempts: 0, next_attempt_at: null },
      { type: 'touchpoint_event.processed', status: 'failed', attempts: 0, next_attempt_at: null },
    ]);
    await api.post(`${PATH}/${id}`, { active: true });
    expect((await api.post(`${PATH}/${id}/replay`, { since: '2020-01-01T00:00:00Z' })).body.messages).toBe(2);
    expect((await find('intro.requested', intro.id))?.data).toEqual(intro);
    await delivered(api, id, 2);
  });

  test('when an intro expires, with its new version', async () => {
    const { api } = await fixture.newOrganization();
    await newEndpoint(api, { events: ['intro.expired'] });
    const { id } = await createIntro(api);
    await fixture.database.sql`update intros set expires_at = now() - interval '1 second' where id = ${id}`;
    const expired = await find('intro.expired', id);
    expect(expired?.data).toEqual((await api.get(`/v1/intros/${id}`)).body);
  });
});

const listOf = async (api: Api, endpoint: string, query = '') =>
  (await api.get(`${PATH}/${endpoint}/messages${query}`)).body;

const delivered = (api: Api, endpoint: string, count: number) =>
  eventually(async () => (await listOf(api, endpoint, '?status=delivered')).data, { length: count });

describe('a message', () => {
  test('is returned with the body that was sent, byte for byte, and with the state of its delivery', async () => {
    const { api } = await fixture.newOrganization();
    const endpoint = await newEndpoint(api);
    const intro = await createIntro(api);
    const [message] = await delivered(api, endpoint.id, 1);
    expect(message).toEqual({
      id: expect.stringMatching(/^msg_/),
      object: 'webhook_message',
      endpoint: endpoint.id,
      type: 'intro.requested',
      test: false,
      status: 'delivered',
      attempts: 1,
      next_attempt_at: null,
      payload: expect.any(String),
      environment: 'test',
      created_at: expect.any(String),
    });
    const [sent] = await arrival(message.id);
    expect(message.payload).toBe(sent?.body);
    expect(new Webhook(endpoint.secret).verify(message.payload, sent?.headers ?? {})).toEqual({
      type: 'intro.requested',
      timestamp: message.created_at,
      data: intro,
    });
    expect(sent?.headers).not.toHaveProperty('webhook-test');
    expect((await api.get(`/v1/webhook_messages/${message.id}`)).body).toEqual(message);
    const [row] = await fixture.database.sql<{ text: string }>`select m::text as text from webhook_messages m
      where id = ${message.id}`;
    expect(row?.text).not.toContain(`${intro.id.slice(4)}"`);
  });

  test('to several endpoints has the state of the requested one, or of the oldest', async () => {
    const { api } = await fixture.newOrganization();
    const first = await newEndpoint(api);
    const failing = await newEndpoint(api, { url: 'http://127.0.0.1:1/hook' });
    await createIntro(api);
    const [message] = await delivered(api, first.id, 1);
    const read = async (query = '') => (await api.get(`/v1/webhook_messages/${message.id}${query}`)).body;
    expect(await read()).toEqual(message);
    expect(await read(`?endpoint=${first.id}`)).toEqual(message);
    const other = await eventually(() => read(`?endpoint=${failing.id}`), { attempts: 1 });
    expect(other).toMatchObject({ id: message.id, endpoint: failing.id, status: 'pending', payload: message.payload });
    expect(Date.parse(other.next_attempt_at)).toBeGreaterThan(Date.parse(other.created_at));
    expectError(await api.get(`/v1/webhook_messages/${message.id}?endpoint=whk_none`), 404, 'not_found');
    // A deleted one is older, but no longer there.
    await remove(api, first.id, 'delete:oldest');
    expect(await read()).toMatchObject({ id: message.id, endpoint: failing.id });
    await remove(api, failing.id, 'delete:other');
    expect(await read()).toMatchObject({ id: message.id, endpoint: first.id });
  });
});

test('the messages of an endpoint are newest first, in pages, and each filter gives exactly its messages', async () => {
  const { api } = await fixture.newOrganization();
  const endpoint = await newEndpoint(api);
  const types = ['intro.sent', 'intro.ready', 'webhook.test', 'intro.ready', 'intro.sent'];
  for (const type of types) await api.post(`${PATH}/${endpoint.id}/test`, { type });
  await delivered(api, endpoint.id, types.length);
  // Other endpoints get the same types.
  const other = await newEndpoint(api);
  await api.post(`${PATH}/${other.id}/test`, { type: 'intro.ready' });
  const { data, has_more: hasMore } = await listOf(api, endpoint.id);
  const all: { id: string; type: string; created_at: string }[] = data;
  const ids = all.map(({ id }) => id);
  expect([all.map(({ type }) => type).sort(), ids, hasMore]).toEqual([types.sort(), ids.toSorted().reverse(), false]);
  const failed = ids.slice(1, 4);
  await fixture.database.sql`update webhook_deliveries set status = 'failed', due_at = null
    where message_id = any(${failed})`;
  const at = all[2]?.created_at ?? '';
  const filters: [query: string, keep: (message: (typeof all)[number]) => boolean][] = [
    ['', () => true],
    ['type=intro.ready', ({ type }) => type === 'intro.ready'],
    ['type=intro.cancelled', () => false],
    ['status=failed', ({ id }) => failed.includes(id)],
    ['status=failed&type=webhook.test', ({ id, type }) => failed.includes(id) && type === 'webhook.test'],
    ['status=pending', () => false],
    [`created_after=${at}`, ({ created_at }) => created_at >= at],
    [`created_before=${at}`, ({ created_at }) => created_at < at],
    [`status=failed&created_after=${at}`, ({ id, created_at }) => failed.includes(id) && created_at >= at],
    [`type=intro.ready&created_before=${at}`, ({ type, created_at }) => type === 'intro.ready' && created_at < at],
  ];
  for (const [query, keep] of filters) {
    const expected = all.filter(keep).map(({ id }) => id);
    for (const limit of [1, 100]) {
      const found = await listAll(api, `${PATH}/${endpoint.id}/messages?${query}&limit=${limit}`);
      expect([query, limit, found]).toEqual([query, limit, expected]);
    }
  }
});

describe('a test with a type', () => {
  test('sends the sample of that type to this endpoint only, signed, and marked as a test', async () => {
    const { api } = await fixture.newOrganization();
    const endpoint = await newEndpoint(api, { events: ['recipient.opted_out'] });
    const other = await newEndpoint(api);
    const sent = await api.post(`${PATH}/${endpoint.id}/test`, { type: 'intro.ready' });
    expect([sent.status, sent.body]).toMatchObject([
      202,
      { type: 'intro.ready', test: true, status: 'pending', attempts: 0 },
    ]);
    const [received] = await arrival(sent.body.id);
    expect(received?.headers['webhook-test']).toBe('true');
    expect(received?.body).toBe(sent.body.payload);
    const payload = new Webhook(endpoint.secret).verify(received?.body ?? '', received?.headers ?? {});
    expect(payload).toMatchObject({
      type: 'intro.ready',
      timestamp: sent.body.created_at,
      data: { object: 'intro', status: 'ready' },
    });
    const { data } = payload as { data: { id: string } };
    expectError(await api.get(`/v1/intros/${data.id}`), 404, 'not_found');
    expect(await listOf(api, other.id)).toMatchObject({ data: [] });
  });

  test('accepts every type of the reference with the data that it documents, and webhook.test by default', async () => {
    const { api } = await fixture.newOrganization();
    const endpoint = await newEndpoint(api);
    const { webhooks } = fixture.published.document;
    expect(Object.keys(webhooks).length).toBeGreaterThanOrEqual(13);
    for (const type of Object.keys(webhooks)) {
      const { status: code, body } = await api.post(`${PATH}/${endpoint.id}/test`, { type });
      expect([code, body.type, JSON.parse(body.payload).type]).toEqual([202, type, type]);
      const examples = webhooks[type]?.post?.requestBody?.content['application/json'].examples ?? {};
      const { data } = JSON.parse(body.payload);
      if (type !== 'webhook.test') expect(Object.values(examples)[0]?.value).toMatchObject({ data });
    }
    expect((await api.post(`${PATH}/${endpoint.id}/test`)).body.type).toBe('webhook.test');
  });

  test('of an invalid type is rejected, and sends nothing', async () => {
    const { api } = await fixture.newOrganization();
    const endpoint = await newEndpoint(api);
    for (const type of ['*', 'intro.*', 'intro.lost', 7]) {
      expectError(await api.post(`${PATH}/${endpoint.id}/test`, { type }), 422, 'validation_failed', 'type');
    }
    expect(await listOf(api, endpoint.id)).toMatchObject({ data: [] });
  });
});
