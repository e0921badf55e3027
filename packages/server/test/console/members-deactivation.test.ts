import pg from 'pg';
import { describe, expect, test } from 'vitest';
import { createIntro, eventually } from '../acceptance/support/actions.ts';
import { forFile } from '../harness/index.ts';
import { openTeam } from './team-fixture.ts';

const team = await forFile(openTeam());

async function ask(memberId: string, recipient = 'Dana') {
  const { status, body } = await team.organization.api.post('/v1/intros', {
    member: { id: memberId },
    recipient: { first_name: recipient, phone: '+14155550123' },
  });
  expect(status).toBe(201);
  return body;
}

const deactivate = (id: string, successor?: string) =>
  team.manager.call('POST /v1/members/{id}/deactivate', {
    params: { id },
    body: successor === undefined ? {} : { open_intros: { reassign_to: successor } },
  });

describe('deactivating a member', () => {
  test('lists only the member’s open intros, the most urgent first', async () => {
    const member = await team.add();
    const [first, second] = [await ask(member.id, 'Dana'), await ask(member.id, 'Eli')];
    await ask(team.organization.memberId);
    const { body } = await team.manager.call('GET /members/{id}', { params: { id: member.id } });
    expect(body.open_intros.map(({ id }) => id)).toEqual([first.id, second.id]);
    expect(body.open_count.count).toBe(2);
    expect(body.open_intros[0]).toMatchObject({
      status: 'requested',
      recipient: { first_name: 'Dana' },
      touchpoint: null,
    });
  });

  test('reassigns all open intros, also more than one statement changes', async () => {
    const [one, two] = [await team.add(), await team.add()];
    const { id } = await ask(one.id);
    const { count, sql } = { count: 600, sql: team.database.sql };
    await sql`insert into intros select (jsonb_populate_record(i, jsonb_build_object(
        'id', left(i.id, 26) || lpad(n::text, 4, '0')))).* from intros i, generate_series(1, ${count}::int) n where i.id = ${id}`;
    expect((await deactivate(one.id, two.id)).status).toBe(200);
    const [found] = await sql`
      select count(*)::int as intros, count(distinct l.hash)::int as links, count(r.hash)::int as replaced, count(m.id)::int as messages,
        count(a.id)::int as entries
      from intros i
      left join links l on l.intro_id = i.id and l.kind = 'record'
      left join replaced_links r on r.intro_id = i.id and r.generation = 0
      left join all_messages m on m.intro_id = i.id and m.purpose = 'ask' and m.round = 1
      left join audit_entries a on a.object_id = i.id and a.action = 'intro.reassigned' and a.related_id = ${two.id}
      where i.member_id = ${two.id} and i.link_generation = 1`;
    const each = count + 1;
    expect(found).toEqual({ intros: each, links: each, replaced: each, messages: each, entries: each });
  });

  test('is not possible for oneself', async () => {
    const answer = await deactivate(team.managerId);
    expect([answer.status, answer.error.code]).toEqual([403, 'forbidden']);
  });
});

test('replacing pages is refused for an active member, can be undone and repeated, and ends with a reactivation', async () => {
  const { id } = await team.add({ first_name: 'Rae' });
  const params = { id };
  const call = (action: 'replace-pages' | 'restore-pages') =>
    team.manager.call(`POST /members/{id}/${action}`, { params });
  const early = await call('replace-pages');
  expect([early.status, early.error.code]).toEqual([409, 'member_active']);
  const sent = await ask(id);
  await team.database.sql`update intros set status = 'sent', recorded_at = now(), sent_at = now()
      where id = ${sent.id}`;
  expect((await team.manager.call('GET /members/{id}', { params })).body.live_pages.count).toBe(1);
  await deactivate(id);
  expect((await call('replace-pages')).body.pages_replaced_at).not.toBeNull();
  expect((await call('restore-pages')).body.pages_replaced_at).toBeNull();
  expect((await call('replace-pages')).body.pages_replaced_at).not.toBeNull();
  expect((await team.manager.call('POST /v1/members/{id}/reactivate', { params })).body.active).toBe(true);
  const { body: after } = await team.manager.call('GET /members/{id}', { params });
  expect(after).toMatchObject({ active: true, pages_replaced_at: null });
});

/** Waits until another transaction is blocked by this client. */
const untilBlocked = () =>
  eventually(
    () =>
      team.database.query(
        `select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
      ),
    (rows) => rows.length > 0,
  );

/** Sends the request while this statement has run but is not committed. */
async function during<T>(statement: string, values: unknown[], asked: () => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: team.database.url });
  await client.connect();
  try {
    await client.query('begin');
    await client.query('select id from organizations where id = $1 for update', [team.organization.id]);
    await client.query(statement, values);
    const answer = asked();
    await untilBlocked();
    await client.query('commit');
    return await answer;
  } finally {
    await client.end();
  }
}

describe('concurrent changes', () => {
  test('a manager cannot change the email of a member who is becoming an owner', async () => {
    const { id, email } = await team.add();
    const { status, error } = await during(`update members set role = 'owner' where id = $1`, [id], () =>
      team.manager.call('POST /members/{id}', { params: { id }, body: { email: 'mallory@elsewhere.example' } }),
    );
    expect([status, error.code]).toEqual([403, 'forbidden']);
    expect((await team.owner.call('GET /members/{id}', { params: { id } })).body).toMatchObject({
      role: 'owner',
      email,
    });
  });

  test('a manager cannot deactivate a member who is becoming an owner', async () => {
    const { id } = await team.add();
    const { status } = await during(`update members set role = 'owner' where id = $1`, [id], () => deactivate(id));
    expect(status).toBe(403);
    expect((await team.owner.call('GET /members/{id}', { params: { id } })).body.active).toBe(true);
  });

  test('open intros are not reassigned to a member who is being deactivated', async () => {
    const [one, two] = [await team.add(), await team.add()];
    const open = await createIntro(team.organization.api, { member: { id: one.id } });
    const { status, error } = await during(`update members set active = false where id = $1`, [two.id], () =>
      deactivate(one.id, two.id),
    );
    expect([status, error.field]).toEqual([422, 'open_intros.reassign_to']);
    const { body } = await team.organization.api.get(`/v1/intros/${open.id}`);
    expect([body.status, body.member.id]).toEqual(['requested', one.id]);
  });

  test('an intro is not reassigned while a take arrives', async () => {
    const [one, two] = [await team.add(), await team.add()];
    const { id } = await createIntro(team.organization.api, { member: { id: one.id } });
    const take = `rec_${'0'.repeat(26)}`;
    await team.database
      .sql`insert into recordings (organization_id, environment, id, intro_id, member_id, status, media_type, created_at, touched_at)
       select organization_id, environment, ${take}, id, member_id, 'uploading', 'video/mp4', now(), now()
       from intros where organization_id = ${team.organization.id} and id = ${id}`;
    const { status, error } = await during(
      `update recordings set status = 'uploaded', received_at = now() where organization_id = $1 and id = $2`,
      [team.organization.id, take],
      () => team.manager.call('POST /intros/{id}/reassign', { params: { id }, body: { member: two.id } }),
    );
    expect([status, error.code]).toEqual([409, 'intro_recorded']);
    expect((await team.organization.api.get(`/v1/intros/${id}`)).body.member.id).toBe(one.id);
  });
});
