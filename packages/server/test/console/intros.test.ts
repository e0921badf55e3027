import {
  type ConsoleIntroRow,
  type ConsoleQuery,
  DAY_MS,
  DELIVERY_STATUSES,
  foldName,
  INTRO_PROBLEMS,
} from '@foreword/contract';
import { beforeAll, describe, expect, test } from 'vitest';
import { idBound } from '../../src/platform/ids.ts';
import { APPOINTMENT, createIntro, eventually } from '../acceptance/support/actions.ts';
import { forFile } from '../harness/index.ts';
import { openIntros } from './intros-fixture.ts';

const team = await forFile(openIntros());

async function find(query: ConsoleQuery<'GET /intros'>, client = team.manager): Promise<string[]> {
  const { status, body } = await client.call('GET /intros', { query });
  expect(status).toBe(200);
  return body.rows.map(({ id }) => id);
}

describe('the list of intros', () => {
  const ids: Record<string, string> = {};
  beforeAll(async () => {
    const zoe = { first_name: 'Zoe', last_name: 'O’Hara', phone: '+14165550777' };
    const mary = { first_name: 'Mary Ann', last_name: 'de la Cruz', phone: '+442071838750' };
    const elodie = { first_name: 'Élodie', phone: '+14165550778' };
    const reference = { source: 'acme_crm', type: 'job', id: 'job_77:1' };
    ids.zoe = (await createIntro(team.organization.api, { recipient: zoe, reference })).id;
    ids.mary = await team.make({ recipient: mary });
    ids.elodie = (await createIntro(team.organization.api, { recipient: elodie })).id;
    ids.cancelled = (await createIntro(team.organization.api, { recipient: { ...zoe, first_name: 'Zoltan' } })).id;
    await team.organization.api.post(`/v1/intros/${ids.cancelled}/cancel`);
  });

  test.each([
    ['the beginning of a first name', 'zo', ['cancelled', 'zoe']],
    ['the beginning of a last name, in any case', 'O’HA', ['cancelled', 'zoe']],
    ['both names', 'zoe o’h', ['zoe']],
    ['both names, the last one first', 'O’Hara, Zoe', ['zoe']],
    ['a first name of two words', 'mary ann', ['mary']],
    ['names of several words', 'Mary Ann de la', ['mary']],
    ['a name that begins with an accent', 'élo', ['elodie']],
    ['a name without its accent', 'elodie', ['elodie']],
    ['a last name without its punctuation', 'OHARA', ['cancelled', 'zoe']],
    ['a last name without its spaces', 'delacruz', ['mary']],
    ['the last four digits of a number', '8750', ['mary']],
    ['the last seven digits of a number', '555-0777', ['cancelled', 'zoe']],
    ['four digits that are not the last ones', '4165', []],
    ['a number as people write it', '(416) 555-0777', ['cancelled', 'zoe']],
    ['the beginning of a number', '+44 20', ['mary']],
    ['a reference id', 'job_77:1', ['zoe']],
    ['a name that matches nothing', 'Unknown', []],
    ['a LIKE wildcard', '%', []],
  ])('is searched by %s', async (_what, q, names) => {
    expect(await find({ q })).toEqual(names.map((name) => ids[name]));
  });

  test('is searched by the id of an intro or its event', async () => {
    const { mary = '' } = ids;
    const { event_id: event } = await team.detail(mary);
    expect(await find({ q: ` ${mary} ` })).toEqual([mary]);
    expect(await find({ q: event ?? '' })).toEqual([mary]);
  });

  test('is filtered by status, member, touchpoint and dates in combination', async () => {
    const { memberId } = team.organization;
    expect(await find({ status: 'cancelled' })).toEqual([ids.cancelled]);
    expect(await find({ status: 'cancelled,ready', member: memberId, q: 'zo' })).toEqual([ids.cancelled]);
    expect(await find({ touchpoint: 'project_kickoff', q: 'mary' })).toEqual([ids.mary]);
    expect(await find({ touchpoint: '-', q: 'zoe' })).toEqual([ids.zoe]);
    expect(await find({ touchpoint: 'project_kickoff', q: 'zoe' })).toEqual([]);
    expect(await find({ member: team.ownerId })).toEqual([]);
    const today = new Intl.DateTimeFormat('sv-SE', { timeZone: 'America/Chicago' }).format();
    expect(await find({ from: today, to: today, q: 'zoe' })).toEqual([ids.zoe]);
    expect(await find({ to: '2020-01-01', q: 'zoe' })).toEqual([]);
    expect(await find({ from: '2100-01-01' })).toEqual([]);
  });

  test('is paged newest first, without duplicates or gaps', async () => {
    await team.database
      .sql`insert into intros (organization_id, environment, id, status, member_id, recipient_first_name, recipient_phone,
         instructed, responsibility, metadata, created_at)
       select ${team.organization.id}, 'test', 'int_01kahzv8e1' || lpad(n::text, 16, '0'), (array['ready', 'expired'])[1 + n % 2], ${team.organization.memberId},
         'Page', '+14165559999', false, 'integration', '{}', now() from generate_series(1, 120) n`;
    for (const query of [{}, { member: team.organization.memberId }, { status: 'expired,ready' }, { q: 'Page' }]) {
      const seen = (await team.readAll(query)).map(({ id }) => id);
      expect(seen).toEqual([...new Set(seen)].sort().reverse());
      expect(seen.filter((id) => id.startsWith('int_01kahzv8e10'))).toHaveLength(120);
    }
  });

  test('is counted by what is open, up to a limit', async () => {
    const { body } = await team.manager.call('GET /intro-counts');
    expect(body.intros).toMatchObject({ problems: 0, ready: 60 });
    expect(body.events).toEqual({ accepted: 0, failed: 0 });
    const own = await team.manager.call('GET /intro-counts', { query: { member: team.ownerId } });
    expect(own.body.intros).toEqual({ problems: 0, requested: 0, ready: 0 });
  });

  test.each([
    [{ status: 'gone' }, 'status'],
    [{ from: '2026-02-30' }, 'from'],
    [{ to: 'today' }, 'to'],
    [{ touchpoint: 'a b' }, 'touchpoint'],
    [{ after: 'x' }, 'after'],
    [{ sort: 'name' }, 'sort'],
    [{ delivery: 'Sent' }, 'delivery'],
    [{ problem: 'all' }, 'problem'],
  ])('rejects %o and names the field', async (query, field) => {
    const { status, error } = await team.manager.call('GET /intros', { query: query as ConsoleQuery<'GET /intros'> });
    expect({ status, field: error.field }).toEqual({ status: 422, field });
  });
});

/** Every combination of what decides about the delivery status and the problem of an intro, now and a month ago. */
test('the filters by delivery status and problem find what the rows show', async () => {
  const { id: organization, memberId } = team.organization;
  await team.database.sql`
    with made as (
      insert into intros (organization_id, environment, id, status, responsibility, delivery_error_code, opened_at, declined_generation,
        recipient_phone, created_at, sent_at, member_id, recipient_first_name, instructed, metadata)
      select ${organization}, 'test', at_id || lpad(row_number() over ()::text, 16, '0'), status, responsibility, error, opened,
        declined, phone, at, case status when 'sent' then at end, ${memberId}, 'Combination', false, '{}'
      from unnest(array['requested', 'ready', 'sent', 'cancelled']) status, unnest(array['integration', 'service']) responsibility,
        unnest(array[null, 'invalid_number', 'recipient_opted_out']) error, unnest(array[null, now()]) opened,
        unnest(array[null, 0]) declined, unnest(array['+14155550199', '+15005550001', '']) phone,
        (values (now(), ${idBound('int', new Date())}), (now() - interval '31 days', ${idBound('int', new Date(Date.now() - 31 * DAY_MS))})) times (at, at_id)
      where (opened is null or status = 'sent') and (declined is null or status = 'requested')
      returning *
    ), numbered as (
      select *, row_number() over (partition by status, responsibility order by id)::int as row from made
    ), texted as (
      insert into messages (organization_id, environment, id, intro_id, audience, purpose, channel, status, carrier, due_at, created_at,
        accepted_at, settled_at)
      select organization_id, environment, 'msg_01kbhzv8e1' || right(id, 14) || lpad(n::text, 2, '0'), id, 'recipient', 'deliver', 'text',
        (array['accepted', 'delivered', 'undelivered'])[n], (array['twilio', 'simulated', 'log', 'http'])[1 + row % 4],
        now(), now(), now(), now()
      from numbered, generate_series(1, 3) n where status = 'sent' and row % 5 >= n
    ), declined as (
      insert into intro_declines (organization_id, environment, intro_id, generation, member_id, reason, created_at)
      select organization_id, environment, id, 0, member_id, 'away', created_at from made where declined_generation = 0
    ), not_reached as (
      insert into messages (organization_id, environment, id, intro_id, audience, purpose, channel, status, error_code, due_at, created_at,
        settled_at)
      select organization_id, environment, 'msg_01kbhzv8e2' || right(id, 16), id, 'member', (array['ask', 'remind'])[1 + row / 2 % 2], 'email', 'failed',
        (array['no_email_provider', 'email_bounces'])[1 + row % 2], now(), now(), now()
      from numbered where row % 3 > 0
    )
    insert into intro_replies (organization_id, environment, intro_id, number, type, label, created_at, settled_at)
    select organization_id, environment, id, n, (array['question', 'thanks', 'reschedule', 'confirm'])[1 + (row + n) % 4], '',
      created_at, case when row % 5 = 0 then now() end
    from numbered, generate_series(1, 2) n where status <> 'requested'`;
  const rows = await team.readAll({ q: 'Combination' });
  const idsOf = (of: readonly ConsoleIntroRow[], matches: (row: ConsoleIntroRow) => boolean) =>
    of
      .filter(matches)
      .map(({ id }) => id)
      .sort();
  const all = async (query: ConsoleQuery<'GET /intros'>) =>
    idsOf(await team.readAll(query), ({ recipient }) => recipient.first_name === 'Combination');
  const idsWith = (matches: (row: ConsoleIntroRow) => boolean) => idsOf(rows, matches);
  for (const word of DELIVERY_STATUSES) {
    const expected = idsWith((row) => row.delivery_status === word);
    expect(expected, word).not.toHaveLength(0);
    expect(await all({ delivery: word })).toEqual(expected);
    expect(await all({ delivery: word, q: 'Combination' })).toEqual(expected);
  }
  for (const kind of INTRO_PROBLEMS) {
    const first = idsWith((row) => row.problem === kind);
    expect(first, kind).not.toHaveLength(0);
    const found = await all({ problem: kind });
    expect(found).toEqual(expect.arrayContaining(first));
    expect(idsWith((row) => row.problem !== null)).toEqual(expect.arrayContaining(found));
  }
  const problems = idsWith((row) => row.problem !== null);
  for (const query of [
    { problem: 'any' },
    { problem: 'any', q: 'combination' },
    { problem: 'any', sort: 'due' },
    { problem: 'any', member: memberId },
  ] as const) {
    expect(await all(query)).toEqual(problems);
  }
  expect((await team.manager.call('GET /intro-counts')).body.intros.problems).toBe(problems.length);
});

describe('an intro', () => {
  test('shows its content, its request, its messages and the available actions', async () => {
    const id = await team.make({ context: { appointment: APPOINTMENT }, touchpoint: 'new_appointment' });
    const found = await team.detail(id);
    expect(found).toMatchObject({
      status: 'requested',
      touchpoint: { slug: 'new_appointment', name: 'New appointment' },
      member: { first_name: 'Ana' },
      recipient: { first_name: 'Dana', last_name: 'Reyes' },
      appointment: { timezone: 'America/Chicago' },
      recording: null,
      media: null,
      thumbnail_url: null,
      recipient_url: null,
      actions: {
        cancel: { possible: true },
        reassign: { possible: true },
        send_again: { possible: false, reason: 'The video is not recorded yet.' },
      },
    });
    expect(found.script).toContain('Dana');
    expect(found.timeline[0]).toMatchObject({ type: 'asked' });
    await team.database.sql`update intros set clicked_times = '{"call": "2031-03-01T08:00:00.000Z"}' where id = ${id}`;
    expect((await team.detail(id)).timeline.at(-1)).toMatchObject({ type: 'clicked', detail: { click: 'call' } });
    await team.database.sql`update intros set clicked_times = null where id = ${id}`;
    const { body: raw } = await team.organization.api.get(`/v1/intros/${id}`);
    expect(found.team?.raw).toEqual(raw);
    expect(found.team?.request).toMatchObject({ path: '/v1/touchpoint-events' });
    expect(found.team?.request?.body).toMatchObject({
      touchpoint: 'new_appointment',
      recipient: { first_name: 'Dana' },
    });
    expect((await fetch(found.record_url?.replace(/^https?:\/\/[^/]+/, team.service.url) ?? '')).status).toBe(200);
  });

  test('names the member who reassigned or cancelled it, who is not the member who records it', async () => {
    const { id } = await createIntro(team.organization.api);
    const params = { id };
    await team.owner.call('POST /intros/{id}/reassign', { params, body: { member: team.ownerId } });
    await team.manager.call('POST /v1/intros/{id}/cancel', { params });
    const { timeline, people } = await team.detail(id);
    const actorOf = (type: string) => timeline.find((step) => step.type === type)?.detail?.member;
    expect([actorOf('reassigned'), actorOf('cancelled')]).toEqual([team.ownerId, team.managerId]);
    const named = [team.ownerId, team.managerId, team.organization.memberId];
    expect(people.map((person) => person.id).sort()).toEqual(named.sort());
  });

  test('names no member for an intro that the operator reassigned', async () => {
    const leaver = await team.add();
    const { id } = await createIntro(team.organization.api, { member: { id: leaver.id } });
    await team.run('member', 'withdraw-consent', leaver.id, '--reassign-to', team.ownerId);
    const reassigned = async () => (await team.detail(id)).timeline.find(({ type }) => type === 'reassigned');
    const detail = { from: leaver.id, to: team.ownerId };
    await expect.poll(reassigned).toMatchObject({ cause: 'service', detail });
  });

  test('names the API request that created it, once it is logged', async () => {
    const { id } = await createIntro(team.organization.api);
    const request = await eventually(
      async () => (await team.detail(id)).team?.request ?? null,
      (found) => found !== null,
    );
    expect(request).toMatchObject({ path: '/v1/intros' });
  });
});

test('names are folded alike in browsers and in the database', async () => {
  const names = [
    'Lucía',
    "O'Shaughnessy",
    'O’Hara',
    'Mary Ann',
    'de la Cruz',
    'Jean-Luc',
    'Élodie',
    'Zoë',
    'Ana  M.',
    'Ðặng',
    '',
    '{}~`@',
  ];
  const rows = await team.database.sql`select name, search_name(name) as folded from unnest(${names}::text[]) name`;
  // The C locale changes the case of ASCII letters only.
  const inLowercase = (name: string) => name.toLowerCase();
  expect(rows.map(({ folded }) => inLowercase(String(folded)))).toEqual(names.map(foldName));
  expect(foldName("O'Shaughnessy")).toBe('oshaughnessy');
  expect(foldName('Lucía')).toBe('lucia');
});

test('a member sees only their own intros', async () => {
  const { id: other } = await createIntro(team.organization.api);
  const { body: session } = await team.member.call('GET /session');
  // Those who record have a page of their own.
  expect([session, (await team.manager.call('GET /session')).body].map(({ member }) => member.records)).toEqual([
    true,
    false,
  ]);
  const { id: own } = await createIntro(team.organization.api, { member: { id: session.member.id } });
  expect(await find({}, team.member)).toEqual([own]);
  expect(await find({ member: team.organization.memberId }, team.member)).toEqual([own]);
  expect(await find({ q: other }, team.member)).toEqual([]);
  expect((await team.detail(other)).status).toBe('requested');
  const mine = await team.detail(own, team.member);
  expect(mine.team).toBeNull();
  expect(mine.actions).toMatchObject({ reassign: { possible: true }, remind: { possible: false } });
  const counts = await team.member.call('GET /intro-counts');
  expect(counts.body).toEqual({
    intros: { problems: 0, requested: 1, ready: 0 },
    events: null,
  });
  expect((await team.member.call('POST /v1/intros/{id}/cancel', { params: { id: own } })).status).toBe(200);
  expect(await team.detail(own)).toMatchObject({ status: 'cancelled', cancelled_by: { kind: 'member' } });
});
