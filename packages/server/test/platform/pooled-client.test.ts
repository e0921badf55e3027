import { sql } from 'kysely';
import pg from 'pg';
import { expect, test } from 'vitest';
import { inTransaction, openDatabase } from '../../src/db/pools.ts';
import { createTestDatabase, forFile } from '../harness/index.ts';

// On one server connection, so that a setting or statement that outlives its transaction would be visible.
const database = await forFile(createTestDatabase(), (opened) => opened.drop());
const options = { max: 1, name: 'test', keyedPlans: true, lazyCommits: true, onError: () => undefined };
const db = await forFile(Promise.resolve(openDatabase({ connectionString: database.url, pooled: true }, options)));

const SETTINGS = `select current_setting('statement_timeout') as timeout, current_setting('enable_seqscan') as scans,
  current_setting('synchronous_commit') as commits, current_setting('max_parallel_workers_per_gather') as workers,
  current_setting('jit') as jit, $1::int as n`;
const APPLIED = { timeout: '30s', scans: 'off', commits: 'off', workers: '0', jit: 'off', n: 1 };

test('a statement, a transaction and Kysely run with the settings of the pool', async () => {
  expect((await db.pool.query(SETTINGS, [1])).rows).toEqual([APPLIED]);
  await inTransaction(db.pool, async (client) => {
    expect((await client.query(SETTINGS, [1])).rows).toEqual([APPLIED]);
  });
  const shown = await db.kysely
    .transaction()
    .execute(async (tx) => (await sql`select current_setting('enable_seqscan') as scans`.execute(tx)).rows);
  expect(shown).toEqual([{ scans: 'off' }]);
  expect((await sql`select current_setting('enable_seqscan') as scans`.execute(db.kysely)).rows).toEqual(shown);
});

test('a statement leaves no setting and no prepared statement on the server connection', async () => {
  const named = { name: 'a statement', text: SETTINGS, values: [1] };
  expect((await db.pool.query(named)).rows).toEqual([APPLIED]);
  const client = await db.pool.connect();
  try {
    // Not through our query method, which would apply the settings.
    const raw = pg.Client.prototype.query.bind(client) as (text: string) => Promise<pg.QueryResult>;
    const left = await raw(
      `select current_setting('enable_seqscan') as scans, (select count(*)::int from pg_prepared_statements) as statements`,
    );
    expect(left.rows).toEqual([{ scans: 'on', statements: 0 }]);
  } finally {
    client.release();
  }
});

test('a statement or transaction that fails reports its own error, writes nothing, and the next one works', async () => {
  await database.query('create table written (n int unique deferrable initially deferred)');
  await expect(db.pool.query('insert into written values (1), (1 / $1::int)', [0])).rejects.toThrow('division by zero');
  await expect(sql`insert into written values (1 / 0)`.execute(db.kysely)).rejects.toThrow('division by zero');
  // Fails only when the transaction ends.
  await expect(db.pool.query('insert into written values (2), ($1)', [2])).rejects.toThrow('unique constraint');
  const failed = inTransaction(db.pool, async (client) => {
    await client.query('insert into written values (3)');
    await client.query('select 1 / 0');
  });
  await expect(failed).rejects.toThrow('division by zero');
  expect(await database.query('select n from written')).toEqual([]);
  expect((await db.pool.query(SETTINGS, [1])).rows).toEqual([APPLIED]);
});
