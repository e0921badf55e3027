import { Webhook } from 'standardwebhooks';
import { expect, test } from 'vitest';
import { toServerKey } from '../../src/platform/server-key.ts';
import { createContentSeal } from '../../src/webhooks/index.ts';
import { forFile } from '../harness/index.ts';
import { SHARED_SETTINGS } from '../harness/service.ts';
import { startReceiver, status } from '../webhooks/receiver.ts';
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

test('failed and retried messages are counted, and only those of the given period are replayed', async () => {
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
  expect(await backlog()).toMatchObject({ waiting: 0, retrying: 0, given_up: 3 });
  const span = { since: '2026-03-02T00:00:00Z', until: '2026-03-03T00:00:00Z' };
  expect(
    (await team.manager.call('POST /v1/webhook_endpoints/{id}/replay', { params, body: span })).body,
  ).toMatchObject({
    messages: 1,
  });
  await expect.poll(() => attemptsOf(id)).toHaveLength(1);
  expect(await backlog()).toMatchObject({ waiting: 0, retrying: 1, given_up: 2 });
  // A message that waits for its retry is one that the page shows as failed attempts.
  expect(
    (await team.manager.call('POST /v1/webhook_endpoints/{id}/replay', { params, body: span })).body,
  ).toMatchObject({
    messages: 1,
  });
  await expect.poll(() => attemptsOf(id)).toHaveLength(2);
  receiver.answerWith(status(200));
  const [attempt] = await attemptsOf(id);
  const one = { message: attempt?.message ?? '' };
  expect((await team.manager.call('POST /v1/webhook_endpoints/{id}/replay', { params, body: one })).body).toMatchObject(
    {
      messages: 1,
    },
  );
});
