import { expect, test } from 'vitest';
import { forFile } from '../harness/index.ts';
import { openTeam } from './team-fixture.ts';

const team = await forFile(openTeam());
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
