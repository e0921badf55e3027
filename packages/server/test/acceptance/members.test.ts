import { describe, expect, test } from 'vitest';
import { forFile, type Reply } from '../harness/index.ts';
import { createIntro, expectError, sendTogether } from './support/actions.ts';
import { openService } from './support/service.ts';

let count = 0;

const fixture = await forFile(openService());
const api = fixture.api;
const other = await fixture.newOrganization({ name: 'Summit Homes', industry: 'real_estate' });

const UNKNOWN = 'mem_01kahzv8e1f0rtx5m2q6n9d3bw';

/** A record of a CRM, with an id and an email of its own. */
function aRep(changes: object = {}) {
  count += 1;
  return {
    external_id: `crm_${count}`,
    first_name: 'Rosa',
    last_name: 'Diaz',
    email: `rosa${count}@acme.example`,
    ...changes,
  };
}

async function add(changes: object = {}): Promise<Reply['body']> {
  const { status, body } = await api.post('/v1/members', aRep(changes));
  expect(status).toBe(200);
  return body;
}

async function addOwner(): Promise<string> {
  const names = ['--first-name', 'Olga', '--last-name', 'Reyes', '--email', `owner${++count}@acme.example`];
  return (await fixture.run('member', 'create', '--org', fixture.organization.id, ...names, '--role', 'owner')).id;
}

const member = async (id: string) => (await api.get(`/v1/members/${id}`)).body;
const intro = async (id: string) => (await api.get(`/v1/intros/${id}`)).body;

async function countMembers(): Promise<number> {
  const rows = await fixture.database.query<{ n: number }>('select count(*)::int as n from members');
  return rows[0]?.n ?? 0;
}

describe('GET /v1/members', async () => {
  const team = await fixture.newOrganization({ name: 'Team' });
  /** In creation order. The first was created with the organization. */
  const ids = [team.memberId];
  for (const more of [
    ['--email', 'Team@acme.example', '--external-id', 'rep_18', '--phone', '+14155550118', '--lane', 'retail'],
    ['--email', 'team@acme.example', '--lane', 'retail', '--lane', 'insurance'],
    ['--email', 'gone@acme.example', '--external-id', 'Rep_18'],
  ]) {
    const names = ['--first-name', 'Ana', '--last-name', 'Reyes'];
    ids.push((await fixture.run('member', 'create', '--org', team.id, ...names, ...more)).id);
  }
  await fixture.run('member', 'deactivate', ids[3] ?? '');

  async function list(query = ''): Promise<string[]> {
    const { status, body } = await team.api.get(`/v1/members${query}`);
    expect(status).toBe(200);
    return body.data.map(({ id }: { id: string }) => id);
  }

  const members = (...numbers: number[]) => numbers.map((n) => ids[n]);

  test('a member has exactly the documented fields, with null for omitted ones', async () => {
    const { body } = await team.api.get('/v1/members');
    expect(body).toMatchObject({ object: 'list', has_more: false });
    expect(body.data[0]).toMatchObject({ external_id: 'Rep_18', phone: null, lanes: [], active: false });
    expect(body.data[1]).toMatchObject({ external_id: null, lanes: ['retail', 'insurance'] });
    expect(body.data[2]).toEqual({
      id: ids[1],
      object: 'member',
      external_id: 'rep_18',
      first_name: 'Ana',
      last_name: 'Reyes',
      email: 'Team@acme.example',
      phone: '+14155550118',
      title: null,
      title_es: null,
      lanes: ['retail'],
      active: true,
      likeness_withdrawn_at: null,
      environment: 'test',
      created_at: expect.any(String),
    });
  });

  test('the list is newest first and includes deactivated members', async () => {
    expect(await list()).toEqual(members(3, 2, 1, 0));
  });

  test('email filters case-insensitively, external_id exactly, and active by true and false', async () => {
    expect(await list('?email=TEAM@acme.example')).toEqual(members(2, 1));
    expect(await list('?email=unknown@acme.example')).toEqual([]);
    expect(await list('?external_id=rep_18')).toEqual(members(1));
    expect(await list('?external_id=REP_18')).toEqual([]);
    expect(await list('?active=true')).toEqual(members(2, 1, 0));
    expect(await list('?active=false')).toEqual(members(3));
  });

  test('filters of members combine with AND and with pagination', async () => {
    expect(await list('?email=team@acme.example&external_id=rep_18')).toEqual(members(1));
    expect(await list('?external_id=rep_18&active=false')).toEqual([]);
    expect(await list(`?active=true&starting_after=${ids[2]}`)).toEqual(members(1, 0));
  });

  test('limit and starting_after return the list exactly once', async () => {
    const first = (await team.api.get('/v1/members?limit=3')).body;
    expect(first).toMatchObject({ has_more: true });
    expect(await list('?limit=3')).toEqual(members(3, 2, 1));
    const rest = (await team.api.get(`/v1/members?limit=3&starting_after=${ids[1]}`)).body;
    expect(rest).toMatchObject({ has_more: false });
    expect(rest.data).toHaveLength(1);
  });
});

test('GET /v1/members/{id} returns the member as in the list, active or not', async () => {
  const { id, email } = await add();
  await api.post(`/v1/members/${id}/deactivate`);
  const [listed] = (await api.get(`/v1/members?email=${email}`)).body.data;
  expect(await member(id)).toEqual(listed);
  expect(listed).toMatchObject({ id, active: false });
});

describe('POST /v1/members', () => {
  test('creates a member with every field, who can be named by its external_id at once', async () => {
    const given = { phone: '+14155550118', title: 'project manager', title_es: 'gerente', lanes: ['retail'] };
    const body = await add(given);
    expect(body).toMatchObject({ ...given, first_name: 'Rosa', active: true });
    expect(await member(body.id)).toEqual(body);
    expect((await createIntro(api, { member: { external_id: body.external_id } })).member.id).toBe(body.id);
    expect(body).not.toHaveProperty('role');
  });

  test('creates a member without an external_id each time, and sends nothing', async () => {
    const { external_id: _omitted, ...rep } = aRep();
    const [one, two] = [await other.api.post('/v1/members', rep), await other.api.post('/v1/members', rep)];
    expect([one.status, two.status]).toEqual([200, 200]);
    expect(one.body.id).not.toBe(two.body.id);
    expect(one.body).toMatchObject({ external_id: null, phone: null, title: null, lanes: [] });
    expect(await fixture.database.sql`select 1 from all_messages where organization_id = ${other.id}`).toEqual([]);
  });

  test('with a known external_id updates that member: the given fields change, the others stay', async () => {
    const before = await add({ phone: '+14155550118', title: 'project manager', lanes: ['retail'] });
    const { status, body } = await api.post('/v1/members', {
      external_id: before.external_id,
      first_name: 'Rose',
      last_name: 'Diaz',
      email: 'rose@acme.example',
      lanes: ['insurance'],
    });
    expect(status).toBe(200);
    expect(body).toEqual({ ...before, first_name: 'Rose', email: 'rose@acme.example', lanes: ['insurance'] });
  });

  test('updates a deactivated member, who stays deactivated', async () => {
    const before = await add();
    await api.post(`/v1/members/${before.id}/deactivate`);
    const { body } = await api.post('/v1/members', { ...aRep(), external_id: before.external_id, last_name: 'Ito' });
    expect(body).toMatchObject({ id: before.id, last_name: 'Ito', active: false });
  });

  test('with one external_id many times at once creates a single member', async () => {
    const rep = aRep();
    const before = await countMembers();
    const replies = await sendTogether(12, (n, options) =>
      api.post('/v1/members', { ...rep, first_name: `Rosa ${n}` }, options),
    );
    expect(new Set(replies.map(({ status }) => status))).toEqual(new Set([200]));
    expect(new Set(replies.map(({ body }) => body.id)).size).toBe(1);
    expect(await countMembers()).toBe(before + 1);
  });

  test('with the same key returns the first response, and with a changed record is a conflict', async () => {
    const rep = aRep();
    const key = `acme_crm:${rep.external_id}:v1`;
    const first = await api.post('/v1/members', rep, { key });
    await api.post('/v1/members', { ...rep, first_name: 'Rose' }, { key: `acme_crm:${rep.external_id}:v2` });
    const again = await api.post('/v1/members', rep, { key });
    expect(again.body).toEqual(first.body);
    expect(again.headers.get('idempotent-replayed')).toBe('true');
    expect((await member(first.body.id)).first_name).toBe('Rose');
    expectError(await api.post('/v1/members', { ...rep, last_name: 'Ito' }, { key }), 409, 'idempotency_conflict');
  });

  test('does not change the email of an owner, because a stolen key could then sign in as the owner', async () => {
    const id = await addOwner();
    const external_id = `crm_owner_${id}`;
    expect((await api.post(`/v1/members/${id}`, { external_id })).status).toBe(200);
    const before = await member(id);
    expectError(await api.post('/v1/members', { ...aRep(), external_id }), 403, 'forbidden');
    expect(await member(id)).toEqual(before);
    const rep = { ...aRep(), external_id, email: before.email.toUpperCase(), last_name: 'Ito' };
    expect((await api.post('/v1/members', rep)).body.last_name).toBe('Ito');
  });

  test('says that lanes are a list', async () => {
    const { body } = await api.post('/v1/members', { ...aRep(), lanes: 'retail' });
    expect(body.error.message).toBe('lanes must be a list that names each lane once.');
  });

  test('refuses a lane that the organization does not have, and creates no member', async () => {
    const before = await countMembers();
    expectError(await other.api.post('/v1/members', aRep({ lanes: ['retail'] })), 422, 'validation_failed', 'lanes');
    expect(await countMembers()).toBe(before);
  });
});

describe('POST /v1/members/{id}', () => {
  test('changes only the given fields, and null removes phone, titles and external_id', async () => {
    const before = await add({ phone: '+14155550118', title: 'estimator', title_es: 'tasadora' });
    const renamed = await api.post(`/v1/members/${before.id}`, { last_name: 'Ito' });
    expect(renamed.body).toEqual({ ...before, last_name: 'Ito' });
    const nothing = { phone: null, title: null, title_es: null, external_id: null };
    expect((await api.post(`/v1/members/${before.id}`, nothing)).body).toEqual({ ...renamed.body, ...nothing });
    expect((await api.post(`/v1/members/${before.id}`, {})).body).toEqual({ ...renamed.body, ...nothing });
  });

  test('refuses the external_id of another member, and changes nothing', async () => {
    const [one, two] = [await add(), await add()];
    const reply = await api.post(`/v1/members/${one.id}`, { external_id: two.external_id, last_name: 'Ito' });
    expectError(reply, 422, 'validation_failed', 'external_id');
    expect(await member(one.id)).toEqual(one);
  });
});

describe('POST /v1/members/{id}/deactivate', () => {
  test('keeps open intros by default: they can still be recorded, and new ones cannot be created', async () => {
    const { id } = await add();
    const open = await createIntro(api, { member: { id } });
    const { status, body } = await api.post(`/v1/members/${id}/deactivate`);
    expect([status, body.active]).toEqual([200, false]);
    expect(await intro(open.id)).toMatchObject({ status: 'requested', member: { id } });
    const reply = await api.post('/v1/intros', { member: { id }, recipient: open.recipient });
    expectError(reply, 422, 'member_not_found', 'member.id');
  });

  test('cancels open intros, recorded or not', async () => {
    const { id } = await add();
    const [toRecord, recorded] = [
      await createIntro(api, { member: { id } }),
      await createIntro(api, { member: { id } }),
    ];
    // Encoding a take would take seconds.
    await fixture.database.sql`update intros set status = 'ready' where id = ${recorded.id}`;
    await api.post(`/v1/members/${id}/deactivate`, { open_intros: 'cancel' });
    for (const one of [toRecord, recorded]) expect((await intro(one.id)).status).toBe('cancelled');
    const { data } = (await api.get(`/v1/intros/${toRecord.id}/timeline`)).body;
    const cancelled = data.filter(({ type }: { type: string }) => type === 'cancelled');
    expect(cancelled).toMatchObject([{ cause: 'integration', detail: { key: expect.any(String) } }]);
  });

  test('reassigns intros that are not recorded, and keeps recorded ones', async () => {
    const [leaver, next] = [await add(), await add()];
    const mine = { member: { id: leaver.id } };
    const [toRecord, recorded] = [await createIntro(api, mine), await createIntro(api, mine)];
    await fixture.database.sql`update intros set status = 'ready' where id = ${recorded.id}`;
    const body = { open_intros: { reassign_to: next.id } };
    expect((await api.post(`/v1/members/${leaver.id}/deactivate`, body)).status).toBe(200);
    expect(await intro(toRecord.id)).toMatchObject({ status: 'requested', version: 2, member: { id: next.id } });
    expect(await intro(recorded.id)).toMatchObject({ status: 'ready', member: { id: leaver.id } });
    const { data } = (await api.get(`/v1/intros/${toRecord.id}/timeline`)).body;
    const detail = { from: leaver.id, to: next.id, key: fixture.organization.keyId };
    expect(data).toContainEqual(expect.objectContaining({ type: 'reassigned', cause: 'integration', detail }));
  });

  test('refuses to reassign to the same, a deactivated, an unknown or a foreign member, and changes nothing', async () => {
    const [leaver, gone] = [await add(), await add()];
    await api.post(`/v1/members/${gone.id}/deactivate`);
    const open = await createIntro(api, { member: { id: leaver.id } });
    for (const reassign_to of [leaver.id, gone.id, UNKNOWN, 'ana', '\u0000', other.memberId]) {
      const reply = await api.post(`/v1/members/${leaver.id}/deactivate`, { open_intros: { reassign_to } });
      expectError(reply, 422, 'validation_failed', 'open_intros.reassign_to');
    }
    for (const open_intros of [5, true, [], {}, { to: 'x' }, 'leave', 'KEEP']) {
      const { error } = (await api.post(`/v1/members/${leaver.id}/deactivate`, { open_intros })).body;
      expect(error.message).toBe('open_intros must be keep, cancel or {"reassign_to": "mem_…"}.');
    }
    expect(await member(leaver.id)).toEqual(leaver);
    expect(await intro(open.id)).toEqual(open);
  });

  test('changes nothing for a deactivated member', async () => {
    const { id } = await add();
    const open = await createIntro(api, { member: { id } });
    await api.post(`/v1/members/${id}/deactivate`);
    expect((await api.post(`/v1/members/${id}/deactivate`, { open_intros: 'cancel' })).status).toBe(200);
    expect((await intro(open.id)).status).toBe('requested');
  });

  test('refuses the last active owner, and accepts an owner while another one is active', async () => {
    const organization = await fixture.newOrganization({ name: 'Two Owners' });
    const addOne = async (email: string) => {
      const names = ['--first-name', 'Olga', '--last-name', 'Reyes', '--email', email, '--role', 'owner'];
      return (await fixture.run('member', 'create', '--org', organization.id, ...names)).id;
    };
    const owners = [await addOne('one@acme.example'), await addOne('two@acme.example')];
    const replies = await Promise.all(owners.map((id) => organization.api.post(`/v1/members/${id}/deactivate`)));
    expect(replies.map(({ status }) => status).sort()).toEqual([200, 409]);
    const refused = replies.find(({ status }) => status === 409);
    if (refused !== undefined) expectError(refused, 409, 'last_owner');
  });
});

test('POST /v1/members/{id}/reactivate makes the member available again, and changes nothing for an active one', async () => {
  const before = await add();
  await api.post(`/v1/members/${before.id}/deactivate`);
  expect((await api.post(`/v1/members/${before.id}/reactivate`)).body).toEqual(before);
  expect((await api.post(`/v1/members/${before.id}/reactivate`)).body).toEqual(before);
  expect((await createIntro(api, { member: { id: before.id } })).member.id).toBe(before.id);
});

test('GET /v1/touchpoints/{id} returns the touchpoint as in the list, and accepts no slug', async () => {
  const [first] = (await api.get('/v1/touchpoints')).body.data;
  expect((await api.get(`/v1/touchpoints/${first.id}`)).body).toEqual(first);
  expectError(await api.get(`/v1/touchpoints/${first.slug}`), 404, 'not_found');
});
