import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { createTestDatabase, errorOf, foreword, forFile, tryForeword } from '../harness/index.ts';
import { temporaryFolder } from '../harness/temporary-folder.ts';

const folder = temporaryFolder();
const exported = path.join(folder, 'acme.tar');
const optOuts = path.join(folder, 'opt-outs.csv');
writeFileSync(optOuts, 'phone\n+14155550176\n');

/** Every command that takes --org, with what else it needs. */
const COMMANDS = [
  ['member', 'create', '--first-name', 'Ben', '--last-name', 'Lee', '--email', 'ben@acme.example'],
  ['member', 'list'],
  ['key', 'create'],
  ['key', 'list'],
  ['touchpoint', 'list'],
  ['touchpoint', 'set', 'on_my_way', '--active', 'true'],
  ['event', 'list'],
  ['intro', 'list'],
  ['recipient', 'erase', '--phone', '+14155550176'],
  ['recipient', 'opt-out', '+14155550176'],
  ['recipient', 'opt-in', '+14155550176'],
  ['recipient', 'import-opt-outs', optOuts],
  ['delivery', 'show'],
  ['delivery', 'resume'],
  ['delivery', 'set', '--texts-from', '09:00', '--texts-until', '20:00'],
  ['message', 'list'],
  ['webhook', 'create', '--url', 'https://crm.acme.example/foreword'],
  ['webhook', 'list'],
  ['audit', 'list'],
  ['audit', 'export', '/dev/null'],
  ['export', '--to', exported],
  ['link-domain', 'add', 'go.acme.example'],
  ['link-domain', 'list'],
  ['retention', 'list'],
  ['retention', 'set', 'videos', '--days', '90'],
  ['signin'],
];

const database = await forFile(createTestDatabase(), (opened) => opened.drop());
const environment = { DATABASE_URL: database.url };

test('the list above has every command with the option --org', async () => {
  const { stdout } = await tryForeword({}, 'help');
  const named = [...stdout.matchAll(/^ {2}([a-z][a-z-]*(?: [a-z-]+)?)\b.* {2}\S/gm)].map(([, name = '']) => name);
  expect(named).toContain('member create');
  const helps = await Promise.all(named.map((name) => tryForeword({}, 'help', ...name.split(' '))));
  const taking = named.filter((_, at) => /^ {2}--org ID/m.test(helps[at]?.stdout ?? ''));
  const names = COMMANDS.map((words) =>
    words
      .slice(0, 2)
      .filter((word) => !word.startsWith('--'))
      .join(' '),
  );
  expect(names.toSorted()).toEqual(taking.toSorted());
});

test.each(COMMANDS)('without an organization, %s %s says how to create one', async (...args) => {
  const outcome = await tryForeword(environment, ...args.filter((arg) => arg !== undefined));
  expect(outcome).toMatchObject({ code: 1, stdout: '', stderr: expect.stringContaining('foreword org create') });
});

describe('with one organization', () => {
  beforeAll(() => foreword(environment, 'org', 'create', '--name', 'Acme', '--industry', 'exterior_remodeling'));

  test.each(COMMANDS)('%s %s uses it', async (...args) => {
    expect(await tryForeword(environment, ...args.filter((arg) => arg !== undefined))).toMatchObject({ code: 0 });
  });
});

describe('with several organizations', () => {
  let other: string;
  beforeAll(async () => {
    ({ id: other } = await foreword(environment, 'org', 'create', '--name', 'Homes', '--industry', 'real_estate'));
  });

  test.each(COMMANDS)('%s %s lists them and changes nothing', async (...args) => {
    const outcome = await tryForeword(environment, ...args.filter((arg) => arg !== undefined), '--json');
    expect(errorOf(outcome, 2)).toContain(`${other} (Homes)`);
    expect(errorOf(outcome, 2)).toContain('(Acme)');
    expect(await database.query('select 1 from members')).toHaveLength(1);
  });
});
