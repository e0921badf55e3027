import { expect, test } from 'vitest';
import { checkMap, readTree } from '../map.ts';
import { findRetiredWords } from '../retired-words.ts';
import { findTextsOnScreens } from '../screen-texts.ts';
import {
  findForeignWrites,
  findLongFiles,
  findSqlOutsideStores,
  findTablesWithoutOwner,
  withoutComments,
} from '../source-rules.ts';

const inModule = (name: string, text: string) => ({ path: `packages/server/src/${name}`, text });

test.each([
  ["import { sql } from 'kysely';", 'the sql tag'],
  ["db.selectFrom('intros').execute();", 'a query builder'],
  ['await pool.query(STATEMENT, [id]);', 'a call of the driver'],
  ['const TEXT = `\n  select id from intros where id = $1`;', 'the text of a statement'],
])('SQL outside a store is found: %s', (text) => {
  expect(findSqlOutsideStores(inModule('intros/service.ts', text))).toHaveLength(1);
});

test('SQL in store.ts, in store/ and in platform/ is accepted', () => {
  const text = "db.selectFrom('intros').execute();";
  for (const file of ['intros/store.ts', 'intros/store/search.ts', 'platform/migrate.ts']) {
    expect(findSqlOutsideStores(inModule(file, text))).toEqual([]);
  }
});

test('a comment or a sentence about SQL is no SQL', () => {
  const text = "// select id from intros where id = $1\nconst label = 'Select a file from your computer';";
  expect(findSqlOutsideStores(inModule('intros/service.ts', text))).toEqual([]);
});

test.each([
  'const TEXT = `update members set active = false`;',
  'const TEXT = `insert into members (id) values ($1)`;',
  'const TEXT = `delete from members where id = $1`;',
  "db.updateTable('members')",
  "scope.insertInto('members')",
])('a write to another module’s table is found: %s', (text) => {
  expect(findForeignWrites(inModule('recordings/store.ts', text))).toEqual([
    'packages/server/src/recordings/store.ts:1: writes members, which belongs to members/',
  ]);
  expect(findForeignWrites(inModule('members/store.ts', text))).toEqual([]);
});

test('a new table needs an owner', () => {
  expect(findTablesWithoutOwner('create table members (\n);\ncreate unlogged table secret_notes (\n);')).toEqual([
    'scripts/source-rules.ts: the table secret_notes has no owner; add the module that writes it',
  ]);
});

test('locking rows for an update is no write', () => {
  expect(
    findForeignWrites(inModule('events/store.ts', 'const TEXT = `select 1 from members for update skip locked`;')),
  ).toEqual([]);
});

test('a file may have 300 lines and no more', () => {
  expect(findLongFiles({ path: 'packages/a.ts', text: 'x\n'.repeat(300) })).toEqual([]);
  expect(findLongFiles({ path: 'packages/a.ts', text: 'x\n'.repeat(301) })).toEqual([
    'packages/a.ts: 301 lines, more than 300; split it',
  ]);
});

test('a retired word is found with its line and its replacement', () => {
  expect(findRetiredWords({ path: 'packages/a.ts', text: 'const a = 1;\n// The shelf has a colour.' })).toEqual([
    'packages/a.ts:2: "shelf" is retired; say: cache',
    'packages/a.ts:2: "colour" is retired; say: the American spelling',
  ]);
});

test('a text on a screen of the console is found, and a value is not', () => {
  const inConsole = (text: string) => findTextsOnScreens({ path: 'packages/web/console/pages/a.tsx', text });
  expect(inConsole('<p>\n  Nothing here yet\n</p>')).toHaveLength(1);
  expect(inConsole('<Field label="Recipient’s name">')).toHaveLength(1);
  expect(inConsole('<Field label={HOME.name} placeholder="https://"><b>{count}</b></Field>')).toEqual([]);
  expect(inConsole('<span className="Row">{TOUCHPOINT.name}</span>')).toEqual([]);
});

test('words that contain a retired word are accepted', () => {
  expect(findRetiredWords({ path: 'packages/a.ts', text: 'recommended letters, newsletters, settings' })).toEqual([]);
});

test('comments are blanked out and lines keep their numbers', () => {
  expect(withoutComments("a /* b\nc */ d // e\n'// f'")).toBe("a     \n     d     \n'// f'");
});

const MAP =
  '```\npackages/server/src/\n  main.ts            starts\n  intros/            intros\n    expiry.ts, search.ts   two rules\n```\n';

test('the tree of the map gives full paths', () => {
  expect(readTree('packages/\n  a/   folder\n    b.ts, c.ts   two files\n  d.ts   file')).toEqual([
    'packages/',
    'packages/a/',
    'packages/a/b.ts',
    'packages/a/c.ts',
    'packages/d.ts',
  ]);
});

test('the map misses nothing of a module but the standard names, and names nothing that is gone', () => {
  const base = 'packages/server/src/';
  const files = ['main.ts', 'intros/index.ts', 'intros/expiry.ts', 'intros/statistics.ts'].map((name) => base + name);
  expect(checkMap(MAP, files)).toEqual([
    'docs/map.md: packages/server/src/intros/search.ts does not exist',
    'docs/map.md: packages/server/src/intros/statistics.ts is missing',
  ]);
});
