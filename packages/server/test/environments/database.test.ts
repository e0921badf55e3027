import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openDatabase, openReadReplica } from '../../src/db/pools.ts';
import { createLogger } from '../../src/platform/log.ts';
import {
  forFile,
  freePort,
  runForeword,
  runSql,
  startDebianPostgres,
  startService,
  tryForeword,
} from '../harness/index.ts';
import { failToStart } from './failing-start.ts';
import { createTestAuthority, type TestAuthority } from './test-authority.ts';

// Databases that cannot be used as they are, on Debian's PostgreSQL 15: each gets one line that says what to do.

const BIN = '/usr/lib/postgresql/15/bin';
const PASSWORD = 'a#b/c?d@e%f:g h';

function newAuthority(name: string): TestAuthority {
  fs.mkdirSync(path.join(folder, name));
  return createTestAuthority(path.join(folder, name), 'localhost');
}

const url = (database: string, { user = 'foreword', host = '127.0.0.1', query = '' } = {}) =>
  `postgres://${user}@${host}:${port}/${database}${query}`;

/** As the administrator. */
const run = (database: string, ...statements: string[]) => runSql(url(database), ...statements);

const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'foreword-pg15-'));
const authority = newAuthority('own');
const otherAuthority = newAuthority('other');
const port = await freePort();
const server = await forFile(
  startDebianPostgres({
    folder: path.join(folder, 'primary'),
    port,
    settings: { fsync: 'off', ssl_cert_file: 'server.pem', ssl_key_file: 'server.key' },
    prepare(data, { uid, gid }) {
      for (const [name, source] of Object.entries({
        'server.pem': authority.certificate,
        'server.key': authority.key,
      })) {
        const file = path.join(data, name);
        fs.copyFileSync(source, file);
        fs.chmodSync(file, 0o600);
        if (uid !== undefined && gid !== undefined) fs.chownSync(file, uid, gid);
      }
      const rules = path.join(data, 'pg_hba.conf');
      fs.writeFileSync(rules, `host all secret 127.0.0.1/32 scram-sha-256\n${fs.readFileSync(rules, 'utf8')}`);
    },
  }),
  (opened) => opened.stop(),
);

afterAll(async () => {
  fs.rmSync(folder, { recursive: true, force: true });
});

const where = 'cannot use the database at DATABASE_URL:';

describe('TLS with a certificate for localhost', () => {
  const local = (query: string) => url('postgres', { host: 'localhost', query });

  beforeAll(() => run('postgres', 'alter system set ssl = on', 'select pg_reload_conf()', 'create database encrypted'));

  test.each([
    ['sslrootcert', () => ({ DATABASE_URL: local(`?sslmode=verify-full&sslrootcert=${authority.root}`) })],
    ['NODE_EXTRA_CA_CERTS', () => ({ DATABASE_URL: local('?sslmode=require'), NODE_EXTRA_CA_CERTS: authority.root })],
  ])('an authority given by %s is accepted, without a warning', async (_name, read) => {
    const { stdout, stderr } = await runForeword({ ...read(), DATA_DIR: '/nowhere' }, 'doctor', '--json');
    expect(stderr).toBe('');
    expect(JSON.parse(stdout).checks).toContainEqual(
      expect.objectContaining({ name: 'database', status: 'ok', message: expect.stringContaining('PostgreSQL 15') }),
    );
  });

  test('the service runs with it, and every connection is encrypted', async () => {
    const encrypted = url('encrypted', {
      host: 'localhost',
      query: `?sslmode=verify-full&sslrootcert=${authority.root}`,
    });
    const service = await startService({ DATABASE_URL: encrypted, FOREWORD_DEMO: 'off' });
    const rows = await run(
      'postgres',
      `select ssl, count(*)::int > 2 as several from pg_stat_ssl join pg_stat_activity using (pid) where datname = 'encrypted' group by ssl`,
    );
    await service.stop();
    expect(rows).toEqual([{ ssl: true, several: true }]);
  });

  test.each([
    ['the wrong authority', () => local(`?sslmode=verify-full&sslrootcert=${otherAuthority.root}`)],
    ['no authority', () => local('?sslmode=verify-full')],
  ])('%s: the line says how to give the right one', async (_name, read) => {
    const { code, line } = await failToStart({ DATABASE_URL: read() });
    expect(code).toBe(1);
    expect(line).toMatch(new RegExp(`^${where} .*its certificate is from an unknown authority; .*sslrootcert=`));
  });

  test('another host name: the line names it', async () => {
    const query = `?sslmode=verify-full&sslrootcert=${authority.root}`;
    const { code, line } = await failToStart({ DATABASE_URL: url('postgres', { query }) });
    expect(code).toBe(1);
    expect(line).toMatch(
      new RegExp(`^${where} .*127\\.0\\.0\\.1.*use a host name that the server's certificate contains`),
    );
  });

  test('a server without TLS: the line says so', async () => {
    await run('postgres', 'alter system set ssl = off', 'select pg_reload_conf()');
    const { code, line } = await failToStart({
      DATABASE_URL: local(`?sslmode=verify-full&sslrootcert=${authority.root}`),
    });
    expect(code).toBe(1);
    expect(line).toMatch(new RegExp(`^${where} .*does not support SSL connections \\(turn TLS on there`));
  });
});

describe('a password with special characters', () => {
  const withPassword = (password: string) => url('passwords', { user: `secret:${password}` });

  beforeAll(async () => {
    await run('postgres', `create role secret login password '${PASSWORD}'`, 'create database passwords owner secret');
  });

  test('works percent-encoded', async () => {
    const { code, stderr } = await runForeword(
      { DATABASE_URL: withPassword(encodeURIComponent(PASSWORD)) },
      'org',
      'list',
    );
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  });

  test('that PostgreSQL rejects is not shown', async () => {
    const { code, line } = await failToStart({ DATABASE_URL: withPassword('a%41b') });
    expect(code).toBe(1);
    expect(line).toMatch(
      new RegExp(`^${where} password authentication failed for user "secret" \\(special characters`),
    );
    expect(line).not.toMatch(/a%41b|aAb/);
  });
});

interface Case {
  readonly name: string;
  readonly prepare: readonly string[];
  readonly url: () => string;
  readonly code: number;
  readonly line: RegExp;
}

const CASES: readonly Case[] = [
  {
    name: 'a database that is read-only',
    prepare: ['create database read_only', 'alter database read_only set default_transaction_read_only = on'],
    url: () => url('read_only'),
    code: 1,
    line: /it is read-only \(default_transaction_read_only\); allow writing/,
  },
  {
    name: 'a role without CREATE',
    prepare: ['create role guest login', 'create database guarded'],
    url: () => url('guarded', { user: 'guest' }),
    code: 1,
    line: /permission denied for schema public \(the role must own the database, or have CREATE/,
  },
  {
    name: 'another encoding',
    prepare: [`create database latin encoding 'LATIN1' template template0`],
    url: () => url('latin'),
    code: 78,
    line: /its encoding is LATIN1; create a database with "encoding 'UTF8' template template0"/,
  },
  {
    name: 'a role that may not connect again',
    prepare: ['create role crowded login connection limit 0', 'create database busy owner crowded'],
    url: () => url('busy', { user: 'crowded' }),
    code: 1,
    line: /too many connections for role "crowded" \(it accepts no more connections; raise max_connections/,
  },
  {
    name: 'a database that does not exist',
    prepare: [],
    url: () => url('missing'),
    code: 1,
    line: /database "missing" does not exist/,
  },
];

test.each(CASES)(
  '$name: one line, exit code $code, and the doctor agrees',
  async ({ prepare, url: read, code, line }) => {
    await run('postgres', ...prepare);
    const failed = await failToStart({ DATABASE_URL: read() });
    expect(failed).toEqual({ code, line: expect.stringMatching(new RegExp(`^${where} ${line.source}`)) });
    const doctor = await tryForeword({ DATABASE_URL: read(), DATA_DIR: '/nowhere' }, 'doctor', '--json');
    const reported = JSON.parse(doctor.stdout).checks.find((check: { name: string }) => check.name === 'database');
    // The doctor changes nothing, so it cannot know what the role may create.
    if (failed.line.includes('permission denied')) expect(reported.status).toBe('ok');
    else expect(reported).toMatchObject({ status: 'problem', message: expect.stringMatching(line) });
  },
);

test('PostgreSQL 14: one line', async () => {
  await run('postgres', 'create database old');
  // A function that hides the built-in one is the closest to a server that Debian no longer has.
  await run(
    'old',
    `create function public.current_setting(name text) returns text language sql as
       $$ select case name when 'server_version_num' then '140012' when 'server_version' then '14.12'
          else pg_catalog.current_setting(name) end $$`,
    'alter database old set search_path = public, pg_catalog',
  );
  const { code, line } = await failToStart({ DATABASE_URL: url('old') });
  expect(code).toBe(78);
  expect(line).toBe(`${where} PostgreSQL 14.12 is too old; use PostgreSQL 15 or newer`);
});

/** A standby of the server, which follows it. */
async function startStandby() {
  const standby = fs.mkdtempSync(path.join(folder, 'standby-'));
  const identity = fs.statSync(server.socketDir);
  fs.chownSync(standby, identity.uid, identity.gid);
  const as = process.getuid?.() === 0 ? { uid: identity.uid, gid: identity.gid } : {};
  const flags = ['-d', url('postgres'), '-D', path.join(standby, 'data'), '-R', '--checkpoint=fast', '--no-sync'];
  execFileSync(`${BIN}/pg_basebackup`, flags, { cwd: standby, stdio: 'pipe', ...as });
  const { socketDir, stop } = await startDebianPostgres({ folder: standby });
  return { url: `postgres:///postgres?host=${encodeURIComponent(socketDir)}&user=foreword`, stop };
}

describe('a standby', () => {
  let standby: Awaited<ReturnType<typeof startStandby>>;
  beforeAll(async () => {
    standby = await startStandby();
  });
  afterAll(() => standby.stop());

  test('as the database: one line that asks for the primary', async () => {
    const { code, line } = await failToStart({ DATABASE_URL: standby.url });
    expect(code).toBe(1);
    expect(line).toBe(`${where} it is a standby, which is read-only; use the address of the primary server`);
  });

  test('that has lost its primary serves no reports, although it has applied everything that it received', async () => {
    const primary = openDatabase(
      { connectionString: url('postgres') },
      { max: 1, name: 'test', onError: () => undefined },
    );
    const connection = { connectionString: standby.url };
    const { db, isReplicaFailing } = openReadReplica(connection, { primary, max: 1, log: createLogger('silent') });
    const follow = (conninfo: string) =>
      runSql(
        standby.url,
        `alter system set primary_conninfo = '${conninfo.replaceAll("'", "''")}'`,
        'select pg_reload_conf()',
      );
    const isFromStandby = async () =>
      (await db.pool.query<{ is: boolean }>('select pg_is_in_recovery() as is')).rows[0]?.is;
    try {
      await expect.poll(isFromStandby).toBe(true);
      const [setting] = await runSql<{ primary_conninfo: string }>(standby.url, 'show primary_conninfo');
      await follow('');
      await run('postgres', 'create table newer_than_the_standby ()');
      await expect.poll(isReplicaFailing).toBe(true);
      expect(await isFromStandby()).toBe(false);
      const settings = { DATABASE_URL: url('postgres'), DATABASE_READ_URL: standby.url, DATA_DIR: '/nowhere' };
      const { checks } = JSON.parse((await tryForeword(settings, 'doctor', '--json')).stdout);
      const message = expect.stringMatching(/^The replica at DATABASE_READ_URL is .+ behind\./);
      expect(checks).toContainEqual(expect.objectContaining({ name: 'replica', status: 'problem', message }));
      await follow(setting?.primary_conninfo ?? '');
      await expect.poll(isFromStandby).toBe(true);
    } finally {
      await db.close();
    }
  });
});
