import type { LoggedRequest } from '@foreword/contract';
import { expect, test } from 'vitest';
import { forFile } from '../harness/index.ts';
import { openTeam } from './team-fixture.ts';

const team = await forFile(openTeam());

const event = (changes: object = {}) => ({
  touchpoint: 'project_kickoff',
  occurred_at: '2026-03-10T09:15:00Z',
  member: { external_id: 'rep_17' },
  recipient: { first_name: 'Dana', phone: '+14155550123' },
  ...changes,
});

const list = async (query: Parameters<typeof ask>[0] = {}) => (await ask(query)).body.requests;
const ask = (query: object = {}) => team.manager.call('GET /requests', { query });
/** Requests are logged a moment later. */
const untilLogged = async (id: string | null): Promise<LoggedRequest> => {
  const find = async () => (await list({ request_id: id ?? '' }))[0];
  await expect.poll(find).toBeDefined();
  return (await find()) as LoggedRequest;
};

test('a request is logged with its key, time and created object, and with phone numbers masked', async () => {
  const { headers, body } = await team.organization.api.post('/v1/touchpoint-events', event());
  const seen = await untilLogged(headers.get('request-id'));
  expect(seen).toMatchObject({
    method: 'POST',
    path: '/v1/touchpoint-events',
    status: 202,
    error: null,
    object_id: body.id,
    key: { id: team.organization.keyId, name: 'Tests' },
  });
  expect(seen.duration_ms).toBeGreaterThan(0);
  const { body: detail } = await team.manager.call('GET /requests/{id}', { params: { id: seen.id } });
  expect(detail).toMatchObject({ answer: null, is_cut: false, query: null });
  expect(JSON.parse(detail.body ?? '').recipient).toEqual({ first_name: 'Dana', phone: '+•••••••••23' });
  expect(JSON.stringify(detail)).not.toContain(team.organization.key);
});

test('a rejected request shows its error code, field and response', async () => {
  const wrong = event({ recipient: { first_name: 'Dana', phone: '415-555-0123' } });
  const { headers } = await team.organization.api.post('/v1/touchpoint-events', wrong);
  const seen = await untilLogged(headers.get('request-id'));
  expect(seen).toMatchObject({ status: 422, error: 'validation_failed', object_id: null });
  const { body: detail } = await team.manager.call('GET /requests/{id}', { params: { id: seen.id } });
  expect(JSON.parse(detail.answer ?? '').error).toMatchObject({ field: 'recipient.phone' });
  expect(detail.body).not.toContain('555-0123');
});

test('a phone number in a path or query is masked', async () => {
  for (const path of ['/v1/intros/%2B14155550123', '/v1/intros?reference_id=%2B14155550123']) {
    const { headers } = await team.organization.api.get(path);
    const seen = await untilLogged(headers.get('request-id'));
    const { body: detail } = await team.manager.call('GET /requests/{id}', { params: { id: seen.id } });
    expect(JSON.stringify([seen, detail])).not.toContain('4155550123');
    expect(`${detail.path} ${detail.query}`).toContain('••23');
  }
});

test('filters of the request log can be combined, and show nothing of another organization', async () => {
  const { api } = team.organization;
  const { headers } = await api.get('/v1/intros?limit=7&reference_id=a');
  await untilLogged(headers.get('request-id'));
  const all = await list();
  const each = async (query: object, fits: (request: LoggedRequest) => boolean) => {
    expect(
      (await list(query)).map(({ id }) => id),
      JSON.stringify(query),
    ).toEqual(all.filter(fits).map(({ id }) => id));
  };
  await each({ method: 'GET' }, ({ method }) => method === 'GET');
  await each({ path: '/v1/touch' }, ({ path }) => path.startsWith('/v1/touch'));
  await each({ path: '/v1/%' }, () => false);
  await each({ status: '4xx' }, ({ status }) => status >= 400 && status < 500);
  await each({ status: '2xx', method: 'POST' }, ({ status, method }) => status < 300 && method === 'POST');
  await each({ error: 'validation_failed' }, ({ error }) => error === 'validation_failed');
  await each({ key: team.organization.keyId }, () => true);
  await each({ key: 'key_none' }, () => false);
  const [newest, oldest] = [all[0], all.at(-1)];
  await each({ object_id: oldest?.object_id ?? '' }, ({ object_id }) => object_id === oldest?.object_id);
  await each({ until: '2020-01-01T00:00:00Z' }, () => false);
  await each({ since: '2020-01-01T00:00:00Z' }, () => true);
  expect((await team.manager.call('GET /requests/{id}', { params: { id: newest?.id ?? '' } })).body.query).toBe(
    'limit=7&reference_id=a',
  );
  expect((await team.other.owner.call('GET /requests', { query: {} })).body.requests).toEqual([]);
  expect((await team.other.owner.call('GET /requests/{id}', { params: { id: newest?.id ?? '' } })).status).toBe(404);
});

test('pages have no gaps or duplicates, and say how many requests were not logged', async () => {
  const busy = await team.newOther();
  const { id, keyId } = busy.organization;
  await team.database
    .sql`insert into request_log (organization_id, environment, id, key_id, method, path, status, duration_ms, body_bytes, created_at)
     select ${id}, 'test', 'req_' || lpad(n::text, 26, '0'), ${keyId}, 'POST', '/v1/intros', 415, 1, 0, now() from generate_series(1, 130) n`;
  await team.database.sql`insert into request_log_gaps (organization_id, environment, hour, requests)
    values (${id}, 'test', date_trunc('hour', now()), 40)`;
  const ids: string[] = [];
  for (let before: string | null | undefined; before !== null; ) {
    const { body } = await busy.owner.call('GET /requests', { query: { ...(before !== undefined && { before }) } });
    expect(body.not_logged).toBe(40);
    ids.push(...body.requests.map((request) => request.id));
    before = body.next;
  }
  expect(ids).toHaveLength(130);
  expect(ids).toEqual([...new Set(ids)].sort().reverse());
});

test.each([
  [{ before: 'x' }, 'before'],
  [{ status: '3xx' }, 'status'],
  [{ since: 'yesterday' }, 'since'],
])('%j is rejected with its field', async (query, field) => {
  const { status, error } = await ask(query);
  expect([status, error.field]).toEqual([422, field]);
});

test('the request log offers the keys and the API’s error codes as filters', async () => {
  const { body } = await team.manager.call('GET /requests/choices');
  expect(body.keys).toEqual([{ id: team.organization.keyId, name: 'Tests', ending: team.organization.key.slice(-4) }]);
  expect(body.error_codes).toContain('touchpoint_not_found');
  expect(body.error_codes).not.toContain('edit_conflict');
});

const texts = ['--first-name', 'Bo', '--last-name', 'Li', '--email', 'bo@acme.example', '--external-id', 'rep_18'];
await team.run('member', 'create', '--org', team.organization.id, ...texts, '--phone', '+14155550118');

const APPOINTMENT = { starts_at: '2031-03-12T14:30:00', timezone: 'America/Chicago' };
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
  const { organization, owner } = await team.newOther();
  const expectPast = async (starts_at: string) => {
    const appointment = { starts_at, timezone: 'America/Chicago' };
    const of = event({ touchpoint: 'new_appointment', context: { appointment } });
    const { body } = await owner.call('POST /dry-run', { body: { event: of } });
    expect(body.appointment?.is_past).toBe(true);
    expect(body.intro?.deadline).toMatchObject({ rule: 'touchpoint_after_late_report', timezone: 'America/Chicago' });
  };
  await expectPast('2020-03-12T14:30:00');
  const { body: clock } = await organization.api.post('/v1/test_helpers/clock/advance', { seconds: 864_000 });
  await expectPast(new Date(Date.parse(clock.now) - 86_400_000).toISOString());
});

test('sees no other organization, and requires an event', async () => {
  const of = event({ member: { id: team.organization.memberId } });
  const { body } = await team.other.owner.call('POST /dry-run', { body: { event: of } });
  expect(body).toMatchObject({ member: null, problem: { reason: 'not_found' } });
  const { status, error } = await team.manager.call('POST /dry-run', { body: {} as never });
  expect([status, error.field]).toEqual([422, 'event']);
});
