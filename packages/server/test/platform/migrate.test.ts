import pg from 'pg';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { isUpToDate, migrate, readMigrations } from '../../src/db/migrate.ts';
import { RequirementError } from '../../src/db/requirements.ts';
import { hashOfKey } from '../../src/http/idempotency/rules.ts';
import { version } from '../../src/platform/process.ts';
import { databaseUrl, freePort, launchService, runForeword } from '../harness/index.ts';

const NAME = 'migrate_test';
const [first] = readMigrations();
/** The list of a database where all are applied. */
const all = readMigrations().map(({ name, checksum }) => ({ name, checksum, version: version() }));
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

const applied = () => query(NAME, 'select * from migrations order by name');

/** Arrange: a database from before the migrations became one, with their list. */
const listOld = (...names: readonly string[]) =>
  query(
    NAME,
    `drop schema public cascade; create schema public; ${first?.sql};
     create table migrations (name text primary key, checksum text not null);
     insert into migrations (name, checksum) select unnest('{${names.join()}}'::text[]), 'old'`,
  );

async function refusal(): Promise<RequirementError> {
  const error = await migrate(connection()).then(
    () => null,
    (refused: unknown) => refused,
  );
  expect(error).toBeInstanceOf(RequirementError);
  return error as RequirementError;
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
    expect(await applied()).toEqual(all);
  });

  test('rejects a migration that was changed after it was applied, and names it', async () => {
    await query(NAME, `update migrations set checksum = 'other' where name = '${first?.name}'`);
    await expect(migrate(connection())).rejects.toThrow(`${first?.name} was changed`);
    await query(NAME, `update migrations set checksum = '${first?.checksum}' where name = '${first?.name}'`);
    await expect(migrate(connection())).resolves.toBeUndefined();
  });

  test('takes a database as it is if the last old migration ran, hashes its idempotency keys and queues its messages, whichever of several nodes is first', async () => {
    await listOld('0001_foundation.sql', '0062_traces.sql', '0063_names.sql');
    await query(
      NAME,
      `insert into organizations (id, name, industry, timezone, created_at)
       values ('org_kept', 'Acme', 'real_estate', 'UTC', now());
       insert into idempotency_keys (organization_id, environment, key, fingerprint)
       values ('org_kept', 'test', 'acme_crm:deal_314:closing', '');
       insert into messages (organization_id, environment, id, intro_id, audience, due_at, created_at, purpose, channel, status, attempts,
         claimed_at)
       select 'org_kept', 'test', id, 'int_1', 'member', now(), now(), purpose, channel, status, attempts, claimed_at
       from (values ('msg_1', 'ask', 'text', 'accepted', 1, now()), ('msg_2', 'remind', null, 'scheduled', 0, null),
         ('msg_3', 'ask', 'email', 'sending', 2, now()), ('msg_4', 'reply', 'text', 'scheduled', 1, now()))
         as m(id, purpose, channel, status, attempts, claimed_at)`,
    );
    await Promise.all(Array.from({ length: 3 }, () => migrate(connection())));
    expect(await applied()).toEqual(all);
    expect(await query(NAME, 'select id from organizations')).toEqual([{ id: 'org_kept' }]);
    expect(await query(NAME, 'select key_hash from idempotency_keys')).toEqual([
      { key_hash: hashOfKey('acme_crm:deal_314:closing') },
    ]);
    const messages = await query(NAME, 'select id, purpose, channel, status, attempts from all_messages order by id');
    expect(messages.map((row) => Object.values(row as object).join(' '))).toEqual([
      'msg_1 ask text accepted 1',
      'msg_2 remind  scheduled 0',
      'msg_3 ask email sending 2',
      'msg_4 reply text scheduled 1',
    ]);
    expect(await query(NAME, 'select id from messages')).toEqual([{ id: 'msg_1' }]);
  });

  test('refuses an older database with one sentence that names the guide, and leaves it unchanged', async () => {
    await listOld('0001_foundation.sql', '0062_traces.sql');
    const { message, isPermanent } = await refusal();
    expect(message).toBe('it is from before 0.2.0; apply the old migrations once, as docs/upgrading.md describes');
    expect(isPermanent).toBe(true);
    expect(await applied()).toEqual([
      { name: '0001_foundation.sql', checksum: 'old' },
      { name: '0062_traces.sql', checksum: 'old' },
    ]);
    await listOld('0001_foundation.sql', '0063_names.sql');
    await migrate(connection());
  });

  describe('of a newer version', () => {
    const LINE = `it needs Foreword 9.8.7 or newer, which applied 9000_later.sql; this is ${version()}`;
    beforeAll(() =>
      query(NAME, "insert into migrations values ('8000_new.sql', 'x', '9.0.0'), ('9000_later.sql', 'x', '9.8.7')"),
    );
    afterAll(() => query(NAME, "delete from migrations where name >= '8000'"));

    test('is refused, and the line says which version the database needs', async () => {
      const { message, isPermanent } = await refusal();
      expect([message, isPermanent]).toEqual([LINE, true]);
      const pool = new pg.Pool(connection());
      await expect(isUpToDate(pool)).rejects.toThrow(LINE);
      await pool.end();
    });

    test('ends a start and a command with exit code 78 and the same line', async () => {
      const environment = { DATABASE_URL: databaseUrl(inject('socketDir'), NAME) };
      const service = launchService({ ...environment, PORT: String(await freePort()) });
      expect(await service.exited).toBe(78);
      expect(service.output()).toContain(LINE);
      const command = await runForeword(environment, 'org', 'list');
      expect([command.code, command.stdout]).toEqual([78, '']);
      expect(command.stderr).toContain(LINE);
    });
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
      await query(NAME, 'delete from migrations');
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
      expect(await applied()).toEqual([]);
      const values = all.map(({ name, checksum }) => `('${name}', '${checksum}', 'test')`);
      await query(NAME, `insert into migrations values ${values.join()}`);
    });
  });

  describe('while another transaction uses the tables', () => {
    let holder: pg.Client;

    beforeAll(async () => {
      // It alters the list itself, so that it needs a table in use.
      await listOld('0001_foundation.sql', '0063_names.sql');
      holder = new pg.Client({ ...connection(), application_name: 'long report' });
      await holder.connect();
      await holder.query('begin');
      await holder.query('lock table migrations in access share mode');
    });
    afterAll(() => holder.end());

    test('a migration gives up after the limit, says which transaction is the oldest, and lets requests pass meanwhile', async () => {
      let isOver = false;
      const outcome = migrate(connection(), { lockLimitMs: 3000 })
        .then(
          () => 'applied',
          (error: Error) => error.message,
        )
        .finally(() => {
          isOver = true;
        });
      const requests = new pg.Client(connection());
      await requests.connect();
      let passed = 0;
      for (; !isOver; passed++) await requests.query('select count(*) from migrations');
      await requests.end();
      // If the migration kept its place in the queue of the lock, the second request would wait for its end.
      expect(passed).toBeGreaterThan(2);
      expect(await outcome).toMatch(
        /could not lock its tables within 3 s: the oldest transaction is of PostgreSQL process \d+ \(long report, idle in transaction since 20.*Z\)/,
      );
    });
  });
});
