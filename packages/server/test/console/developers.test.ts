import type { ConsoleBody } from '@foreword/contract';
import { Webhook } from 'standardwebhooks';
import { expect, test } from 'vitest';
import { toServerKey } from '../../src/platform/server-key.ts';
import { createContentSeal } from '../../src/webhooks/index.ts';
import { createApi, forFile } from '../harness/index.ts';
import { SHARED_SETTINGS } from '../harness/service.ts';
import { startReceiver, status } from '../webhooks/receiver.ts';
import { newRetryKey } from './console-client.ts';
import { openTeam } from './team-fixture.ts';

const team = await forFile(openTeam());

test('an owner creates a key that works immediately and is shown only once', async () => {
  const { status, body } = await team.owner.call('POST /keys', { body: { name: 'Acme CRM' } });
  expect(status).toBe(200);
  expect(body.secret).toMatch(/^fw_test_[0-9A-Za-z]{30}$/);
  expect(body.key).toMatchObject({
    name: 'Acme CRM',
    ending: body.secret.slice(-4),
    last_used_at: null,
    revoked_at: null,
  });
  expect((await createApi(team.service.url, body.secret).get('/v1/touchpoints')).status).toBe(200);
  const { body: list } = await team.owner.call('GET /keys');
  expect(list.keys[0]).toMatchObject({ id: body.key.id });
  expect(JSON.stringify(list)).not.toContain(body.secret);
});

test('a retry after a lost response replaces the key, and the shown key works', async () => {
  const request = { key: newRetryKey(), body: { name: 'Lost' } };
  const unseen = (await team.owner.call('POST /keys', request)).body;
  const [one, other] = await Promise.all([
    team.owner.call('POST /keys', request),
    team.owner.call('POST /keys', request),
  ]);
  expect([one.status, other.status]).toEqual([200, 200]);
  const { keys } = (await team.owner.call('GET /keys')).body;
  const live = keys.filter(({ name, revoked_at }) => name === 'Lost' && revoked_at === null);
  expect(live).toHaveLength(1);
  const shown = one.body.key.id === live[0]?.id ? one.body : other.body;
  expect(shown.key).toEqual(live[0]);
  expect((await createApi(team.service.url, shown.secret).get('/v1/touchpoints')).status).toBe(200);
  await expect
    .poll(async () => (await createApi(team.service.url, unseen.secret).get('/v1/touchpoints')).status)
    .toBe(401);
  const renamed = await team.owner.call('POST /keys', { ...request, body: { name: 'Another' } });
  expect([renamed.status, renamed.error.code]).toEqual([409, 'idempotency_conflict']);
  const kept = await team.database.sql`select count(*)::int as n from idempotency_keys
    where organization_id = ${team.organization.id} and response like '%fw_test_%'`;
  expect(kept).toEqual([{ n: 0 }]);
});

test('a revoked key stops working, and keeps its first revocation time', async () => {
  const { body } = await team.owner.call('POST /keys', { body: { name: 'To go' } });
  const api = createApi(team.service.url, body.secret);
  expect((await api.get('/v1/touchpoints')).status).toBe(200);
  const revoked = await team.owner.call('POST /keys/{id}/revoke', { params: { id: body.key.id } });
  expect(revoked.body.revoked_at).not.toBeNull();
  await expect.poll(async () => (await api.get('/v1/touchpoints')).status).toBe(401);
  const again = await team.owner.call('POST /keys/{id}/revoke', { params: { id: body.key.id } });
  expect(again.body.revoked_at).toBe(revoked.body.revoked_at);
});

test('an owner limits a key in time and to networks, and changes both', async () => {
  const limits = { expires_at: '2036-01-01T00:00:00.000Z', allowed_ips: ['203.0.113.0/24'] };
  const { body } = await team.owner.call('POST /keys', { body: { name: 'Limited', ...limits } });
  expect(body.key).toMatchObject(limits);
  const statusFrom = async (ip: string) => {
    const headers = { authorization: `Bearer ${body.secret}`, 'x-forwarded-for': ip };
    const response = await fetch(`${team.service.url}/v1/touchpoints`, { headers });
    return [response.status, ((await response.json()) as { error?: { message: string } }).error?.message];
  };
  expect(await statusFrom('203.0.113.9')).toEqual([200, undefined]);
  expect(await statusFrom('198.51.100.9')).toEqual([401, expect.stringContaining('from 198.51.100.9')]);
  const params = { id: body.key.id };
  const wider = { expires_at: '2037-01-01T00:00:00.000Z', allowed_ips: [] };
  expect((await team.owner.call('POST /keys/{id}', { params, body: wider })).body).toMatchObject({
    ...params,
    ...wider,
  });
  await expect.poll(() => statusFrom('198.51.100.9')).toEqual([200, undefined]);
  await team.database.sql`update api_keys set expires_at = '2026-01-01T00:00:00Z' where id = ${params.id}`;
  const expired = expect.stringContaining('expired at 2026-01-01T00:00:00.000Z');
  await expect.poll(() => statusFrom('198.51.100.9')).toEqual([401, expired]);
});

test('an owner limits a key to a scope, and changes it', async () => {
  const scoped = { scope: 'read' } as const;
  const { body } = await team.owner.call('POST /keys', { body: { name: 'Reports', ...scoped } });
  expect(body.key).toMatchObject({ scope: 'read', recording_links: false, agent_writes: false });
  const api = createApi(team.service.url, body.secret);
  const statuses = async () => [(await api.get('/v1/members')).status, (await api.post('/v1/intros', {})).status];
  expect(await statuses()).toEqual([200, 403]);
  const params = { id: body.key.id };
  const wider = { scope: 'full', recording_links: true, agent_writes: true } as const;
  expect((await team.owner.call('POST /keys/{id}', { params, body: wider })).body).toMatchObject(wider);
  await expect.poll(statuses).toEqual([200, 422]);
});

/** Without the time of the last use, which is written a moment later. */
async function listKeys() {
  const { body } = await team.owner.call('GET /keys');
  return body.keys.map(({ last_used_at: _, ...key }) => key);
}

test('invalid limits and an empty name are rejected, and nothing is created or changed', async () => {
  const before = await listKeys();
  const id = before[0]?.id ?? '';
  for (const [field, limits] of [
    ['expires_at', { expires_at: '2020-01-01T00:00:00Z' }],
    ['allowed_ips', { allowed_ips: ['not a network'] }],
    ['recording_links', { scope: 'read', recording_links: true }],
    ['agent_writes', { scope: 'read', agent_writes: true }],
  ] satisfies [string, ConsoleBody<'POST /keys/{id}'>][]) {
    const created = await team.owner.call('POST /keys', { body: { name: 'Wrong', ...limits } });
    const changed = await team.owner.call('POST /keys/{id}', { params: { id }, body: limits });
    expect([created.status, created.error.field]).toEqual([422, field]);
    expect([changed.status, changed.error.field]).toEqual([422, field]);
  }
  const nameless = await team.owner.call('POST /keys', { body: { name: '' } });
  expect([nameless.status, nameless.error.field]).toEqual([422, 'name']);
  expect(await listKeys()).toEqual(before);
});

test('an organization with 50 active keys gets no further one', async () => {
  const { organization, owner, database } = team;
  await database.sql`insert into api_keys (organization_id, environment, id, name, hash, ending, created_at)
     select ${organization.id}, 'test', 'key_' || n, 'Many', ('\\x' || lpad(n::text, 64, '0'))::bytea, 'abcd', now() from generate_series(1, 50) n`;
  const refused = await owner.call('POST /keys', { body: { name: 'One more' } });
  expect([refused.status, refused.error.code]).toEqual([409, 'api_key_limit']);
  await database.sql`update api_keys set revoked_at = now() where organization_id = ${organization.id}
    and name = 'Many'`;
  expect((await owner.call('POST /keys', { body: { name: 'One more' } })).status).toBe(200);
});

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
  expect(await backlog()).toMatchObject({
    ...{ waiting: 0, retrying: 0, given_up: 3 },
    failed_since: '2026-03-01T12:00:00.000Z',
  });
  const span = { since: '2026-03-02T00:00:00Z', until: '2026-03-03T00:00:00Z' };
  const replay = async (body: ConsoleBody<'POST /v1/webhook_endpoints/{id}/replay'>) =>
    (await team.manager.call('POST /v1/webhook_endpoints/{id}/replay', { params, body })).body.messages;
  expect(await replay(span)).toBe(1);
  await expect.poll(() => attemptsOf(id)).toHaveLength(1);
  expect(await backlog()).toMatchObject({ waiting: 0, retrying: 1, given_up: 2 });
  // A message that waits for its retry is one that the page shows as failed attempts.
  expect(await replay(span)).toBe(1);
  await expect.poll(() => attemptsOf(id)).toHaveLength(2);
  receiver.answerWith(status(200));
  const [attempt] = await attemptsOf(id);
  expect(await replay({ message: attempt?.message ?? '' })).toBe(1);
});
