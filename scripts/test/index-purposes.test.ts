import { expect, test } from 'vitest';
import { findIndexesWithoutPurpose } from '../index-purposes.ts';

const SCHEMA = `
CREATE INDEX notes_author ON public.notes USING btree (author);
CREATE UNIQUE INDEX notes_name ON public.notes USING btree (name);
`;
const STORE = { path: 'packages/server/src/notes/store.ts', text: "export const FIND = 'select 1 from notes';" };

test('an index whose statement exists and reads its table has a purpose', () => {
  const named = { 'notes/store.ts': { notes_author: 'FIND', notes_name: 'FIND' } };
  expect(findIndexesWithoutPurpose(SCHEMA, [STORE], named)).toEqual([]);
});

test.each([
  ['an index without a statement', { notes_name: 'FIND' }, 'the index notes_author names no statement that needs it'],
  [
    'an index that was dropped',
    { notes_author: 'FIND', notes_name: 'FIND', notes_age: 'FIND' },
    'there is no index notes_age',
  ],
  [
    'a statement that was deleted',
    { notes_author: 'FIND', notes_name: 'LIST' },
    'notes/store.ts has no LIST, which should need notes_name',
  ],
])('%s is a problem', (_what, statements, problem) => {
  expect(findIndexesWithoutPurpose(SCHEMA, [STORE], { 'notes/store.ts': statements })).toEqual([
    `scripts/index-purposes.ts: ${problem}`,
  ]);
});

test('a store that does not read the table is a problem', () => {
  const other = { ...STORE, text: "export const FIND = 'select 1 from letters';" };
  const named = { 'notes/store.ts': { notes_author: 'FIND', notes_name: 'FIND' } };
  expect(findIndexesWithoutPurpose(SCHEMA, [other], named)).toEqual([
    'scripts/index-purposes.ts: notes/store.ts does not read notes, the table of notes_author',
    'scripts/index-purposes.ts: notes/store.ts does not read notes, the table of notes_name',
  ]);
});
