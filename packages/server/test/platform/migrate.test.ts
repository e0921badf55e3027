import pg from 'pg';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { migrate, readMigrations } from '../../src/platform/migrate.ts';

const NAME = 'migrate_test';
const connection = () => ({ host: inject('socketDir'), user: 'foreword', database: NAME });

async function query(database: string, text: string) {
  const client = new pg.Client({ ...connection(), database });
  await client.connect();
  try {
    return (await client.query(text)).rows;
  } finally {
    await client.end();
  }
}

test('every migration has a number of its own', () => {
  const numbers = readMigrations().map(({ name }) => name.slice(0, 4));
  expect(new Set(numbers).size).toBe(numbers.length);
});

describe('migrate', () => {
  beforeAll(() => query('postgres', `create database ${NAME}`));
  afterAll(() => query('postgres', `drop database ${NAME} with (force)`));

  test('applies each migration once when several nodes start on an empty database at the same time', async () => {
    await Promise.all(Array.from({ length: 6 }, () => migrate(connection())));
    const done = await query(NAME, 'select name from migrations order by name');
    expect(done.map(({ name }) => name)).toEqual(readMigrations().map(({ name }) => name));
  });

  test('rejects a migration that was changed after it was applied, and names it', async () => {
    const [first] = readMigrations();
    await query(NAME, `update migrations set checksum = 'other' where name = '${first?.name}'`);
    await expect(migrate(connection())).rejects.toThrow(`${first?.name} was changed`);
    await query(NAME, `update migrations set checksum = '${first?.checksum}' where name = '${first?.name}'`);
    await expect(migrate(connection())).resolves.toBeUndefined();
  });

  describe('while another process holds the lock', () => {
    let holder: pg.Client;

    beforeAll(async () => {
      holder = new pg.Client({ ...connection(), application_name: 'stuck start' });
      await holder.connect();
      await holder.query('select pg_advisory_lock(7305119241)');
    });
    afterAll(() => holder.end());

    test('a start with nothing to apply does not wait', async () => {
      await expect(migrate(connection(), { lockLimitMs: 0 })).resolves.toBeUndefined();
    });

    test('a start with something to apply says who holds it, gives up after the limit, and applies nothing', async () => {
      const last = readMigrations().at(-1);
      const [row] = await query(NAME, `delete from migrations where name = '${last?.name}' returning checksum`);
      const lines: string[] = [];
      const started = migrate(connection(), { lockLimitMs: 500, onWait: (line) => lines.push(line) });
      const { rows } = await holder.query<{ pid: number }>('select pg_backend_pid() as pid');
      const pid = rows[0]?.pid;
      await expect(started).rejects.toThrow(
        new RegExp(
          `migration lock was not released within 0.5 s: it is held by PostgreSQL process ${pid} \\(stuck start, idle since 20.*Z\\).*pg_terminate_backend\\(${pid}\\)`,
        ),
      );
      expect(lines).toEqual([
        expect.stringMatching(`^waiting for the migration lock, held by PostgreSQL process ${pid} `),
      ]);
      expect(await query(NAME, `select from migrations where name = '${last?.name}'`)).toEqual([]);
      await query(NAME, `insert into migrations values ('${last?.name}', '${row?.checksum}')`);
    });
  });

  describe('while another transaction uses the tables', () => {
    let holder: pg.Client;

    beforeAll(async () => {
      holder = new pg.Client({ ...connection(), application_name: 'long report' });
      await holder.connect();
      const tables = await query(
        NAME,
        `select quote_ident(tablename) as name from pg_tables where schemaname = 'public'`,
      );
      await holder.query('begin');
      await holder.query(`lock table ${tables.map(({ name }) => name).join(', ')} in access share mode`);
    });
    afterAll(() => holder.end());

    test('a migration gives up after the limit, says which transaction is the oldest, and lets requests pass meanwhile', async () => {
      // One that needs a table in use; creating a table needs none.
      const last = readMigrations().findLast(({ sql }) => sql.includes('alter table members'));
      const [row] = await query(NAME, `delete from migrations where name = '${last?.name}' returning checksum`);
      const outcome = migrate(connection(), { lockLimitMs: 1500 }).then(
        () => 'applied',
        (error: Error) => error.message,
      );
      // Far longer than one attempt: the request passes between two of them.
      const startedMs = performance.now();
      while (performance.now() - startedMs < 1200) {
        const askedMs = performance.now();
        await query(NAME, 'select count(*) from members');
        expect(performance.now() - askedMs).toBeLessThan(1200);
      }
      expect(await outcome).toMatch(
        /could not lock its tables within 1.5 s: the oldest transaction is of PostgreSQL process \d+ \(long report, idle in transaction since 20.*Z\)/,
      );
      await query(NAME, `insert into migrations values ('${last?.name}', '${row?.checksum}')`);
    });
  });
});
