import { sql } from 'kysely';
import { expect, inject, test } from 'vitest';
import { DatabaseHealth } from '../../src/db/health.ts';
import { listen } from '../../src/db/listener.ts';
import { type Database, type DatabaseOptions, inTransaction, isTransient, openDatabase } from '../../src/db/pools.ts';
import { createLogger } from '../../src/platform/log.ts';
import { createTestDatabase, forFile, type SilentProxy, sleep, startSilentProxy } from '../harness/index.ts';

// Real waits, so the tests run at the same time, each with a proxy of its own.

const log = createLogger('silent');

const database = await forFile(createTestDatabase(), (opened) => opened.drop());
await database.query('create table written (n int primary key)');

interface Fixture {
  readonly proxy: SilentProxy;
  readonly address: { readonly connectionString: string };
  readonly health: DatabaseHealth;
  open(options?: Partial<DatabaseOptions>, pooled?: boolean): Database<object>;
}

async function withFault(work: (fixture: Fixture) => Promise<void>): Promise<void> {
  const proxy = await startSilentProxy(inject('socketDir'));
  const address = { connectionString: proxy.url(new URL(database.url).pathname.slice(1)) };
  const health = new DatabaseHealth({ connection: address, log });
  const opened: Database<object>[] = [];
  try {
    await work({
      proxy,
      address,
      health,
      open(options = {}, pooled = false) {
        const usual = { max: 3, name: 'test', use: 'request', health, onError: () => undefined } as const;
        const db = openDatabase<object>({ ...address, pooled }, { ...usual, ...options });
        opened.push(db);
        return db;
      },
    });
  } finally {
    health.close();
    await proxy.close();
    for (const db of opened) await db.close();
  }
}

/** Expects that the work does not wait for the silent connection, and fails with an error after which it may be repeated. */
async function expectFailure(work: () => Promise<unknown>): Promise<void> {
  const fault = await work().then(
    () => undefined,
    (error: unknown) => error,
  );
  expect(isTransient(fault), String(fault)).toBe(true);
}

const select = (db: Database<object>) => db.pool.query('select 1');

const WORK: Record<string, (db: Database<object>) => Promise<unknown>> = {
  'a statement': select,
  'a statement of Kysely': (db) => sql`select 1`.execute(db.kysely),
  'a transaction': (db) => inTransaction(db.pool, (client) => client.query('select 1')),
  'a transaction of Kysely': (db) => db.kysely.transaction().execute((tx) => sql`select 1`.execute(tx)),
};

for (const pooled of [false, true]) {
  for (const [name, work] of Object.entries(WORK)) {
    test.concurrent(`${name}${pooled ? ' through a pooler' : ''} on a silent connection fails, and the next one works`, ({
      expect,
    }) =>
      withFault(async ({ proxy, health, open }) => {
        const db = open({}, pooled);
        await work(db);
        proxy.silenceEstablished();
        await expectFailure(() => work(db));
        await expect.poll(() => health.isResponding).toBe(true);
        await work(db);
      }));
  }
}

test.concurrent('statements that start at any moment of a fault fail, even if it ends before they do', () =>
  withFault(async ({ proxy, open }) => {
    const starts = [0, 200, 400, 600, 800, 1_000];
    const db = open({ max: starts.length });
    await Promise.all(starts.map(() => db.pool.query('select pg_sleep(0.2)')));
    proxy.silenceEstablished();
    const times = starts.map(async (startMs) => {
      await sleep(startMs);
      return expectFailure(() => select(db));
    });
    await Promise.all(times);
  }));

test.concurrent('a transaction that falls silent after a statement fails, and holds no locks for long', ({ expect }) =>
  withFault(async ({ proxy, open }) => {
    const db = open();
    await inTransaction(db.pool, async (client) => {
      await client.query('insert into written values (1)');
      proxy.silenceEstablished();
      await expectFailure(() => client.query('select 1'));
      throw new Error('lost');
    }).catch(() => undefined);
    // Waits for the lock of the lost transaction, which its server connection still holds.
    await database.query('insert into written values (1) on conflict do nothing');
    expect(await database.query('select n from written')).toEqual([{ n: 1 }]);
  }));

test.concurrent('while nothing responds, statements fail; afterwards they work again', ({ expect }) =>
  withFault(async ({ proxy, health, open }) => {
    const db = open();
    await select(db);
    proxy.silenceAll();
    await expectFailure(() => select(db));
    expect(health.isResponding).toBe(false);
    for (let i = 0; i < 20; i++) await expectFailure(() => select(db));
    expect(health.failingMs()).toBeGreaterThan(0);
    proxy.restore();
    await expect.poll(() => health.isResponding).toBe(true);
    await select(db);
    expect(health.failingMs()).toBe(0);
  }));

test.concurrent('idle connections from before a fault are replaced, and no statement has to find out', ({ expect }) =>
  withFault(async ({ proxy, health, open }) => {
    const [noticing, other] = [open({ max: 1 }), open({ max: 3, use: 'background' })];
    await Promise.all([select(other), select(other), select(other)]);
    await select(noticing);
    proxy.silenceEstablished();
    await expectFailure(() => select(noticing));
    await expect.poll(() => health.isResponding).toBe(true);
    await Promise.all([select(other), select(other), select(other)]);
  }));

test.concurrent('connections that were being opened during a fault do not outlast it', ({ expect }) =>
  withFault(async ({ proxy, health, open }) => {
    const db = open({ max: 1, use: 'background' });
    proxy.silenceAll();
    const fault = select(db).catch((error: Error) => error.message);
    await expect.poll(() => health.isResponding).toBe(false);
    proxy.restore();
    // Not by its own limit of five seconds for connecting, and not by that for its settings after it.
    expect(await fault).toBe('the database did not respond in time');
    await select(db);
  }));

test.concurrent('a slow statement is ended by the server, and its connection stays', ({ expect }) =>
  withFault(async ({ health, open }) => {
    const db = open({ max: 1 });
    const pid = async () => (await db.pool.query('select pg_backend_pid() as pid')).rows[0].pid;
    const before = await pid();
    const client = await db.pool.connect();
    const fault = await client.query('select pg_sleep(10)').catch((error: { code?: string }) => error.code);
    client.release();
    expect(fault).toBe('57014');
    expect(await pid()).toBe(before);
    expect(health.isResponding).toBe(true);
  }));

test.concurrent('a silent connection for notifications is replaced, and reports the gap', ({ expect }) =>
  withFault(async ({ proxy, address }) => {
    const received: string[] = [];
    let gaps = 0;
    const listener = listen({
      connection: address,
      channel: 'silence',
      onNotification: (payload) => received.push(payload),
      onGap: () => {
        gaps += 1;
      },
    });
    await expect.poll(() => listener.connected).toBe(true);
    const before = gaps;
    proxy.silenceEstablished();
    await expect.poll(() => gaps).toBeGreaterThan(before + 1);
    await database.query(`notify silence, 'again'`);
    await expect.poll(() => received).toEqual(['again']);
    await listener.close();
  }));
