import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { truncate, widthOf, wrap } from '../../src/cli/layout.ts';
import { showList } from '../../src/cli/print.ts';
import { createIntro, sendEvent, settled } from '../acceptance/support/actions.ts';
import { openService, type ServiceFixture, tryForeword } from '../harness/index.ts';

const COLUMNS = 100;
const LONG = 'Wolfeschlegelsteinhausenbergerdorff'.repeat(3).slice(0, 100);
const tooWide = (text: string) => text.split('\n').filter((line) => widthOf(line) > COLUMNS);

test('the help of every command and group fits in 100 columns', async () => {
  const { stdout: overview } = await tryForeword({}, '--help');
  expect(tooWide(overview)).toEqual([]);
  const names = [...overview.matchAll(/^ {2}([a-z][a-z-]*(?: [a-z-]+)?)\b.* {2}\S/gm)].map(([, name = '']) => name);
  expect(names.length).toBeGreaterThan(30);
  const groups = [...new Set(names.map((name) => name.split(' ')[0] ?? ''))];
  for (const name of [...names, ...groups]) {
    const { code, stdout } = await tryForeword({}, ...name.split(' '), '--help');
    expect({ name, code, tooWide: tooWide(stdout) }).toEqual({ name, code: 0, tooWide: [] });
  }
});

describe('with the longest values', () => {
  let fixture: ServiceFixture;
  const EMAIL = `${'e'.repeat(64)}@${`${'d'.repeat(58)}.`.repeat(3)}example`;
  const URL_TEXT = `https://crm.acme.example/${'path/'.repeat(200)}`;

  beforeAll(async () => {
    fixture = await openService({}, { organization: { name: LONG } });
    const member = ['--first-name', LONG, '--last-name', LONG, '--email', EMAIL];
    await fixture.run('member', 'create', ...member, '--external-id', 'x'.repeat(255), '--role', 'owner');
    await fixture.run('key', 'create', '--name', LONG);
    await fixture.run('touchpoint', 'set', 'on_my_way', '--name', LONG);
    await fixture.run('webhook', 'create', '--url', URL_TEXT, '--events', 'intro.*', '--events', 'recipient.*');
    const recipient = { first_name: LONG, last_name: LONG, phone: '+14155550123' };
    await createIntro(fixture.api, { member: { external_id: 'x'.repeat(255) }, recipient });
    const { id } = await sendEvent(fixture.api, { touchpoint: 'on_my_way', recipient });
    await settled(fixture.api, id);
  });
  afterAll(() => fixture.close());

  test.each(['org', 'member', 'key', 'touchpoint', 'webhook', 'event', 'intro', 'message'])(
    '%s list fits in 100 columns, shows whole ids, and truncates nothing in JSON',
    async (group) => {
      const { data } = await fixture.run(group, 'list');
      const { stdout } = await tryForeword(fixture.environment, group, 'list');
      expect(data.length).toBeGreaterThan(0);
      expect(tooWide(stdout)).toEqual([]);
      const copied = group === 'touchpoint' ? 'slug' : 'id';
      for (const item of data) expect(stdout).toContain(item[copied]);
      expect(JSON.stringify(data)).not.toContain('…');
    },
  );

  test('message list keeps every word of a text', async () => {
    const { data } = await fixture.run('message', 'list');
    const text = data.find(({ body }: { body: string | null }) => body?.includes('http')).body;
    const { stdout } = await tryForeword(fixture.environment, 'message', 'list');
    expect(stdout.replaceAll(/\s/g, '')).toContain(text.replaceAll(/\s/g, ''));
  });
});

describe('a table', () => {
  const rows = [{ id: 'a'.repeat(30), name: 'n'.repeat(90), email: 'e'.repeat(20) }];
  const at = (columns: number) => {
    const { text } = showList(rows, (row) => row);
    return typeof text === 'string' ? text : text(columns);
  };

  test('truncates the widest column first, and never an id', () => {
    const [, row = ''] = at(100).split('\n');
    expect(row).toBe(`${'a'.repeat(30)}  ${'n'.repeat(45)}…  ${'e'.repeat(20)}`);
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

test('widths count what a terminal shows', () => {
  expect(widthOf('Zoë')).toBe(3);
  expect(widthOf('佐藤')).toBe(4);
  expect(widthOf('👩‍🚀')).toBe(2);
  expect(truncate('佐藤さん', 5)).toBe('佐藤…');
  expect(truncate('ab', 2)).toBe('ab');
  expect(wrap('one two three', 7)).toEqual(['one two', 'three']);
  expect(wrap(`see ${'x'.repeat(9)}`, 5)).toEqual(['see', 'xxxxx', 'xxxx']);
  expect(wrap('https://a.example/long', 5, true)).toEqual(['https://a.example/long']);
  expect(wrap('', 5)).toEqual(['']);
});
