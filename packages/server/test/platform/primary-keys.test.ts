import { expect, test } from 'vitest';
import { createTestDatabase, forFile } from '../harness/index.ts';

const database = await forFile(createTestDatabase(), (opened) => opened.drop());

test('a lookup by the primary key uses it, also while the database is new and without statistics', async () => {
  const tables = await database.query<{ name: string; key: string; columns: string[]; types: string[] }>(
    `select c.conrelid::regclass::text as name, c.conname as key, array_agg(a.attname::text order by k.n) as columns,
       array_agg(format_type(a.atttypid, a.atttypmod) order by k.n) as types
     from pg_constraint c
     cross join unnest(c.conkey) with ordinality as k(place, n)
     join pg_attribute a on a.attrelid = c.conrelid and a.attnum = k.place
     where c.contype = 'p' and c.connamespace = 'public'::regnamespace
     group by 1, 2`,
  );
  expect(tables.length).toBeGreaterThan(30);
  await database.query(
    'set enable_seqscan = off; set enable_bitmapscan = off; set plan_cache_mode = force_generic_plan',
  );
  const others: string[] = [];
  for (const { name, key, columns, types } of tables) {
    const conditions = columns.map((column, at) => `${column} = $${at + 1}`).join(' and ');
    await database.query(`deallocate all; prepare lookup(${types}) as select * from ${name} where ${conditions}`);
    const plan = await database.query(`explain execute lookup(${columns.map(() => 'null')})`);
    if (!JSON.stringify(plan).includes(key)) others.push(name);
  }
  expect(others).toEqual([]);
});
