import { Webhook } from 'standardwebhooks';
import { describe, expect, test } from 'vitest';
import { type Api, forFile } from '../harness/index.ts';
import { startReceiver, status } from '../webhooks/receiver.ts';
import { createIntro, eventually, expectError } from './support/actions.ts';
import { openService } from './support/service.ts';

const PATH = '/v1/webhook_endpoints';

const fixture = await forFile(openService());
const receiver = await forFile(startReceiver(status(200, 'thanks')));

async function newEndpoint(api: Api, changes: object = {}) {
  const { status: code, body } = await api.post(PATH, { url: receiver.url, ...changes });
  expect(code).toBe(201);
  return body;
}

const listOf = async (api: Api, endpoint: string, query = '') =>
  (await api.get(`${PATH}/${endpoint}/messages${query}`)).body;
const idsOf = ({ data }: { data: { id: string }[] }) => data.map(({ id }) => id);

const delivered = (api: Api, endpoint: string, count: number) =>
  eventually(async () => (await listOf(api, endpoint, '?status=delivered')).data, { length: count });

const arrival = (id: string) => eventually(() => receiver.received.find(({ headers }) => headers['webhook-id'] === id));

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
    const sent = await arrival(message.id);
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
      const found: string[] = [];
      for (let more = true; more; ) {
        const cursor = found.length === 0 ? '' : `&starting_after=${found.at(-1)}`;
        const page = await listOf(api, endpoint.id, `?${query}&limit=${limit}${cursor}`);
        found.push(...idsOf(page));
        more = page.has_more;
      }
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
    const received = await arrival(sent.body.id);
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
