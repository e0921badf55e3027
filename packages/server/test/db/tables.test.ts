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

test('plans of the first minute, before tables are analyzed, read one row and not those of an organization', async () => {
  await database.query(
    `begin; set local session_replication_role = replica; set local enable_seqscan = off; set local plan_cache_mode = force_generic_plan;
     insert into intros (organization_id, environment, id, status, member_id, recipient_first_name, recipient_phone, instructed,
       responsibility, metadata, created_at)
     select 'org_1', 'test', 'int_01kkc1kss8w00d7hgn7s1a' || g, 'requested', 'mem_1', 'Dana', '+1415555' || g, true, 'service', '{}', now()
     from generate_series(1001, 1300) g`,
  );
  const indexFor = async (table: string, column: string) => {
    await database.query(`deallocate all; prepare lookup(text, text) as
      select status from ${table} where organization_id = $1 and environment = 'test' and ${column} = $2`);
    return JSON.stringify(await database.query('explain execute lookup(null, null)'));
  };
  expect(await indexFor('intros', 'id')).toContain('intros_pkey');
  expect(await indexFor('recordings', 'intro_id')).toContain('recordings_intro');
  await database.query('rollback');
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
