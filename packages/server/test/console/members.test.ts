import type { ConsoleQuery, TeamMember } from '@foreword/contract';
import { describe, expect, test } from 'vitest';
import { makePng } from '../cli/picture-maker.ts';
import { foreword, forFile } from '../harness/index.ts';
import { newRetryKey, openConsole } from './console-client.ts';
import { openTeam } from './team-fixture.ts';

const team = await forFile(openTeam());

const names = (members: readonly { first_name: string; last_name: string }[]) =>
  members.map(({ first_name, last_name }) => `${first_name} ${last_name}`);

async function list(query: ConsoleQuery<'GET /members'>) {
  const { status, body } = await team.manager.call('GET /members', { query });
  expect(status).toBe(200);
  return body;
}

describe('the list of members', () => {
  test('is sorted by name, in pages without duplicates or gaps', async () => {
    await Promise.all(['Zoe', 'adam', 'Ümit', 'Adam', 'Bea'].map((first_name) => team.add({ first_name })));
    const whole = await list({ limit: 100 });
    expect(whole.next).toBeNull();
    expect(whole.counts?.found).toBe(whole.members.length);
    const paged: TeamMember[] = [];
    for (let after: string | undefined; ; ) {
      const page = await list({ limit: 3, ...(after !== undefined && { after }) });
      paged.push(...page.members);
      if (page.next === null) break;
      after = page.next;
    }
    expect(paged.map(({ id }) => id)).toEqual(whole.members.map(({ id }) => id));
    const firsts = whole.members.map(({ first_name }) => first_name.toLowerCase());
    expect(firsts.indexOf('adam')).toBeLessThan(firsts.indexOf('bea'));
    expect(firsts.indexOf('bea')).toBeLessThan(firsts.indexOf('ümit'));
    expect(firsts.indexOf('ümit')).toBeLessThan(firsts.indexOf('zoe'));
    // The list that members choose a colleague from.
    const { colleagues } = (await team.member.call('GET /colleagues')).body;
    const order = ['adam', 'bea', 'ümit', 'zoe'];
    const listed = colleagues.map(({ name }) => name.split(' ')[0]?.toLowerCase() ?? '');
    expect([...new Set(listed.filter((name) => order.includes(name)))]).toEqual(order);
  });

  test('is searched by name, email, phone number, external id and title', async () => {
    await team.add({
      ...{ first_name: 'Quill', last_name: "O'Trent", email: 'q.trent@acme.example', phone: '+14155550199' },
      ...{ external_id: 'crm_quill', title: 'chief estimator' },
    });
    const searches = ['quill', 'OTRENT quíll', 'q.trent@', '(415) 555-0199', '5550199', 'crm_quill', 'chief estimator'];
    for (const q of searches) expect(names((await list({ q })).members), q).toEqual(["Quill O'Trent"]);
  });

  test('treats LIKE wildcards in a search as plain characters', async () => {
    const { email } = await team.add({ first_name: '100%_sure\\' });
    expect((await list({ q: '0%_s' })).members.map((member) => member.email)).toEqual([email]);
    expect((await list({ q: 'e\\' })).members.map((member) => member.email)).toEqual([email]);
    expect((await list({ q: '%' })).members).toHaveLength(1);
  });

  test('can be filtered by role, by lane (including members with all lanes), and by status', async () => {
    const retail = await team.add({ first_name: 'Lana', lanes: ['retail'] });
    const insurance = await team.add({ first_name: 'Lana', lanes: ['insurance'] });
    const all = await team.add({ first_name: 'Lana', lanes: [] });
    const ids = async (query: object) => (await list({ q: 'lana', ...query })).members.map(({ id }) => id);
    expect((await ids({ lane: 'retail' })).sort()).toEqual([retail.id, all.id].sort());
    expect((await ids({ lane: 'insurance' })).sort()).toEqual([insurance.id, all.id].sort());
    await foreword(team.environment, 'member', 'deactivate', all.id);
    expect(await ids({ active: false })).toEqual([all.id]);
    expect((await ids({ active: true })).sort()).toEqual([retail.id, insurance.id].sort());
    expect(await ids({ role: 'owner' })).toEqual([]);
  });

  test('marks active members who share an email, ignoring case, and no one else', async () => {
    const before = (await list({})).counts?.shared_emails ?? 0;
    const one = await team.add({ email: 'Twice@acme.example' });
    const other = await team.add({ email: 'twice@ACME.example' });
    expect(other.shares_email).toBe(true);
    const shared = await list({ shares_email: 'true' });
    expect(shared.members.map(({ id }) => id).sort()).toEqual([one.id, other.id].sort());
    expect(shared.counts?.shared_emails).toBe(before + 2);
    await foreword(team.environment, 'member', 'deactivate', other.id);
    expect((await list({ shares_email: 'true' })).members).toEqual([]);
  });

  test('rejects an unknown `after` and an invalid limit', async () => {
    const after = await team.manager.call('GET /members', { query: { after: team.other.organization.memberId } });
    expect([after.status, after.error.field]).toEqual([422, 'after']);
    const limit = await team.manager.call('GET /members', { query: { limit: 101 } });
    expect([limit.status, limit.error.field]).toEqual([422, 'limit']);
  });
});

describe('a member', () => {
  test('is added with all fields, and can be used in the API immediately', async () => {
    const fields = {
      first_name: 'Mara',
      last_name: 'Ode',
      email: 'mara@acme.example',
      phone: '+14155550177',
      title: 'estimator',
      lanes: ['retail' as const],
      role: 'manager' as const,
      external_id: 'rep_mara',
      notify_by: 'both' as const,
    };
    const { status, body } = await team.owner.call('POST /members', { body: { ...fields } });
    expect(status).toBe(200);
    expect(body).toMatchObject({ ...fields, active: true, open_intros: [], is_last_owner: false });
    const { body: found } = await team.organization.api.get('/v1/members?external_id=rep_mara');
    expect(found.data[0]).toMatchObject({ id: body.id, lanes: ['retail'] });
  });

  test('is added once per retry key', async () => {
    const person = { first_name: 'Lou', last_name: 'Ost', email: 'lou@acme.example' };
    const request = { key: newRetryKey(), body: person };
    const [first, second] = await Promise.all([
      team.manager.call('POST /members', request),
      team.manager.call('POST /members', request),
    ]);
    const third = await team.manager.call('POST /members', request);
    expect([first.status, second.status, third.status]).toEqual([200, 200, 200]);
    expect([second.body, third.body]).toEqual([first.body, first.body]);
    expect(third.body.shares_email).toBe(false);
    expect((await list({ q: 'lou@' })).members).toHaveLength(1);
    const other = await team.manager.call('POST /members', { ...request, body: { ...person, last_name: 'Changed' } });
    expect([other.status, other.error.code]).toEqual([409, 'idempotency_conflict']);
    const another = await team.manager.call('POST /members', { body: person });
    expect(another.body).toMatchObject({ shares_email: true });
    const others = await team.owner.call('POST /members', request);
    expect([others.status, others.body.id]).not.toEqual([200, first.body.id]);
  });

  test('asks a new member for a practice recording once, and only on request', async () => {
    const person = { first_name: 'Wes', last_name: 'Come', email: 'wes@acme.example', phone: '+14155550171' };
    const request = { body: { ...person, welcome: true }, key: newRetryKey() };
    const { body: member } = await team.manager.call('POST /members', request);
    await team.manager.call('POST /members', request);
    const practice = { source: 'foreword_practice', type: 'member', id: member.id };
    const { body: list } = await team.api.get(`/v1/intros?reference_id=${member.id}`);
    expect(list.data).toMatchObject([
      { reference: practice, recipient: { phone: '+15005550190' }, status: 'requested' },
    ]);
    expect(list.data[0].instructions.script).toContain('this is Wes with Acme Roofing');
    const messages = await team.database.query<{ purpose: string }>(
      `select purpose from all_messages where intro_id = '${list.data[0].id}'`,
    );
    expect(messages.map(({ purpose }) => purpose)).toEqual(['ask']);
    const other = await team.add();
    expect((await team.api.get(`/v1/intros?reference_id=${other.id}`)).body.data).toEqual([]);
  });

  test('asks a new member of an organization with webhooks, which are sent with the change', async () => {
    const payloads = await team.subscribe('intro.requested');
    const person = { first_name: 'Wim', last_name: 'Come', email: 'wim@acme.example', welcome: true };
    const { status, body: member } = await team.manager.call('POST /members', { body: person });
    expect(status).toBe(200);
    const { body: list } = await team.api.get(`/v1/intros?reference_id=${member.id}`);
    expect((await payloads()).map(({ type, data }) => [type, data])).toEqual([['intro.requested', list.data[0]]]);
  });

  test('rejects a change of a field that has changed since it was read, and accepts others', async () => {
    const before = await team.add({ phone: '+14155550179', title: 'estimator', lanes: ['insurance', 'retail'] });
    const params = { id: before.id };
    const theirs = { phone: null, title: 'foreman' };
    await team.owner.call('POST /members/{id}', { params, body: theirs });
    const was = { phone: before.phone, last_name: before.last_name, lanes: before.lanes } as const;
    const refused = await team.manager.call('POST /members/{id}', {
      params,
      body: { phone: '+14155550180', last_name: 'Late', lanes: ['retail'], was: { ...was, lanes: [...was.lanes] } },
    });
    expect([refused.status, refused.error.code]).toEqual([409, 'edit_conflict']);
    expect((await team.owner.call('GET /members/{id}', { params })).body).toEqual({ ...before, ...theirs });
    const mine = { phone: '+14155550180', last_name: 'Late', lanes: ['retail' as const] };
    const { body } = await team.manager.call('POST /members/{id}', {
      params,
      body: { ...mine, was: { ...was, lanes: [...was.lanes], phone: null } },
    });
    expect(body).toEqual({ ...before, ...theirs, ...mine });
  });

  test('accepts exactly one of two concurrent changes of the same field', async () => {
    const { id, title } = await team.add({ title: 'estimator' });
    const save = (mine: string) =>
      team.manager.call('POST /members/{id}', { params: { id }, body: { title: mine, was: { title } } });
    const answers = await Promise.all(['one', 'two', 'three'].map(save));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409, 409]);
    const [won] = answers.filter(({ status }) => status === 200);
    expect((await team.owner.call('GET /members/{id}', { params: { id } })).body.title).toBe(won?.body.title);
  });

  test.each([
    ['first_name', { first_name: '' }],
    ['email', { email: 'no-at-sign' }],
    ['phone', { phone: '555' }],
    ['phone', { phone: '' }],
    ['title', { title: '' }],
    ['lanes.0', { lanes: ['roofing'] }],
    ['role', { role: 'admin' }],
    ['notify_by', { notify_by: 'pigeon' }],
    ['external_id', { external_id: 'rep_17' }],
    ['photo', { photo: 'x' }],
  ])('is not changed when %s is invalid', async (field, change) => {
    const before = await team.add();
    const params = { id: before.id };
    const answer = await team.owner.call('POST /members/{id}', { params, body: change as never });
    expect([answer.status, answer.error.code, answer.error.field]).toEqual([422, 'validation_failed', field]);
    expect((await team.owner.call('GET /members/{id}', { params })).body).toEqual(before);
  });

  test('is not added with an external id in use, even by a deactivated member', async () => {
    const { email } = await team.add({ external_id: 'rep_once' });
    const answer = await team.owner.call('POST /members', {
      body: { first_name: 'A', last_name: 'B', email: `other-${email}`, external_id: 'rep_once' },
    });
    expect([answer.status, answer.error.field]).toEqual([422, 'external_id']);
    expect((await list({ q: `other-${email}` })).members).toEqual([]);
  });
});

describe('a photo', () => {
  const FACE = makePng({ width: 300, height: 300 }, [200, 160, 120], [90, 60, 40]).toString('base64');
  const OTHER = makePng({ width: 300, height: 300 }, [20, 160, 120], [90, 60, 140]).toString('base64');

  test('is re-encoded, and only their organization can load it', async () => {
    const { id } = await team.add();
    const params = { id };
    const { body } = await team.manager.call('POST /members/{id}/photo', { params, body: { image: FACE } });
    const url = body.photo_url ?? '';
    const shown = await team.member.get(url);
    expect([shown.status, shown.headers.get('content-type')]).toEqual([200, 'image/jpeg']);
    expect([(await team.other.owner.get(url)).status, (await fetch(team.service.url + url)).status]).toEqual([
      404, 401,
    ]);
    const image = Buffer.from('no picture at all').toString('base64');
    const refused = await team.manager.call('POST /members/{id}/photo', { params, body: { image } });
    expect([refused.status, refused.error.field]).toEqual([422, 'image']);
    const byOther = await team.member.call('POST /members/{id}/photo', { params, body: { image: FACE } });
    expect(byOther.status).toBe(403);
    expect((await team.owner.call('GET /members/{id}', { params })).body.photo_url).toBe(url);
  });

  test('can no longer be loaded once a manager or the member replaces or removes it', async () => {
    const { id } = await team.add();
    const set = async (image: string) =>
      (await team.manager.call('POST /members/{id}/photo', { params: { id }, body: { image } })).body.photo_url ?? '';
    const first = await set(FACE);
    expect(await set(FACE)).toBe(first);
    expect((await team.manager.get(first)).status).toBe(200);
    const second = await set(OTHER);
    expect([(await team.manager.get(first)).status, (await team.manager.get(second)).status]).toEqual([404, 200]);
    await team.manager.call('DELETE /members/{id}/photo', { params: { id } });
    expect((await team.manager.get(second)).status).toBe(404);
    const { id: self } = (await team.member.call('GET /session')).body.member;
    const params = { id: self };
    const own = (await team.member.call('POST /members/{id}/photo', { params, body: { image: FACE } })).body.photo_url;
    expect((await team.member.get(own ?? '')).status).toBe(200);
    await team.member.call('DELETE /members/{id}/photo', { params });
    expect((await team.member.get(own ?? '')).status).toBe(404);
  });

  test('is the only one that is kept when several are set at the same time', async () => {
    const photos = [20, 90, 160, 230].map((red) => makePng({ width: 300, height: 300 }, [red, 160, 120], [90, 60, 40]));
    const params = { id: (await team.add()).id };
    const set = await Promise.all(
      photos.map((photo) =>
        team.manager.call('POST /members/{id}/photo', { params, body: { image: photo.toString('base64') } }),
      ),
    );
    const loaded = await Promise.all(set.map(({ body }) => team.member.get(body.photo_url ?? '')));
    expect(loaded.map(({ status }) => status).toSorted()).toEqual([200, 404, 404, 404]);
  });
});

describe('roles', () => {
  test('cannot be changed by a manager, not even their own', async () => {
    const { id } = await team.add();
    const asked = [
      await team.manager.call('POST /members', {
        body: { first_name: 'A', last_name: 'B', email: 'fresh@acme.example', role: 'manager' },
      }),
      await team.manager.call('POST /members/{id}', { params: { id }, body: { role: 'owner' } }),
      await team.manager.call('POST /members/{id}', { params: { id: team.managerId }, body: { role: 'owner' } }),
    ];
    for (const { status, error } of asked) expect([status, error.code]).toEqual([403, 'forbidden']);
    expect((await list({ q: 'fresh@' })).members).toEqual([]);
    expect((await list({ role: 'owner' })).members.map((owner) => owner.id)).toEqual([team.ownerId]);
  });

  test("prevent a manager from changing an owner's email and from deactivating an owner", async () => {
    const { id, ...before } = await team.add({ role: 'owner' });
    const params = { id };
    const email = await team.manager.call('POST /members/{id}', { params, body: { email: 'mine@acme.example' } });
    expect([email.status, email.error.field]).toEqual([403, 'email']);
    const upper = await team.manager.call('POST /members/{id}', {
      params,
      body: { email: before.email.toUpperCase() },
    });
    expect([upper.status, upper.error.field]).toEqual([403, 'email']);
    expect((await team.owner.call('GET /members/{id}', { params })).body.email).toBe(before.email);
    const out = await team.manager.call('POST /v1/members/{id}/deactivate', { params });
    expect(out.status).toBe(403);
    const phone = await team.manager.call('POST /members/{id}', { params, body: { phone: '+14155550111' } });
    expect(phone.body).toMatchObject({ phone: '+14155550111', active: true });
    await team.owner.call('POST /v1/members/{id}/deactivate', { params });
    expect((await team.manager.call('POST /v1/members/{id}/reactivate', { params })).status).toBe(403);
  });

  test('keep the last active owner, even when two owners remove each other at once', async () => {
    const params = { id: team.ownerId };
    const alone = await team.owner.call('POST /members/{id}', { params, body: { role: 'member' } });
    expect([alone.status, alone.error.code]).toEqual([409, 'last_owner']);
    const other = await team.add({ role: 'owner', email: 'second@acme.example' });
    const second = await openConsole(
      { url: team.service.url, environment: { DATABASE_URL: team.database.url } },
      { org: team.organization.id, email: other.email },
    );
    const both = await Promise.all([
      team.owner.call('POST /members/{id}', { params: { id: other.id }, body: { role: 'manager' } }),
      second.call('POST /members/{id}', { params, body: { role: 'manager' } }),
    ]);
    expect((await list({ role: 'owner', active: true })).members).toHaveLength(1);
    expect(both.map(({ status }) => status).sort()).toContain(200);
    await team.database.sql`update members set role = 'owner' where id = ${team.ownerId}`;
    await team.database.sql`update members set role = 'member' where id = ${other.id}`;
  });
});
