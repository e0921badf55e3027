import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Hints } from '../../src/db/hints.ts';
import { type Database, inTransaction, openDatabase } from '../../src/db/pools.ts';
import { eventually } from '../acceptance/support/actions.ts';
import { createTestDatabase, forFile } from '../harness/index.ts';

const CHANNEL = 'a_channel';
/** Longer than the pause between two notifications. */
const PAUSE_MS = 700;

const heard: string[] = [];
const database = await forFile(createTestDatabase(), (opened) => opened.drop());
const listener = await forFile(Promise.resolve(new pg.Client({ connectionString: database.url })), (opened) =>
  opened.end(),
);
listener.on('notification', ({ payload = '' }) => heard.push(payload));
await listener.connect();
await listener.query(`listen ${CHANNEL}`);

const HINT = 'select hint($1, $2)';
const timesHeard = (payload: string) => heard.filter((one) => one === payload).length;
const untilHeard = (payload: string) => eventually(async () => timesHeard(payload), Boolean);

function open(settings: { pooled?: boolean; hints?: Hints } = {}): Database<object> {
  const { pooled = false, ...more } = settings;
  const options = { max: 4, name: 'test', onError: () => undefined, ...more };
  return openDatabase({ connectionString: database.url, pooled }, options);
}

describe.each([false, true])('hints of connections (through a pooler: %s)', (pooled) => {
  let db: Database<object>;
  beforeAll(() => {
    db = open({ pooled });
  });
  afterAll(() => db.close());

  test('a statement on its own is passed on once, with spaces in its payload', async () => {
    await db.pool.query(HINT, [CHANNEL, `one ${pooled}`]);
    await untilHeard(`one ${pooled}`);
    await db.pool.query(HINT, [CHANNEL, `two ${pooled}`]);
    await untilHeard(`two ${pooled}`);
    expect(timesHeard(`one ${pooled}`)).toBe(1);
  });

  test('a transaction is passed on when it has ended, not before', async () => {
    await inTransaction(db.pool, async (client) => {
      await client.query(HINT, [CHANNEL, `transaction ${pooled}`]);
      await sleep(PAUSE_MS);
      expect(timesHeard(`transaction ${pooled}`)).toBe(0);
    });
    await untilHeard(`transaction ${pooled}`);
  });

  test('many hints are passed on together, and the last of them is not lost', async () => {
    const sent = 200;
    for (let n = 0; n < sent; n += 4)
      await Promise.all([1, 2, 3, 4].map(() => db.pool.query(HINT, [CHANNEL, `many ${pooled}`])));
    await db.pool.query(HINT, [CHANNEL, `last ${pooled}`]);
    await untilHeard(`last ${pooled}`);
    expect(timesHeard(`many ${pooled}`)).toBeGreaterThan(0);
    expect(timesHeard(`many ${pooled}`)).toBeLessThan(sent / 2);
  });

  test('a hint of a connection that breaks is passed on, because its transaction may have been committed', async () => {
    const broken = inTransaction(db.pool, async (client) => {
      await client.query(HINT, [CHANNEL, `broken ${pooled}`]);
      const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid');
      await db.pool.query('select pg_terminate_backend($1)', [rows[0]?.pid]);
      await client.query('select 1');
    });
    await expect(broken).rejects.toThrow();
    await untilHeard(`broken ${pooled}`);
  });
});

test('a process that ends passes on what waits', async () => {
  const db = open();
  await db.pool.query(HINT, [CHANNEL, 'first']);
  await untilHeard('first');
  await db.pool.query(HINT, [CHANNEL, 'waiting']);
  await db.close();
  await untilHeard('waiting');
});

test('the own process hears each hint of a channel at once, also while others wait to be sent', async () => {
  const hints = new Hints();
  const db = open({ hints });
  let count = 0;
  hints.on(CHANNEL, () => {
    count += 1;
  });
  for (const payload of ['own 1', 'own 2', 'own 3']) await db.pool.query(HINT, [CHANNEL, payload]);
  await db.pool.query(HINT, [`${CHANNEL}_2`, 'another']);
  expect(count).toBe(3);
  await db.close();
  await hints.close();
});

test('hints that could not be sent are sent later, and pools can share them', async () => {
  const warnings: string[] = [];
  const hints = new Hints({ warn: (_fields: unknown, text?: string) => void warnings.push(text ?? '') });
  const [one, other] = [open({ hints }), open({ hints })];
  const broken = openDatabase(
    { connectionString: 'postgres://127.0.0.1:1/none' },
    { max: 1, name: 'test', hints, onError: () => undefined },
  );
  hints.sendWith(broken.pool);
  await Promise.all([one.pool.query(HINT, [CHANNEL, 'shared 1']), other.pool.query(HINT, [CHANNEL, 'shared 2'])]);
  await expect.poll(() => warnings.length).toBeGreaterThan(0);
  await sleep(2 * PAUSE_MS);
  expect(warnings).toHaveLength(1);
  expect([timesHeard('shared 1'), timesHeard('shared 2')]).toEqual([0, 0]);
  hints.sendWith(one.pool);
  await Promise.all([untilHeard('shared 1'), untilHeard('shared 2')]);
  await hints.close();
  await Promise.all([one.close(), other.close(), broken.close()]);
});

/** Their transactions handle requests or process events. */
const BUSY_TABLES = [
  'intros',
  'touchpoint_events',
  'message_queue',
  'messages',
  'recordings',
  'webhook_messages',
  'webhook_deliveries',
];

test('no trigger on a busy table notifies', async () => {
  const { rows } = await listener.query<{ name: string; source: string }>(
    `select t.tgname as name, p.prosrc as source from pg_trigger t join pg_proc p on p.oid = t.tgfoid
     where not t.tgisinternal and t.tgrelid = any(select to_regclass(name) from unnest($1::text[]) as name)`,
    [BUSY_TABLES],
  );
  expect(rows.map(({ name }) => name)).toContain('intros_inserted');
  expect(rows.filter(({ source }) => source.includes('pg_notify'))).toEqual([]);
});
