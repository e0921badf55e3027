import { setTimeout as sleep } from 'node:timers/promises';
import { Webhook } from 'standardwebhooks';
import { describe, expect, test } from 'vitest';
import type { Api } from '../harness/index.ts';
import { forFile } from '../harness/index.ts';
import { UNKNOWN_IDS } from '../robustness/bad-requests.table.ts';
import { startReceiver, status } from '../webhooks/receiver.ts';
import { createIntro, eventually, expectError } from './support/actions.ts';
import { openService } from './support/service.ts';

const PATH = '/v1/webhook_endpoints';
const UNKNOWN = 'msg_01kahzv8e1f0rtx5m2q6n9d3bw';

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
  eventually(
    async () => (await listOf(api, endpoint, '?status=delivered')).data,
    (found) => found.length === count,
  );

const arrival = (id: string) =>
  eventually(
    async () => receiver.received.find(({ headers }) => headers['webhook-id'] === id),
    (found) => found !== undefined,
  );

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
    const [row] = await fixture.database.query<{ text: string }>(
      'select m::text as text from webhook_messages m where id = $1',
      [message.id],
    );
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
    const other = await eventually(
      () => read(`?endpoint=${failing.id}`),
      ({ attempts }) => attempts === 1,
    );
    expect(other).toMatchObject({ id: message.id, endpoint: failing.id, status: 'pending', payload: message.payload });
    expect(Date.parse(other.next_attempt_at)).toBeGreaterThan(Date.parse(other.created_at));
    expectError(await api.get(`/v1/webhook_messages/${message.id}?endpoint=whk_none`), 404, 'not_found');
  });

  test('of another organization, or an unknown one, is 404, and is no cursor', async () => {
    const [mine, theirs] = [await fixture.newOrganization(), await fixture.newOrganization()];
    const [own, foreign] = [await newEndpoint(mine.api), await newEndpoint(theirs.api)];
    const { body: message } = await theirs.api.post(`${PATH}/${foreign.id}/test`);
    const unknown = await mine.api.get(`/v1/webhook_messages/${UNKNOWN}`);
    expectError(unknown, 404, 'not_found');
    expect((await mine.api.get(`/v1/webhook_messages/${message.id}`)).body).toEqual(unknown.body);
    expectError(await mine.api.get(`/v1/webhook_messages/${message.id}?endpoint=${foreign.id}`), 404, 'not_found');
    expectError(await mine.api.get(`${PATH}/${foreign.id}/messages`), 404, 'not_found');
    const after = await mine.api.get(`${PATH}/${own.id}/messages?starting_after=${message.id}`);
    expectError(after, 422, 'validation_failed', 'starting_after');
    expect(await listOf(mine.api, own.id)).toEqual({ object: 'list', data: [], has_more: false });
  });
});

test('an id that matches nothing is 404 in any form, and sends nothing', async () => {
  for (const [name, id] of UNKNOWN_IDS) {
    const replies = await Promise.all([
      fixture.api.get(`/v1/webhook_messages/${id}`),
      fixture.api.get(`${PATH}/${id}/messages`),
      fixture.api.post(`${PATH}/${id}/test`, { type: 'intro.ready' }),
    ]);
    expect([name, replies.map(({ body }) => body.error.code)]).toEqual([name, replies.map(() => 'not_found')]);
  }
});

describe('the messages of an endpoint', () => {
  test('are newest first, in pages, and each filter gives exactly its messages', async () => {
    const { api } = await fixture.newOrganization();
    const endpoint = await newEndpoint(api);
    const send = async (body: object) => (await api.post(`${PATH}/${endpoint.id}/test`, body)).body;
    const types = ['intro.sent', 'intro.ready', 'webhook.test', 'intro.ready', 'intro.sent'];
    for (const type of types) {
      await send({ type });
      // Two nodes read the database's clock to within milliseconds.
      await sleep(20);
    }
    await delivered(api, endpoint.id, types.length);
    // Other endpoints get the same types.
    const other = await newEndpoint(api);
    await api.post(`${PATH}/${other.id}/test`, { type: 'intro.ready' });
    const all = await listOf(api, endpoint.id);
    expect(all.data.map(({ type }: { type: string }) => type)).toEqual(types.toReversed());
    expect(all.has_more).toBe(false);
    const ids = idsOf(all);
    const [, second = '', middle = '', fourth = ''] = ids;
    const createdAt = all.data[2].created_at;
    const exactly = async (query: string, expected: string[], hasMore = false) => {
      const page = await listOf(api, endpoint.id, query);
      expect({ query, ids: idsOf(page), has_more: page.has_more }).toEqual({ query, ids: expected, has_more: hasMore });
    };
    await fixture.database.query(
      `update webhook_deliveries set status = 'failed', due_at = null where message_id = any($1)`,
      [[second, middle, fourth]],
    );
    await exactly('?limit=2', ids.slice(0, 2), true);
    await exactly(`?limit=2&starting_after=${second}`, ids.slice(2, 4), true);
    await exactly('?type=intro.ready', [second, fourth]);
    await exactly('?type=intro.ready&limit=1', [second], true);
    await exactly(`?type=intro.ready&starting_after=${second}`, [fourth]);
    await exactly('?type=intro.cancelled', []);
    await exactly('?status=failed', [second, middle, fourth]);
    await exactly('?status=failed&limit=1', [second], true);
    await exactly(`?status=failed&limit=1&starting_after=${second}`, [middle], true);
    await exactly(`?status=failed&starting_after=${middle}`, [fourth]);
    await exactly('?status=failed&type=webhook.test', [middle]);
    await exactly('?status=pending', []);
    await exactly(`?created_after=${createdAt}`, ids.slice(0, 3));
    await exactly(`?created_before=${createdAt}`, ids.slice(3));
    await exactly(`?status=failed&created_after=${createdAt}`, [second, middle]);
    await exactly(`?status=failed&created_before=${createdAt}`, [fourth]);
    await exactly(`?type=intro.ready&created_before=${createdAt}`, [fourth]);
  });

  test.each([
    ['type', 'type=intro.lost'],
    ['type', 'type=intro.*'],
    ['type', 'type=%00'],
    ['type', 'type=intro.ready,intro.sent'],
    ['status', 'status=sent'],
    ['created_after', 'created_after=yesterday'],
    ['created_before', 'created_before=2026-03-10T09:15:00'],
    ['limit', 'limit=0'],
    ['starting_after', 'starting_after=msg_none'],
    ['endpoint', 'endpoint=whk_none'],
  ])('are not listed with an invalid %s: %s', async (field, query) => {
    const [endpoint] = (await fixture.api.get(PATH)).body.data;
    const { id } = endpoint ?? (await newEndpoint(fixture.api));
    expectError(await fixture.api.get(`${PATH}/${id}/messages?${query}`), 422, 'validation_failed', field);
  });
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

  test('is sent once per Idempotency-Key, and an invalid type sends nothing', async () => {
    const { api } = await fixture.newOrganization();
    const endpoint = await newEndpoint(api);
    const test = (body: object, key: string) => api.post(`${PATH}/${endpoint.id}/test`, body, { key });
    for (const type of ['*', 'intro.*', 'intro.lost', 7]) {
      expectError(await test({ type }, 'test:1'), 422, 'validation_failed', 'type');
    }
    const first = await test({ type: 'intro.sent' }, 'test:1');
    expect((await test({ type: 'intro.sent' }, 'test:1')).body).toEqual(first.body);
    expectError(await test({ type: 'intro.ready' }, 'test:1'), 409, 'idempotency_conflict');
    expect(idsOf(await listOf(api, endpoint.id))).toEqual([first.body.id]);
  });
});
