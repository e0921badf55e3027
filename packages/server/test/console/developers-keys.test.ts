import type { ConsoleBody } from '@foreword/contract';
import { expect, test } from 'vitest';
import { createApi, forFile } from '../harness/index.ts';
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
