import { expect, test } from 'vitest';
import { errorOf, forFile, openService, tryForeword } from '../harness/index.ts';

const signin = (...args: string[]) => tryForeword(fixture.environment, 'signin', ...args, '--json');
const addMember = (first: string, ...more: string[]) =>
  fixture.run(
    ...['member', 'create', '--org', alone, '--first-name', first, '--last-name', 'Lee'],
    ...['--email', `${first.toLowerCase()}@acme.example`, ...more],
  );

const fixture = await forFile(openService());
const alone = fixture.organization.id;

test('foreword signin signs in the only member of the only organization, and the link works', async () => {
  const { code, stdout } = await signin();
  expect(code).toBe(0);
  const { url, member } = JSON.parse(stdout);
  expect(member).toBe(fixture.organization.memberId);
  const page = await fetch(fixture.service.url + new URL(url).pathname);
  expect(page.status).toBe(200);
});

test('with several members and no owner, lists them and creates no link', async () => {
  await addMember('Ben', '--role', 'manager');
  expect(errorOf(await signin(), 2)).toMatch(/--email.*ben@acme.example \(Ben Lee, manager\), ana@acme.example/);
  expect(await fixture.database.query('select 1 from signin_links where used_at is null')).toHaveLength(1);
});

test('foreword signin signs in the only owner, although there are other members', async () => {
  const owner = await addMember('Olga', '--role', 'owner');
  expect(JSON.parse((await signin()).stdout).member).toBe(owner.id);
  expect(JSON.parse((await signin('--email', 'BEN@acme.example')).stdout).member).not.toBe(owner.id);
});

test('a deactivated member is never chosen', async () => {
  const second = await addMember('Otto', '--role', 'owner');
  expect((await signin()).code).toBe(2);
  await fixture.run('member', 'deactivate', second.id);
  expect((await signin()).code).toBe(0);
});

test('with several organizations, --org chooses one', async () => {
  const other = await fixture.run('org', 'create', '--name', 'Homes LLC', '--industry', 'real_estate');
  expect((await signin()).code).toBe(2);
  expect((await signin('--org', alone)).code).toBe(0);
  expect(await signin('--org', other.id)).toMatchObject({ code: 1, stderr: expect.stringContaining('member create') });
});
