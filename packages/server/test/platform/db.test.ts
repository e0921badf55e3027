import { expect, test } from 'vitest';
import { inTransaction, isTransient } from '../../src/db/pools.ts';
import { openTestPool } from '../db/fixture.ts';
import { forFile, sleep } from '../harness/index.ts';

const { db } = await forFile(openTestPool());

const TERMINATE = 'select pg_terminate_backend($1)';

test('a connection that breaks during a transaction fails only that transaction', async () => {
  const broken = await inTransaction(db.pool, async (client) => {
    const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid');
    const gone = new Promise((resolve) => client.once('end', resolve));
    await db.pool.query(TERMINATE, [rows[0]?.pid]);
    await gone;
    await client.query('select 1');
  }).catch((fault: unknown) => fault);
  expect(isTransient(broken)).toBe(true);
  expect((await db.pool.query('select 1 as n')).rows).toEqual([{ n: 1 }]);
});

test('a connection that breaks during a statement fails only that statement', async () => {
  const failed = inTransaction(db.pool, async (client) => {
    const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid');
    const query = client.query('select pg_sleep(20)');
    await Promise.all([query, db.pool.query(TERMINATE, [rows[0]?.pid])]);
  }).catch((fault: unknown) => fault);
  expect(isTransient(await failed)).toBe(true);
  expect((await db.pool.query('select 1 as n')).rows).toEqual([{ n: 1 }]);
});

test('a transaction that a suspended server ends as idle may be repeated', async () => {
  const ended = await inTransaction(db.pool, async (client) => {
    const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid');
    const pid = rows[0]?.pid ?? 0;
    await client.query('set local idle_in_transaction_session_timeout = 100');
    process.kill(pid, 'SIGSTOP');
    // The server gets the statement only after its timer, which ran meanwhile.
    const query = client.query('select 1');
    await sleep(300);
    process.kill(pid, 'SIGCONT');
    await query;
  }).catch((fault: unknown) => fault);
  expect(ended).toMatchObject({ code: '25P03' });
  expect(isTransient(ended)).toBe(true);
});
