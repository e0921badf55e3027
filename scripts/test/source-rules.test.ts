import { expect, test } from 'vitest';
import { findForeignWrites, findSqlOutsideStores, withoutComments } from '../source-rules.ts';

const inModule = (name: string, text: string) => ({ path: `packages/server/src/${name}`, text });

test.each([
  ["import { sql } from 'kysely';", 'the sql tag'],
  ["db.selectFrom('intros').execute();", 'a query builder'],
  ['await pool.query(STATEMENT, [id]);', 'a call of the driver'],
  ['const TEXT = `\n  select id from intros where id = $1`;', 'the text of a statement'],
])('SQL outside a store is found: %s', (text) => {
  expect(findSqlOutsideStores(inModule('intros/service.ts', text))).toHaveLength(1);
});

test('SQL in store.ts, in store/ and in db/ is accepted', () => {
  const text = "db.selectFrom('intros').execute();";
  for (const file of ['intros/store.ts', 'intros/store/search.ts', 'db/migrate.ts']) {
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

test('locking rows for an update is no write', () => {
  expect(
    findForeignWrites(inModule('intros/store.ts', 'const TEXT = `select 1 from members for update skip locked`;')),
  ).toEqual([]);
});

test('comments are blanked out and lines keep their numbers', () => {
  expect(withoutComments("a /* b\nc */ d // e\n'// f'")).toBe("a     \n     d     \n'// f'");
});
