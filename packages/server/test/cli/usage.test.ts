import { type StdioOptions, spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { showList, truncate, wrap } from '../../src/cli/print.ts';
import { errorOf, runForeword, tryForeword } from '../harness/index.ts';
import { temporaryFolder } from '../harness/temporary-folder.ts';

const dataDir = path.join(temporaryFolder(), 'data');
const run = (...args: string[]) => runForeword({ DATA_DIR: dataDir }, ...args);
const order = (...args: string[]) => tryForeword({ DATA_DIR: dataDir }, ...args);
const ORG = 'org create --name Acme --industry exterior_remodeling';
const MEMBER = 'member create --org org_x --first-name A --last-name B';

describe('an invalid command line exits with 2 and one line that names the problem, without touching a database', () => {
  test.each([
    ['orgs list', 'orgs'],
    ['org', 'create, set, list'],
    ['org delete', 'org delete'],
    ['org list more', 'more'],
    ['org list --nope', '--nope'],
    ['org list --org x', '--org'],
    ['org create --industry real_estate', '--name is required'],
    ['org create --name --industry real_estate', '--name needs a value'],
    [`${ORG} --name Again`, '--name'],
    [`org create --name ${'x'.repeat(101)} --industry real_estate`, '--name'],
    ['org create --name Acme --industry plumbing', '--industry'],
    ['org create --name Acme --industry real_estate --lane retail', '--lane'],
    [`${ORG} --lane other`, '--lane'],
    [`${ORG} --timezone Chicago`, '--timezone'],
    [`${MEMBER} --email a@b.example --phone 4155550123`, '--phone'],
    [`${MEMBER} --email a@b.example --role admin`, '--role'],
    [`${MEMBER} --email a@b.example --external-id=`, '--external-id'],
    [`${MEMBER} --email not-an-email`, '--email'],
    ['member deactivate', 'ID is missing'],
    ['key revoke key_a key_b', 'key_b'],
    ['delivery set --org org_x --twilio-account-sid=', '--twilio-account-sid'],
    [`delivery set --org org_x --twilio-account-sid AC${'0'.repeat(32)}`, '--twilio-auth-token'],
    [
      'delivery set --org org_x --texts-from 09:00 --texts-until 20:00 --twilio-auth-token s',
      'need --twilio-account-sid',
    ],
    ['touchpoint set --org org_x showing', '--active'],
    ['touchpoint set --org org_x showing --active yes', '--active'],
    ['touchpoint set --org org_x showing --action-label Go', '--action-url'],
    ['touchpoint set --org org_x showing --action-label= --action-url https://a.example', 'both'],
    ['touchpoint set --org org_x showing --action-label Go --action-url javascript:1', 'https://'],
    ['org set org_x', '--accent'],
    ['org set org_x --accent red', '#b4451f'],
    ['org set org_x --office-phone 555-0100', '--office-phone'],
    ['member set mem_x', '--title'],
    ['member set mem_x --notify pigeon', '--notify'],
    [`member set mem_x --title ${'x'.repeat(101)}`, '--title'],
    ['webhook set whk_x', '--events'],
    ['webhook set whk_x --events intro.lost', '--events'],
    ['webhook replay whk_x', '--since'],
    ['webhook replay whk_x --message msg_x --since 2026-03-10T09:15:00Z', 'exactly one'],
    ['webhook replay whk_x --since yesterday', '--since'],
    ['recipient opt-out --org org_x', 'PHONE is missing'],
    ['delivery set --org org_x', '--texts-from'],
    ['key set key_x --allow-agent-writes yes', '--allow-agent-writes must be true or false'],
    ['retention set videos --org org_x --days soon', '--days'],
    ['audit list --org org_x --limit 101', '--limit must be a whole number from 1 to 100'],
  ])('%s', async (line, named) => {
    const outcome = await order(...line.split(' '), '--json');
    expect(JSON.parse(outcome.stderr)).toMatchObject({ error: { code: 'invalid_usage' } });
    expect(errorOf(outcome, 2)).toContain(named);
    expect(fs.existsSync(dataDir)).toBe(false);
  });
});

test('help works at each level, and prints one document with --json', async () => {
  expect((await order('--help')).stdout).toContain('touchpoint set SLUG');
  expect((await order('help', 'member')).stdout).toContain('npx foreword member create --first-name Ana');
  expect((await order('member', 'create', '--help')).stdout).toContain('--role owner|manager|member');
  expect(JSON.parse((await order('key', '--help', '--json')).stdout)).toMatchObject({ object: 'help' });
  expect(await run('--version')).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/^\d+\.\d+\.\d+(-\w+)?\n$/),
    stderr: '',
  });
});

test('invalid configuration exits with 78 and names the variable, in doctor too', async () => {
  const listed = await tryForeword({ DATA_DIR: dataDir, PORT: 'x' }, 'org', 'list', '--json');
  const error = { code: 'invalid_configuration', message: expect.stringContaining('PORT') };
  expect([listed.code, listed.stdout, JSON.parse(listed.stderr)]).toEqual([78, '', { error }]);
  const doctor = await tryForeword({ DATA_DIR: dataDir, PORT: 'x' }, 'doctor', '--json');
  expect([doctor.code, JSON.parse(doctor.stderr)]).toEqual([78, { error }]);
  expect(JSON.parse(doctor.stdout)).toMatchObject({ status: 'problem' });
});

test('an interrupted restore is explained once, with one next step', async () => {
  const unfinished = path.join(temporaryFolder(), 'data');
  fs.mkdirSync(path.join(unfinished, 'restoring'), { recursive: true });
  const { stdout } = await tryForeword({ DATA_DIR: unfinished }, 'doctor');
  expect(stdout).toMatch(
    / database: A backup is being restored .*interrupted\.\n +→ Wait, or run foreword restore again\.\n/,
  );
  expect(stdout.match(/run foreword restore/g)).toHaveLength(1);
});

test('foreword start exits like the service when an option is invalid, and starts nothing', async () => {
  const { code, stdout, stderr } = await runForeword({ DATA_DIR: dataDir, PORT: '4200' }, 'start', '--port', 'http');
  expect({ code, stdout }).toEqual({ code: 78, stdout: '' });
  expect(stderr).toBe('foreword: PORT must be a number from 0 to 65535, not "http"\n');
});

test('a command without a database says what to do, and creates nothing', async () => {
  const message = `No Foreword data in ${dataDir}; start the service first or set DATA_DIR to its folder`;
  expect(await run('org', 'list')).toEqual({ code: 1, stdout: '', stderr: `foreword: ${message}\n` });
  for (const line of ['migrate', 'key list', ORG, 'doctor']) {
    const outcome = await order(...line.split(' '), '--json');
    if (line !== 'doctor')
      expect([outcome.code, JSON.parse(outcome.stderr)]).toEqual([1, { error: { code: 'failed', message } }]);
  }
  expect(fs.existsSync(dataDir)).toBe(false);
});

const FULL = '/dev/full';

test.skipIf(!fs.existsSync(FULL))('output that does not fit on the disk is an error', () => {
  const main = path.join(import.meta.dirname, '../../src/cli/main.ts');
  const stdio: StdioOptions = ['ignore', fs.openSync(FULL, 'w'), 'pipe'];
  const { status, stderr } = spawnSync(process.execPath, [main, '--version', '--json'], { stdio, encoding: 'utf8' });
  const error = { code: 'failed', message: 'The output was not written: ENOSPC.' };
  expect([status, JSON.parse(stderr)]).toEqual([1, { error }]);
});

const COLUMNS = 100;
const tooWide = (text: string) => text.split('\n').filter((line) => line.length > COLUMNS);

const namesIn = (overview: string): string[] =>
  [...overview.matchAll(/^ {2}([a-z][a-z-]*(?: [a-z-]+)?)\b.* {2}\S/gm)].map(([, name = '']) => name);

test('docs/self-hosting/commands.md lists every command, and no other', async () => {
  const names = namesIn((await tryForeword({}, '--help')).stdout);
  const file = path.join(import.meta.dirname, '../../../../docs/self-hosting/commands.md');
  const cells = [...fs.readFileSync(file, 'utf8').matchAll(/^\| (`.*?) \| /gm)].map(([, cell = '']) => cell);
  const documented = cells.flatMap((cell) => {
    const written = [...cell.matchAll(/`([a-z-]+(?: [a-z-]+)?)/g)].map(([, name = '']) => name);
    const [group] = (written[0] ?? '').split(' ');
    return written.map((name) => (names.includes(`${group} ${name}`) ? `${group} ${name}` : name));
  });
  expect(documented.sort()).toEqual(names.sort());
});

test('the help of every command and group fits in 100 columns', async () => {
  const { stdout: overview } = await tryForeword({}, '--help');
  expect(tooWide(overview)).toEqual([]);
  const names = namesIn(overview);
  const groups = [...new Set(names.map((name) => name.split(' ')[0] ?? ''))];
  for (const name of [...names, ...groups]) {
    const { code, stdout } = await tryForeword({}, ...name.split(' '), '--help');
    expect({ name, code, tooWide: tooWide(stdout) }).toEqual({ name, code: 0, tooWide: [] });
  }
});

describe('a table', () => {
  const rows = [{ id: 'a'.repeat(30), name: 'n'.repeat(90), email: 'e'.repeat(20) }];
  const at = (columns: number) => {
    const { text } = showList({ data: rows }, ['id', 'name', 'email']);
    return typeof text === 'string' ? text : text(columns);
  };

  test('truncates the widest column first, and never an id', () => {
    const [, row = ''] = at(100).split('\n');
    expect(row).toBe(`${'a'.repeat(30)}  ${'n'.repeat(45)}…  ${'e'.repeat(20)}`);
  });

  test('says how to see more: a longer list, and after the longest one the next ones', () => {
    const endOf = (count: number, others?: string) => {
      const data = Array.from({ length: count }, (_, at) => ({ id: `int_${at + 1}` }));
      const { text } = showList({ data, has_more: true }, ['id'], others);
      return (typeof text === 'string' ? text : text(100)).split('\n').at(-1);
    };
    expect(endOf(20)).toBe('There are more. Use --limit to see up to 100.');
    expect(endOf(100)).toBe('There are more. Use --starting-after int_100 to see the next ones.');
    expect(endOf(100, 'Use foreword audit export.')).toBe('There are more. Use foreword audit export.');
  });

  test('becomes one block per row where it cannot fit', () => {
    expect(tooWide(at(50))).toEqual([]);
    expect(at(50)).toContain(`id:     ${'a'.repeat(30)}\n`);
    expect(at(50).replaceAll(/\s/g, '')).toContain('n'.repeat(90));
  });

  test('is not truncated where it fits', () => {
    expect(at(Number.POSITIVE_INFINITY)).not.toContain('…');
  });
});

test('text is truncated and wrapped', () => {
  expect(truncate('Zoë👋🏽 Lee', 5)).toBe('Zoë👋…');
  expect(truncate('ab', 2)).toBe('ab');
  expect(wrap('one two three', 7)).toEqual(['one two', 'three']);
  expect(wrap(`see ${'x'.repeat(9)}`, 5)).toEqual(['see', 'xxxxx', 'xxxx']);
  expect(wrap('https://a.example/long', 5, true)).toEqual(['https://a.example/long']);
  expect(wrap('', 5)).toEqual(['']);
});
