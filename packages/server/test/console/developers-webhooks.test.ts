import { Webhook } from 'standardwebhooks';
import { expect, test } from 'vitest';
import { toServerKey } from '../../src/platform/server-key.ts';
import { createContentSeal } from '../../src/webhooks/index.ts';
import { forFile } from '../harness/index.ts';
import { SHARED_SETTINGS } from '../harness/service.ts';
import { startReceiver, status } from '../webhooks/receiver.ts';
import { newRetryKey } from './console-client.ts';
import { openTeam } from './team-fixture.ts';

const team = await forFile(openTeam());
const receiver = await forFile(startReceiver(status(200, 'thanks')));

const create = async (events: string[] = ['*']) =>
  (
    await team.manager.call('POST /v1/webhook_endpoints', {
      body: { url: receiver.url, events: events as never },
    })
  ).body;
const attemptsOf = async (id: string) =>
  (await team.manager.call('GET /v1/webhook_endpoints/{id}/attempts', { params: { id } })).body.data;

test('a manager adds an endpoint, tests it, and sees the attempt with its payload', async () => {
  const endpoint = await create();
  expect(endpoint.secret).toMatch(/^whsec_/);
  const { body: message } = await team.manager.call('POST /v1/webhook_endpoints/{id}/test', {
    params: { id: endpoint.id },
    body: {},
  });
  await expect.poll(() => attemptsOf(endpoint.id)).toHaveLength(1);
  const [attempt] = await attemptsOf(endpoint.id);
  expect(attempt).toMatchObject({ message: message.id, succeeded: true, status: 200, answer: 'thanks' });
  const params = { id: message.id };
  const query = { endpoint: endpoint.id };
  const { body: detail } = await team.manager.call('GET /v1/webhook_messages/{id}', { params, query });
  expect(detail).toMatchObject({ type: 'webhook.test', status: 'delivered', next_attempt_at: null });
  const came = receiver.received.find(({ headers }) => headers['webhook-id'] === message.id);
  expect(detail.payload).toBe(came?.body);
  expect(new Webhook(endpoint.secret).verify(came?.body ?? '', came?.headers ?? {})).toMatchObject({
    type: 'webhook.test',
  });
  const list = (await team.manager.call('GET /webhooks')).body;
  expect(list.events.map(({ type }) => type)).toContain('intro.ready');
  expect(JSON.stringify(list)).not.toContain('whsec_');
});

test('a manager tests an endpoint with the sample of a type, and the message is marked as a test', async () => {
  const { id } = await create(['recipient.opted_out']);
  const params = { id };
  const body = { type: 'intro.ready' } as const;
  const { body: message } = await team.manager.call('POST /v1/webhook_endpoints/{id}/test', { params, body });
  expect(message).toMatchObject({ type: 'intro.ready', test: true });
  expect(JSON.parse(message.payload).data).toMatchObject({ object: 'intro', status: 'ready' });
  const wrong = { type: 'intro.lost' as never };
  const refused = await team.manager.call('POST /v1/webhook_endpoints/{id}/test', { params, body: wrong });
  expect([refused.status, refused.error.field]).toEqual([422, 'type']);
});

test('a retry after a lost response returns the same endpoint and secret', async () => {
  const body = { url: `${receiver.url}/lost` };
  const request = { key: newRetryKey(), body };
  const first = (await team.manager.call('POST /v1/webhook_endpoints', request)).body;
  expect((await team.manager.call('POST /v1/webhook_endpoints', request)).body).toEqual(first);
  const { endpoints } = (await team.manager.call('GET /webhooks')).body;
  expect(endpoints.filter(({ url }) => url === body.url)).toHaveLength(1);
});

test('a retry of a rotation returns the same new secret, and the old one keeps working', async () => {
  const { id, secret } = await create();
  const ask = { params: { id }, key: newRetryKey() };
  const first = (await team.manager.call('POST /v1/webhook_endpoints/{id}/rotate_secret', ask)).body;
  expect((await team.manager.call('POST /v1/webhook_endpoints/{id}/rotate_secret', ask)).body.secret).toBe(
    first.secret,
  );
  const { body: message } = await team.manager.call('POST /v1/webhook_endpoints/{id}/test', {
    params: { id },
    body: {},
  });
  await expect.poll(() => attemptsOf(id)).toHaveLength(1);
  const came = receiver.received.find(({ headers }) => headers['webhook-id'] === message.id);
  for (const known of [secret, first.secret]) {
    expect(new Webhook(known).verify(came?.body ?? '', came?.headers ?? {})).toMatchObject({ type: 'webhook.test' });
  }
});

test('an endpoint can be changed, rotated, turned off and on, and deleted', async () => {
  const { id, secret } = await create();
  const params = { id };
  const changed = await team.manager.call('POST /v1/webhook_endpoints/{id}', { params, body: { events: ['intro.*'] } });
  expect(changed.body.events).toEqual(['intro.*']);
  const rotated = await team.manager.call('POST /v1/webhook_endpoints/{id}/rotate_secret', { params });
  expect(rotated.body.secret).not.toBe(secret);
  await team.manager.call('POST /v1/webhook_endpoints/{id}', { params, body: { active: false } });
  const refused = await team.manager.call('POST /v1/webhook_endpoints/{id}/test', { params, body: {} });
  expect([refused.status, refused.error.code]).toEqual([409, 'webhook_endpoint_inactive']);
  expect(
    (await team.manager.call('POST /v1/webhook_endpoints/{id}', { params, body: { active: true } })).body.active,
  ).toBe(true);
  expect((await team.manager.call('DELETE /v1/webhook_endpoints/{id}', { params })).body).toMatchObject({
    id,
    deleted: true,
  });
  expect((await team.manager.call('GET /webhooks/{id}', { params })).status).toBe(404);
});

test('failed messages are counted, and only those of the given period are replayed', async () => {
  const { id } = await create(['intro.requested']);
  const params = { id };
  receiver.answerWith(status(500));
  const contents = createContentSeal(toServerKey(Buffer.from(SHARED_SETTINGS.SERVER_KEY, 'hex')));
  for (const at of ['2026-03-01', '2026-03-02', '2026-03-03']) {
    const message = `msg_${at.replaceAll('-', '')}${'0'.repeat(18)}`;
    const values = [team.organization.id, message, `${at}T12:00:00Z`, id];
    await team.database.query(
      `insert into webhook_messages (organization_id, environment, id, type, sealed_payload, created_at)
       values ($1, 'test', $2, 'intro.requested', $4, $3)`,
      [...values.slice(0, 3), contents.sealPayload({ organization_id: team.organization.id, id: message }, '{}')],
    );
    await team.database.query(
      `insert into webhook_deliveries (organization_id, environment, message_id, endpoint_id, status, due_at, created_at)
       values ($1, 'test', $2, $4, 'failed', null, $3)`,
      values,
    );
  }
  const backlog = async () => (await team.manager.call('GET /webhooks/{id}', { params })).body.backlog;
  expect(await backlog()).toMatchObject({ waiting: 0, given_up: 3 });
  const span = { since: '2026-03-02T00:00:00Z', until: '2026-03-03T00:00:00Z' };
  expect(
    (await team.manager.call('POST /v1/webhook_endpoints/{id}/replay', { params, body: span })).body,
  ).toMatchObject({
    messages: 1,
  });
  await expect.poll(() => attemptsOf(id)).toHaveLength(1);
  expect(await backlog()).toMatchObject({ waiting: 1, given_up: 2 });
  receiver.answerWith(status(200));
  const [attempt] = await attemptsOf(id);
  const one = { message: attempt?.message ?? '' };
  expect((await team.manager.call('POST /v1/webhook_endpoints/{id}/replay', { params, body: one })).body).toMatchObject(
    {
      messages: 1,
    },
  );
});

test.each([
  ['neither a message nor a time', {}, 'body'],
  ['an end before the start', { since: '2026-03-02T00:00:00Z', until: '2026-03-01T00:00:00Z' }, 'until'],
  ['an unknown message', { message: 'msg_1' }, 'message'],
])('a replay of %s is rejected with its field', async (_what, body, field) => {
  const { id } = await create();
  const { status, error } = await team.manager.call('POST /v1/webhook_endpoints/{id}/replay', { params: { id }, body });
  expect([status, error.field]).toEqual([422, field]);
});
