import { describe, expect, test } from 'vitest';
import { showList, truncate, widthOf, wrap } from '../../src/cli/print.ts';
import { tryForeword } from '../harness/index.ts';

const COLUMNS = 100;
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
