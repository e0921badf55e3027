import { expect, test } from 'vitest';
import { TABLES, type Table } from '../../src/db/tables.ts';
import { createTestDatabase, forFile } from '../harness/index.ts';

const database = await forFile(createTestDatabase(), (opened) => opened.drop());

const tables = await database.query<{ name: string; columns: string[]; key: string[] }>(
  `select c.relname as name, array_agg(a.attname::text) as columns,
     array_agg(a.attname::text order by array_position(i.indkey::int2[], a.attnum)) filter (where a.attnum = any(i.indkey)) as key
   from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
   join pg_index i on i.indrelid = c.oid and i.indisprimary
   where c.relnamespace = 'public'::regnamespace and c.relkind = 'r' and c.relname <> 'migrations'
   group by c.relname`,
);
const describedAs = (name: string): Table | undefined => new Map(Object.entries<Table>(TABLES)).get(name);

// Types check the columns; `npm run gen` writes them from the migrations.
test('each table is described', () => {
  expect(Object.keys(TABLES).sort()).toEqual(tables.map(({ name }) => name).sort());
});

test('each table with a column about recipients says how it refers to them', () => {
  const columns = ['phone', 'recipient_phone', 'intro_id', 'request'];
  const found = tables.filter((table) => table.columns.some((column) => columns.includes(column)));
  const without = found.filter(({ name }) => describedAs(name)?.recipient === undefined);
  expect(without.map(({ name }) => name).sort()).toEqual(['links', 'members', 'message_queue', 'replaced_links']);
});

test('what an erasure clears or deletes is found by the recipient', () => {
  for (const [name, { recipient, erasure }] of Object.entries<Table>(TABLES)) {
    if ('clears' in erasure) expect(['intro_id', 'object_id'], name).toContain(recipient);
    if ('deletes' in erasure) expect(['phone', 'subject'], name).toContain(recipient);
  }
});

test('the primary key of every table of an organization starts with it', () => {
  const others = tables.filter(
    ({ columns, key }) => columns.includes('organization_id') && key[0] !== 'organization_id',
  );
  expect(others).toEqual([]);
});
