import { expect, test } from 'vitest';
import { INVENTORY } from '../../src/erasure/inventory.ts';
import { createTestDatabase, forFile } from '../harness/index.ts';

const database = await forFile(createTestDatabase(), (opened) => opened.drop());

test('the inventory names every table of the schema, and only columns that exist', async () => {
  const columns = await database.query<{ table_name: string; column_name: string }>(
    `select table_name, column_name from information_schema.columns join information_schema.tables using (table_schema, table_name)
     where table_schema = 'public' and table_type = 'BASE TABLE' and table_name <> 'migrations'`,
  );
  const tables = [...new Set(columns.map(({ table_name: table }) => table))].filter(
    (name) => !name.includes('migration'),
  );
  expect(Object.keys(INVENTORY).sort()).toEqual(tables.sort());
  const known = new Set(columns.map(({ table_name: table, column_name: column }) => `${table}.${column}`));
  const named = Object.entries(INVENTORY).flatMap(([table, treatment]) =>
    'erases' in treatment ? treatment.erases.map((column) => `${table}.${column}`) : [],
  );
  expect(named.filter((column) => !known.has(column))).toEqual([]);
});
