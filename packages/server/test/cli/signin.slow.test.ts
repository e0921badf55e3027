import { spawn } from 'node:child_process';
import path from 'node:path';
import { expect, test } from 'vitest';
import { errorOf, forFile, openService, tryForeword } from '../harness/index.ts';

const BIN = path.join(import.meta.dirname, '../../bin/foreword.mjs');

const signin = (...args: string[]) => tryForeword(fixture.environment, 'signin', ...args, '--json');
const addMember = (first: string, ...more: string[]) =>
  fixture.run(
    ...['member', 'create', '--org', alone, '--first-name', first, '--last-name', 'Lee'],
    ...['--email', `${first.toLowerCase()}@acme.example`, ...more],
  );

/** Runs the program on a pseudo-terminal, and answers its question. */
function runOnTerminal(answer: string, ...args: string[]): Promise<{ code: number | null; output: string }> {
  const command = [process.execPath, BIN, ...args].join(' ');
  const child = spawn('script', ['--quiet', '--return', '--command', command, '/dev/null'], {
    env: { PATH: process.env.PATH ?? '', ...fixture.environment, SERVER_KEY: '5e'.repeat(32) },
  });
  let output = '';
  child.stdout.on('data', (chunk) => {
    const asked = output.split('Number from').length;
    output += chunk;
    if (output.split('Number from').length > asked) child.stdin.write(answer);
  });
  return new Promise((resolve, reject) => {
    child.once('error', () => reject(new Error('the program "script" is missing (Debian package: bsdutils)')));
    child.once('close', (code) => resolve({ code, output }));
  });
}

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

test('on a terminal, asks until a listed number is given', async () => {
  const { code, output } = await runOnTerminal('2\r', 'signin');
  expect(output).toMatch(/1 {2}Homes LLC \(org_/);
  expect(output).toMatch(/2 {2}Acme Roofing \(org_/);
  expect(output).toContain('/console/signin/');
  expect(code).toBe(0);
});

test('on a terminal, ending the input chooses nothing and fails', async () => {
  const { code, output } = await runOnTerminal('\u0004', 'signin');
  expect(output).toContain('Nothing was chosen.');
  expect(output).not.toContain('/console/signin/');
  expect(code).toBe(1);
});
