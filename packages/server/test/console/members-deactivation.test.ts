import type { ConsoleBody } from '@foreword/contract';
import { describe, expect, test } from 'vitest';
import { forFile } from '../harness/index.ts';
import { openConsole } from './console-client.ts';
import { openTeam } from './team-fixture.ts';

const team = await forFile(openTeam());

const LEAVE = { to_record: 'leave', recorded: 'leave', replace_pages: false } as const;

async function ask(memberId: string, recipient = 'Dana') {
  const { status, body } = await team.organization.api.post('/v1/intros', {
    member: { id: memberId },
    recipient: { first_name: recipient, phone: '+14155550123' },
  });
  expect(status).toBe(201);
  return body;
}

const intro = async (id: string) => (await team.organization.api.get(`/v1/intros/${id}`)).body;

const deactivate = (id: string, body: Partial<ConsoleBody<'POST /members/:id/deactivate'>>) =>
  team.manager.call('POST /members/:id/deactivate', { params: { id }, body: { ...LEAVE, ...body } });

describe('deactivating a member', () => {
  test('lists only the member’s open intros, the most urgent first', async () => {
    const member = await team.add();
    const [first, second] = [await ask(member.id, 'Dana'), await ask(member.id, 'Eli')];
    await ask(team.organization.memberId);
    const { body } = await team.manager.call('GET /members/:id', { params: { id: member.id } });
    expect(body.open_intros.map(({ id }) => id)).toEqual([first.id, second.id]);
    expect(body.open_count.count).toBe(2);
    expect(body.open_intros[0]).toMatchObject({ status: 'requested', recipient_name: 'Dana', touchpoint: null });
  });

  test('reassigns, cancels or keeps open intros, individually or all at once', async () => {
    const [member, one, two] = [await team.add(), await team.add(), await team.add()];
    const [kept, dropped, given, rest] = [
      await ask(member.id),
      await ask(member.id),
      await ask(member.id),
      await ask(member.id),
    ];
    const { status, body } = await deactivate(member.id, {
      to_record: 'reassign',
      to: one.id,
      each: [
        { id: kept.id, action: 'leave' },
        { id: dropped.id, action: 'cancel' },
        { id: given.id, action: 'reassign', to: two.id },
      ],
    });
    expect(status).toBe(200);
    expect(body.intros).toEqual({ reassigned: 2, cancelled: 1, left: 1 });
    expect(body.member).toMatchObject({ active: false, open_count: { count: 1 } });
    expect(await intro(kept.id)).toMatchObject({ status: 'requested', member: { id: member.id } });
    expect(await intro(dropped.id)).toMatchObject({ status: 'cancelled' });
    expect(await intro(given.id)).toMatchObject({ status: 'requested', member: { id: two.id } });
    expect(await intro(rest.id)).toMatchObject({ status: 'requested', member: { id: one.id } });
  });

  test('settles intros of a member who is already deactivated', async () => {
    const [member, other] = [await team.add(), await team.add()];
    const { id } = await ask(member.id);
    await deactivate(member.id, {});
    const { body } = await deactivate(member.id, { to_record: 'reassign', to: other.id });
    expect(body.intros).toEqual({ reassigned: 1, cancelled: 0, left: 0 });
    expect(await intro(id)).toMatchObject({ member: { id: other.id } });
  });

  test.each([
    ['no member', undefined, 'to'],
    ['an unknown member', 'mem_01kahzv8e1f0rtx5m2q6n9d3bw', 'to'],
    ['an invalid id', 'ana', 'to'],
  ])('changes nothing when the intros are reassigned to %s', async (_whom, to, field) => {
    const member = await team.add();
    const { id } = await ask(member.id);
    const answer = await deactivate(member.id, { to_record: 'reassign', ...(to !== undefined && { to }) });
    expect([answer.status, answer.error.field]).toEqual([422, field]);
    expect(await intro(id)).toMatchObject({ status: 'requested', member: { id: member.id } });
    expect((await team.organization.api.get(`/v1/members?email=${member.email}`)).body.data[0].active).toBe(true);
  });

  test('changes nothing when the new member is the same, deactivated, or in another organization', async () => {
    const [member, out] = [await team.add(), await team.add()];
    await deactivate(out.id, {});
    for (const to of [member.id, out.id, team.other.organization.memberId]) {
      const answer = await deactivate(member.id, { to_record: 'reassign', to });
      expect([answer.status, answer.error.field]).toEqual([422, 'to']);
    }
    expect((await team.organization.api.get(`/v1/members?email=${member.email}`)).body.data[0].active).toBe(true);
  });

  test('ends their sessions immediately, and no new link signs them in', async () => {
    const member = await team.add({ role: 'manager' });
    const site = { url: team.service.url, environment: { DATABASE_URL: team.database.url } };
    const session = await openConsole(site, { org: team.organization.id, email: member.email });
    expect((await session.call('GET /members')).status).toBe(200);
    await deactivate(member.id, {});
    expect((await session.call('GET /members')).status).toBe(401);
    await expect(openConsole(site, { org: team.organization.id, email: member.email })).rejects.toThrow();
  });

  test('with an API key ends their sessions, too', async () => {
    const member = await team.add({ role: 'manager' });
    const site = { url: team.service.url, environment: { DATABASE_URL: team.database.url } };
    const session = await openConsole(site, { org: team.organization.id, email: member.email });
    expect((await team.organization.api.post(`/v1/members/${member.id}/deactivate`)).status).toBe(200);
    expect((await session.call('GET /members')).status).toBe(401);
    expect((await team.organization.api.post(`/v1/members/${member.id}/reactivate`)).status).toBe(200);
    expect((await session.call('GET /members')).status).toBe(401);
  });

  test('is not possible for oneself', async () => {
    const answer = await deactivate(team.managerId, {});
    expect([answer.status, answer.error.code]).toEqual([403, 'forbidden']);
  });

  test('rejects the last active owner', async () => {
    const second = await team.add({ role: 'owner', email: 'owner.two@acme.example' });
    const site = { url: team.service.url, environment: { DATABASE_URL: team.database.url } };
    const other = await openConsole(site, { org: team.organization.id, email: second.email });
    // With SQL, because the console would end the owner's session.
    const setActive = (active: boolean) =>
      team.database.query('update members set active = $2 where id = $1', [team.ownerId, active]);
    await setActive(false);
    const last = await other.call('POST /members/:id', { params: { id: second.id }, body: { role: 'manager' } });
    expect([last.status, last.error.code]).toEqual([409, 'last_owner']);
    await setActive(true);
    const { body } = await other.call('GET /members/:id', { params: { id: second.id } });
    expect(body).toMatchObject({ active: true, is_last_owner: false });
    await team.database.query(`update members set role = 'member' where id = $1`, [second.id]);
  });
});

describe('replacing the pages of a deactivated member', () => {
  test('is rejected for an active member, and ends with a reactivation', async () => {
    const { id } = await team.add();
    const params = { id };
    const early = await team.manager.call('POST /members/:id/replace-pages', { params });
    expect([early.status, early.error.code]).toEqual([409, 'member_active']);
    await deactivate(id, { replace_pages: true });
    const back = await team.manager.call('POST /members/:id/reactivate', { params });
    expect(back.body).toMatchObject({ active: true, pages_replaced_at: null });
  });
});
