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
    expect(await fixture.run('member', 'show', ana)).toEqual({ ...shared, role, photo, notify });
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

  test('with a new email, ends the sessions and links of the old one', async () => {
    await fixture.run('signin', '--org', fixture.organization.id, '--email', 'ana@acme.example');
    const unused = () => fixture.database.sql`select 1 from signin_links where member_id = ${ana} and used_at is null`;
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
});

test('deactivating the last owner warns on stderr that the organization has no owner', async () => {
  const other = await fixture.newOrganization({ name: 'Solo' });
  await set(other.memberId, '--role', 'owner');
  const outcome = await order('deactivate', other.memberId);
  expect(outcome.code).toBe(0);
  expect(JSON.parse(outcome.stderr)).toEqual({ warning: { message: expect.stringContaining('no active owner') } });
  expect(JSON.parse(outcome.stdout)).toMatchObject({ active: false });
});
