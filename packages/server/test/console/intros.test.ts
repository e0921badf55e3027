import type { ConsoleQuery } from '@foreword/contract';
import { beforeAll, describe, expect, test } from 'vitest';
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
      const seen: string[] = [];
      for (let after: string | null | undefined; after !== null; ) {
        const { body } = await team.manager.call('GET /intros', {
          query: { ...query, ...(after !== undefined && { after }) },
        });
        seen.push(...body.rows.map(({ id }) => id));
        after = body.next;
      }
      expect(seen).toEqual([...new Set(seen)].sort().reverse());
      expect(seen.filter((id) => id.startsWith('int_01kahzv8e10'))).toHaveLength(120);
    }
  });

  test('is counted by status, up to a limit', async () => {
    const { body } = await team.manager.call('GET /intro-counts');
    expect(body.intros).toMatchObject({ cancelled: 1, ready: 60, expired: 60 });
    expect(body.events).toEqual({ accepted: 0, failed: 0 });
    const own = await team.manager.call('GET /intro-counts', { query: { member: team.ownerId } });
    expect(own.body.intros).toEqual({ requested: 0, ready: 0, sent: 0, cancelled: 0, expired: 0 });
  });

  test.each([
    [{ status: 'gone' }, 'status'],
    [{ from: '2026-02-30' }, 'from'],
    [{ to: 'today' }, 'to'],
    [{ touchpoint: 'a b' }, 'touchpoint'],
    [{ after: 'x' }, 'after'],
    [{ sort: 'name' }, 'sort'],
  ])('rejects %o and names the field', async (query, field) => {
    const { status, error } = await team.manager.call('GET /intros', { query: query as ConsoleQuery<'GET /intros'> });
    expect({ status, field: error.field }).toEqual({ status: 422, field });
  });
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
    const { body: raw } = await team.organization.api.get(`/v1/intros/${id}`);
    expect(found.team?.raw).toEqual(raw);
    expect(found.team?.request).toMatchObject({ event_id: found.event_id, path: '/v1/touchpoint-events' });
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
    expect(request).toMatchObject({ event_id: null, method: 'POST', path: '/v1/intros' });
  });
});

test('a member sees only their own intros', async () => {
  const { id: other } = await createIntro(team.organization.api);
  const { body: session } = await team.member.call('GET /session');
  const { id: own } = await createIntro(team.organization.api, { member: { id: session.member.id } });
  expect(await find({}, team.member)).toEqual([own]);
  expect(await find({ member: team.organization.memberId }, team.member)).toEqual([own]);
  expect(await find({ q: other }, team.member)).toEqual([]);
  expect((await team.detail(other)).status).toBe('requested');
  const mine = await team.detail(own, team.member);
  expect(mine.team).toBeNull();
  expect(mine.actions).toMatchObject({ reassign: { possible: false }, remind: { possible: false } });
  const counts = await team.member.call('GET /intro-counts');
  expect(counts.body).toEqual({
    intros: { requested: 1, ready: 0, sent: 0, cancelled: 0, expired: 0 },
    events: null,
  });
  expect((await team.member.call('POST /v1/intros/{id}/cancel', { params: { id: own } })).status).toBe(200);
  expect(await team.detail(own)).toMatchObject({ status: 'cancelled', cancelled_by: { kind: 'member' } });
});
