import type { ConsoleBody } from '@foreword/contract';
import { expect, test } from 'vitest';
import { createIntro, eventually, settled } from '../acceptance/support/actions.ts';
import { forFile, openService } from '../harness/index.ts';
import { type ConsoleClient, newRetryKey, openConsole } from './console-client.ts';

const fixture = await forFile(openService());
const acme = fixture.organization;
const other = await fixture.newOrganization({ name: 'Other' });
const name = ['--first-name', 'Bo', '--last-name', 'Li', '--email', 'bo@acme.example'];
await fixture.run('member', 'create', '--org', acme.id, ...name, '--lane', 'insurance');
const site = { url: fixture.service.url, environment: fixture.environment };
const ana = await openConsole(site, { org: acme.id, email: 'ana@acme.example' });
const bo = await openConsole(site, { org: acme.id, email: 'bo@acme.example' });
const elsewhere = await openConsole(site, { org: other.id, email: 'ana@acme.example' });

const start = (changes: Partial<ConsoleBody<'POST /home/intros'>> = {}): ConsoleBody<'POST /home/intros'> => ({
  occurred_at: '2026-11-21T12:00:00.000Z',
  touchpoint: 'project_kickoff',
  recipient: { first_name: 'Dana', phone: '+14155550123' },
  ...changes,
});

const followed = (client: ConsoleClient, id: string) =>
  eventually(
    async () => (await client.call('GET /home/events/{id}', { params: { id } })).body,
    ({ status }) => status !== 'accepted',
  );

const cancelAll = async (): Promise<void> => {
  for (const { id } of (await acme.api.get('/v1/intros?status=requested&limit=100')).body.data) {
    await acme.api.post(`/v1/intros/${id}/cancel`);
  }
};

test('home lists intros to record by deadline, with a link that opens the recorder', async () => {
  await cancelAll();
  const late = await createIntro(acme.api, {
    recipient: { first_name: 'Late', phone: '+14155550124' },
    context: { appointment: { starts_at: '2031-03-12T14:30:00', timezone: 'America/Denver' } },
  });
  const soon = await createIntro(acme.api, {
    recipient: { first_name: 'Soon', last_name: 'Ng', phone: '+14155550125' },
  });
  const { body } = await ana.call('GET /home');
  expect(body.to_record.map(({ id }) => id)).toEqual([soon.id, late.id]);
  expect(body.has_more_to_record).toBe(false);
  expect(body.to_record[1]).toMatchObject({
    recipient: { first_name: 'Late', last_name: null },
    appointment: { starts_at: '2031-03-12T20:30:00.000Z', timezone: 'America/Denver' },
    deadline: '2031-03-12T20:30:00.000Z',
    state: 'to_record',
    reason: null,
  });
  const recorder = await fetch(fixture.service.url + new URL(body.to_record[0]?.record_url ?? '').pathname);
  expect(recorder.status).toBe(200);
  expect(await recorder.text()).toContain('Soon');
});

test('does not list intros of other members or organizations', async () => {
  const { id } = await createIntro(acme.api);
  expect((await ana.call('GET /home')).body.to_record.map((task) => task.id)).toContain(id);
  expect((await bo.call('GET /home')).body.to_record).toEqual([]);
  expect((await elsewhere.call('GET /home')).body.to_record).toEqual([]);
});

test('home shows that a take is processed, and why one was refused', async () => {
  await cancelAll();
  const { id } = await createIntro(acme.api);
  const take = (status: string, refusal: string | null) =>
    fixture.database.query(
      `insert into recordings (organization_id, environment, id, intro_id, member_id, status, media_type, progress,
         refusal_message, refusal_code, created_at, touched_at)
       select organization_id, environment, $2, id, member_id, $3, 'video/mp4', 40, $4, $4, now(), now() from intros where id = $1`,
      [id, `rec_${'0'.repeat(25)}${status === 'refused' ? 2 : 1}`, status, refusal],
    );
  await take('processing', null);
  expect((await ana.call('GET /home')).body.to_record[0]).toMatchObject({ id, state: 'processing', progress: 40 });
  await take('refused', 'There is no sound in it.');
  expect((await ana.call('GET /home')).body.to_record[0]).toMatchObject({
    id,
    state: 'refused',
    progress: 0,
    reason: 'There is no sound in it.',
  });
});

test('home lists recorded intros newest first, in pages, with their results and without closed ones', async () => {
  await cancelAll();
  const ids: string[] = [];
  for (let n = 0; n < 23; n++) ids.unshift((await createIntro(acme.api)).id);
  await fixture.database.sql`update intros set status = 'ready', recorded_at = now() where id = any(${ids})`;
  const [newest, second, closed, simulated, , sent] = ids;
  await fixture.database.sql`update intros set status = 'sent', sent_at = now(), opened_at = now(), watched_percent = 75
    where id = any(${[second, sent]})`;
  await fixture.database.sql`update intros set status = 'expired' where id = ${closed}`;
  await fixture.database.sql`update intros set status = 'sent', sent_at = now(), responsibility = 'service',
    recipient_phone = '+15005550123' where id = ${simulated}`;
  const first = (await ana.call('GET /home/recorded')).body;
  expect(first.recorded).toHaveLength(20);
  expect(first.has_more).toBe(true);
  expect(first.recorded.slice(0, 3)).toMatchObject([
    { id: newest, status: 'ready', watched_percent: 0, opened_at: null },
    { id: second, status: 'sent', watched_percent: 75 },
    { id: simulated, delivery_status: 'simulated' },
  ]);
  const last = first.recorded.at(-1)?.id ?? '';
  const rest = (await ana.call('GET /home/recorded', { query: { starting_after: last } })).body;
  expect(rest.has_more).toBe(false);
  expect([...first.recorded, ...rest.recorded].map(({ id }) => id)).toEqual(ids.filter((id) => id !== closed));
  const foreign = await bo.call('GET /home/recorded', { query: { starting_after: last } });
  expect([foreign.status, foreign.error.field]).toEqual([422, 'starting_after']);
});

test('home offers the active touchpoints of the member’s lanes, and starts no other', async () => {
  const names = async (client: ConsoleClient) =>
    (await client.call('GET /home/touchpoints')).body.touchpoints.map(({ slug }) => slug);
  const all = await names(ana);
  const own = await names(bo);
  expect(all).toContain('project_kickoff');
  const [row] = await fixture.database.sql<{ slug: string }>`select slug from touchpoints
    where organization_id = ${acme.id} and lane = 'retail' order by position limit 1`;
  const retail = row?.slug ?? '';
  await fixture.run('touchpoint', 'set', '--org', acme.id, retail, '--active', 'true');
  expect(await names(ana)).toContain(retail);
  expect(await names(bo)).toEqual(own);
  const refused = await bo.call('POST /home/intros', { body: start({ touchpoint: retail }) });
  expect([refused.status, refused.error.code, refused.error.field]).toEqual([
    422,
    'touchpoint_not_found',
    'touchpoint',
  ]);
  await fixture.run('touchpoint', 'set', '--org', acme.id, 'project_kickoff', '--active', 'false');
  expect(await names(ana)).not.toContain('project_kickoff');
  expect((await ana.call('POST /home/intros', { body: start() })).status).toBe(422);
  await fixture.run('touchpoint', 'set', '--org', acme.id, 'project_kickoff', '--active', 'true');
});

test('home starts an intro with the same event as an integration, once per retry key', async () => {
  await cancelAll();
  const body = start({ recipient: { first_name: 'Hand', last_name: 'Made', phone: '+14155550177' } });
  const key = newRetryKey();
  const [one, two] = await Promise.all([
    ana.call('POST /home/intros', { key, body }),
    ana.call('POST /home/intros', { key, body }),
  ]);
  expect([one.status, two.status]).toEqual([200, 200]);
  expect(two.body.id).toBe(one.body.id);
  const done = await followed(ana, one.body.id);
  expect(done).toMatchObject({ status: 'processed', problem: null });
  const event = await settled(acme.api, one.body.id);
  expect(event).toMatchObject({
    intro: done.intro_id,
    touchpoint: 'project_kickoff',
    reference: { source: 'foreword_console' },
  });
  const tasks = (await ana.call('GET /home')).body.to_record;
  expect(tasks).toHaveLength(1);
  expect(tasks[0]).toMatchObject({ id: done.intro_id, recipient: { first_name: 'Hand', last_name: 'Made' } });
  expect((await fetch(fixture.service.url + new URL(done.record_url ?? '').pathname)).status).toBe(200);
  // Retry keys are scoped to the member.
  const theirs = await bo.call('POST /home/intros', { key, body });
  expect(theirs.body.id).not.toBe(one.body.id);
  // The next test counts the intros of this member.
  await followed(bo, theirs.body.id);
  const params = { id: one.body.id };
  expect((await bo.call('GET /home/events/{id}', { params })).status).toBe(404);
  expect((await elsewhere.call('GET /home/events/{id}', { params })).status).toBe(404);
});

test('a member who withdrew consent reads why they start no intro', async () => {
  const setWithdrawn = (at: Date | null) =>
    fixture.database
      .sql`update members set likeness_withdrawn_at = ${at} where organization_id = ${acme.id} and email = 'bo@acme.example'`;
  await setWithdrawn(new Date());
  const { status, error } = await bo.call('POST /home/intros', { body: start() });
  expect([status, error.field]).toEqual([422, 'member']);
  expect(error.message).toBe('Bo Li withdrew the consent to the use of their likeness, so they record no intros.');
  await setWithdrawn(null);
});

test('a manager starts an intro of another member, for their touchpoints; a member only their own', async () => {
  await cancelAll();
  const person = [
    '--first-name',
    'Max',
    '--last-name',
    'Ott',
    '--email',
    'max@acme.example',
    '--phone',
    '+14155550142',
  ];
  await fixture.run('member', 'create', '--org', acme.id, ...person, '--role', 'manager');
  const max = await openConsole(site, { org: acme.id, email: 'max@acme.example' });
  const [{ id: boId = '' } = {}] = await fixture.database.sql<{ id: string }>`select id from members
    where organization_id = ${acme.id} and email = 'bo@acme.example'`;
  const ofBo = await max.call('GET /home/touchpoints', { query: { member: boId } });
  expect(ofBo.body.touchpoints).toEqual((await bo.call('GET /home/touchpoints')).body.touchpoints);
  expect(ofBo.body.own_phone).toBe('+14155550142');
  expect((await max.call('GET /session')).body.member.records).toBe(false);

  const { body } = await max.call('POST /home/intros', { body: start({ member: boId }) });
  const done = await followed(max, body.id);
  // The link is the recorder's alone.
  expect(done).toMatchObject({ status: 'processed', intro_id: expect.any(String), record_url: null });
  expect((await bo.call('GET /home')).body.to_record.map(({ id }) => id)).toEqual([done.intro_id]);
  expect((await max.call('GET /home')).body.to_record).toEqual([]);

  for (const [client, member] of [
    [bo, acme.memberId],
    [max, other.memberId],
    [max, 'mem_01kahzv8e1f0rtx5m2q6n9d3bw'],
  ] as const) {
    const refused = await client.call('POST /home/intros', { body: start({ member }) });
    expect([refused.status, refused.error.field]).toEqual([422, 'member']);
    expect((await client.call('GET /home/touchpoints', { query: { member } })).status).toBe(422);
  }
  await followed(max, (await max.call('POST /home/intros', { body: start() })).body.id);
  expect((await max.call('GET /session')).body.member.records).toBe(true);
});

test('home reads the appointment in the organization’s time zone, and requires one where the touchpoint needs it', async () => {
  await fixture.run('touchpoint', 'set', '--org', acme.id, 'new_appointment', '--active', 'true');
  const without = await ana.call('POST /home/intros', { body: start({ touchpoint: 'new_appointment' }) });
  expect([without.status, without.error.field]).toEqual([422, 'appointment']);
  for (const appointment of ['2031-02-30T10:00:00', '2031-03-12T10:00:00Z', '2031-03-12T10:00:00-05:00', 'soon']) {
    const refused = await ana.call('POST /home/intros', {
      body: start({ touchpoint: 'new_appointment', appointment }),
    });
    expect([refused.status, refused.error.field]).toEqual([422, 'appointment']);
  }
  const body = start({ touchpoint: 'new_appointment', appointment: '2031-07-04T09:15:00' });
  const { intro_id } = await followed(ana, (await ana.call('POST /home/intros', { body })).body.id);
  const intro = (await acme.api.get(`/v1/intros/${intro_id}`)).body;
  expect(intro.context.appointment).toEqual({ starts_at: '2031-07-04T14:15:00.000Z', timezone: 'America/Chicago' });
});

test('home explains why an intro that a member started failed', async () => {
  await fixture.run('touchpoint', 'set', '--org', acme.id, 'project_kickoff', '--delivery', 'service');
  await fixture.database.sql`insert into opt_outs (organization_id, environment, phone, source, opted_out_at)
    values (${acme.id}, 'test', ${'+14155550199'}, 'page', now())`;
  const body = start({ recipient: { first_name: 'Opted', phone: '+14155550199' } });
  const failed = await followed(ana, (await ana.call('POST /home/intros', { body })).body.id);
  expect(failed).toMatchObject({ status: 'failed', intro_id: null, record_url: null });
  expect(failed.problem).toMatch(/opted out/);
});

test('home rejects a recipient that the API would reject, names the field, and stores nothing', async () => {
  const events = () => fixture.database.sql`select id from touchpoint_events where organization_id = ${acme.id}`;
  const before = await events();
  const refusals: [Partial<ConsoleBody<'POST /home/intros'>>, string][] = [
    [{ recipient: { first_name: 'Dana', phone: '5550123' } }, 'recipient.phone'],
    [{ recipient: { first_name: '', phone: '+14155550123' } }, 'recipient.first_name'],
    [{ touchpoint: 'Not a slug' }, 'touchpoint'],
  ];
  for (const [changes, field] of refusals) {
    const { status, error } = await ana.call('POST /home/intros', { body: start(changes) });
    expect([status, error.field]).toEqual([422, field]);
  }
  expect(await events()).toHaveLength(before.length);
});

test('members change their own phone, notifications, pace and language, and nothing else', async () => {
  const changed = await bo.call('POST /home/settings', {
    body: { phone: '+14155550142', notify_by: 'both', words_per_minute: 120, language: 'es' },
  });
  expect(changed.body).toMatchObject({
    phone: '+14155550142',
    notify_by: 'both',
    words_per_minute: 120,
    language: 'es',
    first_name: 'Bo',
  });
  expect((await bo.call('POST /home/settings', { body: { phone: '', language: null } })).body).toMatchObject({
    phone: null,
    language: null,
    words_per_minute: 120,
  });
  const refusals: [object, string][] = [
    [{ phone: '415' }, 'phone'],
    [{ notify_by: 'pigeon' }, 'notify_by'],
    [{ language: 'fr' }, 'language'],
    [{ words_per_minute: 59 }, 'words_per_minute'],
    [{ words_per_minute: 221 }, 'words_per_minute'],
    [{ role: 'owner' }, 'role'],
    [{ first_name: 'Queen' }, 'first_name'],
  ];
  for (const [body, field] of refusals) {
    const { status, error } = await bo.call('POST /home/settings', { body });
    expect([status, error.field]).toEqual([422, field]);
  }
  expect((await bo.call('GET /home/settings')).body).toMatchObject({
    first_name: 'Bo',
    phone: null,
    notify_by: 'both',
  });
  expect((await ana.call('GET /home/settings')).body).toMatchObject({ first_name: 'Ana', words_per_minute: null });
});

test('a new intro takes phone numbers in the format of the organization’s country, and refuses others', async () => {
  const begin = (phone: string) =>
    ana.call('POST /home/intros', { body: start({ recipient: { first_name: 'Nat', phone } }) });
  const stored = async () =>
    (
      await fixture.database.sql<{ phone: string }>`select request -> 'recipient' ->> 'phone' as phone
        from touchpoint_events where organization_id = ${fixture.organization.id} and request -> 'recipient' ->> 'first_name' = 'Nat' order by id`
    ).map(({ phone }) => phone);
  for (const phone of ['555 0177', '415 555 017', 'call me', '(415) 555-0177 or 0178', '+1']) {
    const { status, error } = await begin(phone);
    expect([status, error.field], phone).toEqual([422, 'recipient.phone']);
    expect(error.message, phone).toContain('Enter a whole number');
  }
  expect(await stored()).toEqual([]);
  for (const phone of ['415 555 0177', '1 (415) 555-0178', '+1 415-555-0179', '+447400123456']) {
    expect((await begin(phone)).status, phone).toBe(200);
  }
  expect((await stored()).sort()).toEqual(['+14155550177', '+14155550178', '+14155550179', '+447400123456']);
});
