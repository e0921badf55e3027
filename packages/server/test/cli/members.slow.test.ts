import { describe, expect, test } from 'vitest';
import { forFile, openService, tryForeword } from '../harness/index.ts';

const set = (id: string, ...args: string[]) => fixture.run('member', 'set', id, ...args);
const order = (...args: string[]) => tryForeword(fixture.environment, 'member', ...args, '--json');
const memberOf = async (id: string) => {
  const { body } = await fixture.api.get('/v1/members');
  return body.data.find((member: { id: string }) => member.id === id);
};
const add = (first: string, ...more: string[]) =>
  fixture.run(
    ...['member', 'create', '--first-name', first, '--last-name', 'Lee', '--email', `${first}@acme.example`],
    ...more,
  );

const fixture = await forFile(openService());
const ana = fixture.organization.memberId;

describe('member set', () => {
  test('replaces the lanes, and prints the member as the API does', async () => {
    const changed = await set(ana, '--lane', 'retail', '--lane', 'insurance', '--lane', 'retail');
    expect(changed.lanes).toEqual(['retail', 'insurance']);
    const { role, photo, notify, ...shared } = await set(ana, '--lane', 'insurance');
    expect(shared).toEqual(await memberOf(ana));
    expect(shared.lanes).toEqual(['insurance']);
    expect({ role, photo, notify }).toEqual({ role: 'member', photo: null, notify: 'text' });
  });

  test('refuses a lane that the organization does not work in, and changes nothing', async () => {
    const retail = await fixture.newOrganization({ name: 'Retail only', lanes: ['retail'] });
    const refused = await order('set', retail.memberId, '--lane', 'insurance', '--title', 'estimator');
    expect(refused).toMatchObject({ code: 2, stdout: '', stderr: expect.stringContaining('--lane') });
    const { body } = await retail.api.get('/v1/members');
    expect(body.data[0].lanes).toEqual([]);
  });

  test('changes and removes the external id, and refuses one that another member has', async () => {
    expect((await set(ana, '--external-id', 'rep_42')).external_id).toBe('rep_42');
    expect((await set(ana, '--external-id', '')).external_id).toBe(null);
    const org = fixture.organization.id;
    const ben = await add('Ben', '--org', org, '--external-id', 'rep_18');
    const refused = await order('set', ana, '--external-id', 'rep_18', '--title', 'estimator');
    expect(refused).toMatchObject({ code: 1, stdout: '', stderr: expect.stringContaining('rep_18') });
    expect((await set(ana, '--phone', '+14155550117')).title).toBe(null);
    expect((await set(ben.id, '--external-id', 'rep_18')).external_id).toBe('rep_18');
  });

  test('changes the role, but never takes it from the last active owner', async () => {
    const org = fixture.organization.id;
    expect((await set(ana, '--role', 'owner')).role).toBe('owner');
    const refused = await order('set', ana, '--role', 'manager', '--title', 'estimator');
    expect(refused).toMatchObject({ code: 1, stdout: '', stderr: expect.stringContaining('owner') });
    expect(await set(ana, '--phone', '+14155550117')).toMatchObject({ role: 'owner', title: null });
    const second = await add('Olga', '--org', org, '--role', 'owner');
    expect((await set(ana, '--role', 'manager')).role).toBe('manager');
    expect((await order('set', second.id, '--role', 'member')).code).toBe(1);
    await set(ana, '--role', 'owner');
  });

  test('two owners who lose the role at the same time: one of them keeps it', async () => {
    const { data } = await fixture.run('member', 'list', '--org', fixture.organization.id);
    const owners = data.filter(({ role, active }: { role: string; active: boolean }) => role === 'owner' && active);
    expect(owners).toHaveLength(2);
    const outcomes = await Promise.all(owners.map(({ id }: { id: string }) => order('set', id, '--role', 'member')));
    expect(outcomes.map(({ code }) => code).sort()).toEqual([0, 1]);
  });

  test('with a new email, ends the sessions and links of the old one', async () => {
    await fixture.run('signin', '--org', fixture.organization.id, '--email', 'ana@acme.example');
    const unused = () =>
      fixture.database.query('select 1 from signin_links where member_id = $1 and used_at is null', [ana]);
    await set(ana, '--email', 'ANA@acme.example');
    expect(await unused()).toHaveLength(1);
    await set(ana, '--email', 'ana.ng@acme.example');
    expect(await unused()).toHaveLength(0);
  });
});

describe('member activate', () => {
  test('makes a deactivated member available again, and is harmless for an active one', async () => {
    const { id } = await add('Cy', '--org', fixture.organization.id);
    expect(await fixture.run('member', 'deactivate', id)).toMatchObject({ active: false });
    const activated = await fixture.run('member', 'activate', id);
    expect(activated).toMatchObject({ id, active: true });
    expect(await fixture.run('member', 'activate', id)).toEqual(activated);
    const sent = await fixture.api.post('/v1/intros', {
      member: { id },
      recipient: { first_name: 'Dana', phone: '+14155550123' },
    });
    expect(sent.status).toBe(201);
  });

  test('does not revive sign-in links from before', async () => {
    const { id, email } = await add('Di', '--org', fixture.organization.id);
    const { url } = await fixture.run('signin', '--org', fixture.organization.id, '--email', email);
    await fixture.run('member', 'deactivate', id);
    await fixture.run('member', 'activate', id);
    const { pathname } = new URL(url);
    const opened = await fetch(fixture.service.url + pathname, { redirect: 'manual' });
    expect(await opened.text()).not.toContain('<form method="post"');
    const used = await fixture.database.query('select 1 from signin_links where member_id = $1 and used_at is null', [
      id,
    ]);
    expect(used).toEqual([]);
  });

  test('refuses an unknown id in one line', async () => {
    expect(await order('activate', 'mem_none')).toMatchObject({
      code: 1,
      stdout: '',
      stderr: expect.stringMatching(/^foreword: [^\n]*mem_none[^\n]*\n$/),
    });
  });
});

test('deactivating the last owner warns on stderr that the organization has no owner', async () => {
  const other = await fixture.newOrganization({ name: 'Solo' });
  await set(other.memberId, '--role', 'owner');
  const outcome = await order('deactivate', other.memberId);
  expect(outcome).toMatchObject({ code: 0, stderr: expect.stringContaining('no active owner') });
  expect(JSON.parse(outcome.stdout)).toMatchObject({ active: false });
});
