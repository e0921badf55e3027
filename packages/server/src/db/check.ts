import type pg from 'pg';

/** Every table, including system and TOAST tables. */
const FIND_DAMAGED_TABLES = `
select c.oid::regclass::text as name, v.msg as problem
from pg_class c, lateral verify_heapam(c.oid, check_toast => true) v
where c.relkind in ('r', 't', 'm') and c.relpersistence <> 't'
limit 10`;

const LIST_INDEXES = `
select i.indexrelid::regclass::text as name, i.indexrelid::int8 as oid
from pg_index i join pg_class c on c.oid = i.indexrelid join pg_am a on a.oid = c.relam
where a.amname = 'btree' and c.relpersistence <> 't' and c.relkind = 'i' and i.indisready and i.indisvalid`;

/**
 * Reads every page of every table and B-tree index, as pg_amcheck does, and returns what is damaged. PostgreSQL checks the
 * checksum of each page it reads. Changes nothing: the extension is created in a transaction that is rolled back.
 */
export async function findDamage(client: pg.Client): Promise<string[]> {
  const found: string[] = [];
  await client.query('begin');
  try {
    await client.query('create extension if not exists amcheck');
    const { rows: tables } = await client.query<{ name: string; problem: string }>(FIND_DAMAGED_TABLES);
    found.push(...tables.map(({ name, problem }) => `${name}: ${problem}`));
    const { rows: indexes } = await client.query<{ name: string; oid: string }>(LIST_INDEXES);
    for (const { name, oid } of indexes) {
      await client.query('savepoint checking');
      try {
        await client.query('select bt_index_check($1::oid, heapallindexed => true)', [oid]);
      } catch (error) {
        found.push(`${name}: ${(error as Error).message}`);
        await client.query('rollback to checking');
      }
    }
  } catch (error) {
    // A page with a wrong checksum ends the statement.
    found.push((error as Error).message);
  } finally {
    await client.query('rollback').catch(() => undefined);
  }
  return found;
}
