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
  expect(await backlog()).toMatchObject({ waiting: 0, retrying: 0, given_up: 3 });
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

const texts = ['--first-name', 'Bo', '--last-name', 'Li', '--email', 'bo@acme.example', '--external-id', 'rep_18'];
await team.run('member', 'create', '--org', team.organization.id, ...texts, '--phone', '+14155550118');

const APPOINTMENT = { starts_at: '2031-03-12T14:30:00', timezone: 'America/Chicago' };
const event = (changes: object = {}) => ({
  touchpoint: 'project_kickoff',
  occurred_at: '2026-03-10T09:15:00Z',
  member: { external_id: 'rep_17' },
  recipient: { first_name: 'Dana', phone: '+14155550123' },
  ...changes,
});

const dryRun = async (of: unknown) => (await team.manager.call('POST /dry-run', { body: { event: of } })).body;

/** The API's response to the same event. */
const send = async (of: object) => (await team.organization.api.post('/v1/touchpoint-events', of)).body;

test('a dry run shows touchpoint, member, script, page, deadline and reminders of a valid event', async () => {
  const run = await dryRun(event({ touchpoint: 'new_appointment', context: { appointment: APPOINTMENT } }));
  expect(run).toMatchObject({
    outcome: 'creates_intro',
    problem: null,
    touchpoint: { slug: 'new_appointment', context: 'appointment' },
    member: { id: team.organization.memberId, first_name: 'Ana', found_by: 'external_id' },
    appointment: { at: '2031-03-12T19:30:00.000Z', timezone: 'America/Chicago', is_past: false },
    intro: {
      notification: { by: ['email'], opted_out: false },
      deadline: { at: '2031-03-12T19:30:00.000Z', timezone: 'America/Chicago', rule: 'appointment' },
      reminders: { rule: 'planned' },
    },
  });
  expect(run.intro?.script.text).toContain('Dana');
  expect(run.intro?.reminders.at.map(({ purpose }) => purpose)).toEqual(['halfway', 'last']);
});

test.each([
  ['an invalid body', { recipient: { first_name: 'Dana', phone: '415' } }, 'malformed', 'body'],
  ['an unknown slug', { touchpoint: 'project_kikoff' }, 'unknown_slug', 'touchpoint'],
  ['a missing appointment', { touchpoint: 'new_appointment' }, 'no_appointment', 'appointment'],
  ['an unknown member', { member: { external_id: 'rep_99' } }, 'not_found', 'member'],
])('%s is reported with the error of the API', async (_what, changes, reason, at) => {
  const run = await dryRun(event(changes));
  expect(run.outcome).toBe('is_rejected');
  expect(run.problem).toMatchObject({ reason, at, status: 422 });
  const { problems, field = null, ...error } = (await send(event(changes))).error;
  expect(run.problem).toMatchObject({ ...error, field });
});

test('suggests slugs, and distinguishes turned-off, deactivated and ambiguous references', async () => {
  expect((await dryRun(event({ touchpoint: 'project_kikoff' }))).problem?.suggestions).toEqual(['project_kickoff']);
  await team.run('touchpoint', 'set', '--org', team.organization.id, 'claim_update', '--active', 'false');
  expect((await dryRun(event({ touchpoint: 'claim_update' }))).problem?.reason).toBe('turned_off');
  const names = ['--first-name', 'Cy', '--last-name', 'Wu', '--email', 'cy@acme.example', '--external-id', 'rep_19'];
  const { id } = await team.run('member', 'create', '--org', team.organization.id, ...names);
  await team.run('member', 'create', '--org', team.organization.id, ...names.slice(0, 6), '--external-id', 'rep_20');
  expect((await dryRun(event({ member: { email: 'CY@acme.example' } }))).problem?.reason).toBe('ambiguous');
  await team.run('member', 'deactivate', id);
  for (const member of [{ id }, { external_id: 'rep_19' }]) {
    expect((await dryRun(event({ member }))).problem).toMatchObject({ at: 'member', reason: 'deactivated' });
  }
});

test.each([[null], ['text'], [7], [[]], [[event()]]])('reports %j as an invalid event', async (of) => {
  const run = await dryRun(of);
  expect(run).toMatchObject({ outcome: 'is_rejected', problem: { at: 'body', field: 'body' }, touchpoint: null });
});

test('a dry run shows when a text is sent and what it says; after an opt-out, the event fails later', async () => {
  const org = team.organization.id;
  await team.run('touchpoint', 'set', '--org', org, 'project_update', '--delivery', 'service');
  expect((await dryRun(event({ touchpoint: 'project_update' }))).delivery).toMatchObject({
    outcome: { kind: 'never', code: 'no_text_provider', message: 'Not sent: no text provider is connected.' },
  });
  const account = ['--twilio-account-sid', `AC${'0'.repeat(32)}`, '--twilio-auth-token', 'x'];
  await team.run('delivery', 'set', '--org', org, ...account, '--twilio-from', '+13125550100');
  const sound = event({ touchpoint: 'project_update', member: { external_id: 'rep_18' } });
  const run = await dryRun(sound);
  expect(run.intro?.notification).toEqual({ by: ['text'], opted_out: false });
  // Dana's number is from California.
  expect(run.delivery).toMatchObject({ by: 'service', hours: { from: 480, until: 1260, state: null } });
  const miami = event({ touchpoint: 'project_update', recipient: { first_name: 'Dana', phone: '+13055550123' } });
  expect((await dryRun(miami)).delivery).toMatchObject({ hours: { from: 480, until: 1200, state: 'Florida' } });
  const madison = event({ touchpoint: 'project_update', recipient: { first_name: 'Dana', phone: '+16085550123' } });
  expect((await dryRun(madison)).delivery).toMatchObject({
    hours: { from: 480, until: 1260, timezone: 'America/Chicago', state: null },
  });
  if (run.delivery?.by !== 'service') throw new Error('not by the service');
  expect(['now', 'later']).toContain(run.delivery.outcome.kind);
  expect(run.delivery.text.body).toMatch(/Acme Roofing.*STOP.*\/i\/…$/s);
  expect(run.delivery.text.segments).toBeGreaterThan(0);

  // The same touchpoint texted this number an hour ago.
  await team.database
    .sql`insert into texted_numbers (organization_id, environment, phone, touchpoint, message_id, texted_at)
     values (${org}, 'test', '+14155550123', 'project_update', 'msg_1', now() - interval '1 hour')`;
  const later = await dryRun(sound);
  expect(later.delivery).toMatchObject({ outcome: { kind: 'later', held_for: 'recent_text' } });
  const soon = new Date(Date.now() + 3_600_000).toISOString();
  const never = await dryRun({ ...sound, context: { appointment: { starts_at: soon, timezone: 'America/Chicago' } } });
  expect(never.delivery).toMatchObject({ outcome: { kind: 'never', code: 'recently_texted' } });

  await team.database.sql`insert into opt_outs (organization_id, environment, phone, source, opted_out_at)
     values (${org}, 'test', '+14155550123', 'text', now())`;
  const failing = await dryRun(sound);
  expect(failing).toMatchObject({
    outcome: 'fails_later',
    problem: { at: 'opt_out', reason: 'opted_out', status: null, code: 'recipient_opted_out' },
  });
  await team.run('touchpoint', 'set', '--org', org, 'project_complete', '--delivery', 'integration');
  const own = await dryRun(event({ touchpoint: 'project_complete' }));
  expect(own.delivery).toEqual({ by: 'integration', recipient_opted_out: true });
});

test('an appointment in the past gets the default number of days', async () => {
  const past = { starts_at: '2020-03-12T14:30:00', timezone: 'America/Chicago' };
  const recipient = { first_name: 'Dana', phone: '+14155550177' };
  const run = await dryRun(event({ touchpoint: 'new_appointment', recipient, context: { appointment: past } }));
  expect(run.appointment?.is_past).toBe(true);
  expect(run.intro?.deadline).toMatchObject({ rule: 'touchpoint_after_late_report', timezone: 'America/Chicago' });
});

test('sees no other organization, and requires an event', async () => {
  const of = event({ member: { id: team.organization.memberId } });
  const { body } = await team.other.owner.call('POST /dry-run', { body: { event: of } });
  expect(body).toMatchObject({ member: null, problem: { reason: 'not_found' } });
  const { status, error } = await team.manager.call('POST /dry-run', { body: {} as never });
  expect([status, error.field]).toEqual([422, 'event']);
});
