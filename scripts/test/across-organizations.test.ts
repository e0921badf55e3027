import fs from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { checkAcrossOrganizations } from '../across-organizations.ts';
import { listFiles, readSources } from '../source-files.ts';

const schema = fs.readFileSync(path.join(import.meta.dirname, '../../packages/server/schema.sql'), 'utf8');
const sources = readSources(listFiles('packages/server/src'));
const TABLE = `
create table notes (
  organization_id text not null,
  name text not null
);
`;

test('the schema and the stores contain nothing across organizations without a reason', () => {
  expect(checkAcrossOrganizations(schema, sources)).toEqual([]);
});

test('a function that reaches every organization needs a reason', () => {
  const text = 'export const findNote = (db: Db) =>\n  acrossTenants(db).selectFrom("notes");';
  const added = { path: 'packages/server/src/notes/store.ts', text };
  expect(checkAcrossOrganizations(schema, [...sources, added])).toEqual([
    'scripts/across-organizations.ts: the function notes/store.ts findNote needs a reason',
  ]);
});

test('a reason for a function that no longer exists is a problem', () => {
  const without = sources.filter(({ path: file }) => !file.endsWith('src/traces/store.ts'));
  expect(checkAcrossOrganizations(schema, without)).toEqual([
    'scripts/across-organizations.ts: the function traces/store.ts deleteOldTraces is listed, and there is none',
  ]);
});

test.each([
  [
    'a trigger on a table of organizations',
    'CREATE TRIGGER notes_new AFTER INSERT ON public.notes FOR EACH ROW EXECUTE FUNCTION count_notes();',
    'the trigger function count_notes',
  ],
  [
    'a unique index without the organization',
    'CREATE UNIQUE INDEX notes_name ON public.notes USING btree (name);',
    'the unique key notes_name',
  ],
])('%s needs a reason', (_what, statement, problem) => {
  expect(checkAcrossOrganizations(`${schema}${TABLE}${statement}\n`, sources)).toEqual([
    `scripts/across-organizations.ts: ${problem} needs a reason`,
  ]);
});

test('a primary key without the organization needs a reason', () => {
  const table = TABLE.replace('\n);', ',\n  constraint notes_pkey PRIMARY KEY (name)\n);');
  expect(checkAcrossOrganizations(`${schema}${table}`, sources)).toEqual([
    'scripts/across-organizations.ts: the unique key notes_pkey needs a reason',
  ]);
});
