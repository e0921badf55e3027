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

test.each(['without statistics', 'with the statistics of empty tables'])(
  'messages are looked up by intro and by id in the index for it, %s',
  async (statistics) => {
    if (statistics !== 'without statistics') await database.query('analyze message_queue; analyze messages');
    await database.query('set enable_seqscan = off; set plan_cache_mode = force_generic_plan');
    const planOf = async (column: string) => {
      await database.query(`deallocate all; prepare lookup(text, text) as
        select * from all_messages where organization_id = $1 and environment = 'test' and ${column} = $2`);
      const plan = JSON.stringify(await database.query('explain execute lookup(null, null)'));
      return [...plan.matchAll(/Scan using (\w+)/g)].map(([, index]) => index);
    };
    expect(await planOf('intro_id')).toEqual(['message_queue_intro', 'messages_intro']);
    expect(await planOf('id')).toEqual(['message_queue_pkey', 'messages_pkey']);
  },
);
