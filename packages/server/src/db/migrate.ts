import { createHash } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type pg from 'pg';
import { monotonicMs } from '../platform/clock.ts';
import { version } from '../platform/process.ts';
import type { Connection, WatchedClient } from './client.ts';
import { CHECK_LIMIT_MS, canTransact, checkRequirements, connectAlone, permanent, temporary } from './requirements.ts';

const DIRECTORY = path.join(import.meta.dirname, '../../migrations');
// An arbitrary number that no other program on the same database uses.
const LOCK = 7_305_119_241n;
/** Longer than a migration takes; a lock that is held longer belongs to a process that is stuck. */
const LOCK_LIMIT_MS = 120_000;
const LOCK_POLL_MS = 200;
/** When a start that waits says so, and then again. */
const LOCK_REPORT_MS = 10_000;
/**
 * How long a migration waits for a table, and requests of other nodes behind it. Less than PostgreSQL's deadlock_timeout of 1 s:
 * if the migration and a request wait for each other, the migration is the one that stops and tries again.
 */
const TABLE_LOCK_LIMIT_MS = 400;
const UNDEFINED_TABLE = '42P01';
const LOCK_NOT_AVAILABLE = '55P03';
const DEADLOCK_DETECTED = '40P01';

/** There were many migrations before 0.2.0. A database on which the last of them ran has the schema of the first one of today. */
const OLD_FIRST = '0001_foundation.sql';
const OLD_LAST = '0063_names.sql';
/** Takes such a database as it is. The row of the first migration follows in the same transaction. */
const ADOPT = 'delete from migrations; alter table migrations add column version text not null';

interface Migration {
  name: string;
  sql: string;
  checksum: string;
}

export function readMigrations(): Migration[] {
  return fs
    .readdirSync(DIRECTORY)
    .filter((name) => /^\d{4}_[a-z0-9_]+\.sql$/.test(name))
    .sort()
    .map((name) => {
      const sql = fs.readFileSync(path.join(DIRECTORY, name), 'utf8');
      return { name, sql, checksum: createHash('sha256').update(sql).digest('hex') };
    });
}

const CREATE_TABLE =
  'create table if not exists migrations (name text primary key, checksum text not null, version text not null)';

class MigrationError extends Error {}

interface MigrateOptions {
  /** Called with a line that says who holds the lock, while waiting for it. */
  readonly onWait?: (line: string) => void;
  readonly lockLimitMs?: number;
}

/**
 * Applies new migrations, one node at a time. Each runs in one transaction with the row that records it. The lock belongs to
 * that transaction: a lock of the session would remain on a pooler's connection when this process dies.
 */
export async function migrate(connection: Connection, options: MigrateOptions = {}): Promise<void> {
  const client = await connectAlone(connection, 'foreword migrate', CHECK_LIMIT_MS);
  try {
    await checkRequirements(client, connection);
    // Most starts find nothing to do, and need no lock for that.
    while ((await findNext(client)) !== undefined) await applyNext(client, options);
  } finally {
    await client.end();
  }
}

/**
 * Whether a command can use the database through this pool as it is. Throws if it never can. False: `migrate` has to check more,
 * or to apply migrations. Most commands need only one connection this way.
 */
export async function isReadyForCommands(pool: pg.Pool, connection: Connection): Promise<boolean> {
  const client = await pool.connect();
  try {
    return (await canTransact(client, connection)) && (await findNext(client)) === undefined;
  } finally {
    client.release();
  }
}

/** Whether every migration was applied. Throws if this version cannot use the database. */
export const isUpToDate = async (pool: pg.Pool): Promise<boolean> => (await findNext(pool)) === undefined;

/** The first migration that was not applied yet. Throws if this version cannot use the database. */
async function findNext(client: pg.ClientBase | pg.Pool): Promise<Migration | undefined> {
  const applied = await readApplied(client);
  const migrations = readMigrations();
  const [first] = migrations;
  if (first !== undefined && applied.has(OLD_LAST)) return { ...first, sql: ADOPT };
  if (applied.has(OLD_FIRST)) {
    throw permanent('it is from before 0.2.0; apply the old migrations once, as docs/upgrading.md describes');
  }
  for (const migration of migrations) {
    const known = applied.get(migration.name);
    applied.delete(migration.name);
    if (known === undefined) return migration;
    if (known.checksum !== migration.checksum) {
      throw new MigrationError(`${migration.name} was changed after it was applied; restore it and add a new one`);
    }
  }
  const newest = [...applied.values()].at(-1);
  if (newest === undefined) return undefined;
  throw permanent(`it needs Foreword ${newest.version} or newer, which applied ${newest.name}; this is ${version()}`);
}

interface Applied {
  readonly name: string;
  readonly checksum: string;
  /** The version of Foreword that applied it. */
  readonly version: string;
}

/** By name, in order. */
async function readApplied(client: pg.ClientBase | pg.Pool): Promise<Map<string, Applied>> {
  try {
    const { rows } = await client.query<Applied>('select * from migrations order by name');
    return new Map(rows.map((row) => [row.name, row]));
  } catch (error) {
    if ((error as { code?: string }).code === UNDEFINED_TABLE) return new Map();
    throw error;
  }
}

async function applyNext(client: WatchedClient, options: MigrateOptions): Promise<void> {
  await retry(client, options, TABLE_LOCKS, async () => {
    await beginWithLock(client, options);
    try {
      await client.query(`set local lock_timeout = ${TABLE_LOCK_LIMIT_MS}`);
      await client.query(CREATE_TABLE);
      // Another node may have applied it in the meantime.
      const next = await findNext(client);
      if (next !== undefined) {
        // It may have much to do.
        client.expectWithin(0);
        await client.query(next.sql);
        await client.query('insert into migrations (name, checksum, version) values ($1, $2, $3)', [
          next.name,
          next.checksum,
          version(),
        ]);
      }
      await client.query('commit');
      return true;
    } catch (error) {
      await client.query('rollback').catch(() => undefined);
      if ([LOCK_NOT_AVAILABLE, DEADLOCK_DETECTED].includes((error as { code?: string }).code ?? '')) return false;
      throw error;
    }
  });
}

/** Begins a transaction that holds the lock. */
async function beginWithLock(client: pg.Client, options: MigrateOptions): Promise<void> {
  await retry(client, options, MIGRATION_LOCK, async () => {
    await client.query('begin');
    const { rows } = await client.query<{ locked: boolean }>('select pg_try_advisory_xact_lock($1) as locked', [LOCK]);
    if (rows[0]?.locked === true) return true;
    await client.query('rollback');
    return false;
  });
}

/** A lock that a migration needs, and how to describe the process that has it. */
interface Wait {
  /** `onWait` is called once the wait is this long. */
  readonly reportAfterMs: number;
  readonly waiting: string;
  readonly failed: string;
  /** Selects the process that has it, or probably has it, for the parameters. */
  readonly holder: string;
  readonly parameters: readonly unknown[];
}

const MIGRATION_LOCK: Wait = {
  reportAfterMs: 0,
  waiting: 'waiting for the migration lock, held by',
  failed: 'its migration lock was not released within {limit}: it is held by',
  // A lock with a 64-bit key has its halves in `classid` and `objid`, and `objsubid` 1.
  holder: `
select l.pid, a.application_name as application, host(a.client_addr) as address, a.state, a.state_change as since
from pg_locks l left join pg_stat_activity a on a.pid = l.pid
where l.locktype = 'advisory' and l.granted and l.objsubid = 1
  and l.database = (select oid from pg_database where datname = current_database())
  and l.classid::bigint = $1::bigint >> 32 and l.objid::bigint = $1::bigint & 4294967295`,
  parameters: [LOCK],
};

const TABLE_LOCKS: Wait = {
  reportAfterMs: LOCK_REPORT_MS,
  waiting: 'waiting for tables that a migration changes; the oldest transaction is of',
  failed: 'a migration could not lock its tables within {limit}: the oldest transaction is of',
  holder: `
select pid, application_name as application, host(client_addr) as address, state, xact_start as since
from pg_stat_activity
where datname = current_database() and pid <> pg_backend_pid() and xact_start is not null
order by xact_start limit 1`,
  parameters: [],
};

/** Repeats an attempt until it returns true. */
async function retry(
  client: pg.Client,
  { onWait, lockLimitMs = LOCK_LIMIT_MS }: MigrateOptions,
  wait: Wait,
  attempt: () => Promise<boolean>,
): Promise<void> {
  const startedMs = monotonicMs();
  let reportMs = startedMs + wait.reportAfterMs;
  while (!(await attempt())) {
    const nowMs = monotonicMs();
    if (nowMs - startedMs >= lockLimitMs) {
      const { who, pid } = await readHolder(client, wait);
      throw temporary(
        `${wait.failed.replace('{limit}', `${lockLimitMs / 1_000} s`)} ${who}. If that process is stuck, end it with "select pg_terminate_backend(${pid})" and start again`,
      );
    }
    if (nowMs >= reportMs) {
      onWait?.(`${wait.waiting} ${(await readHolder(client, wait)).who}`);
      reportMs = nowMs + LOCK_REPORT_MS;
    }
    await pause(LOCK_POLL_MS);
  }
}

interface Holder {
  readonly pid: number;
  readonly application: string | null;
  readonly address: string | null;
  readonly state: string | null;
  readonly since: Date | null;
}

async function readHolder(client: pg.Client, wait: Wait): Promise<{ who: string; pid: number | string }> {
  const { rows } = await client.query<Holder>(wait.holder, [...wait.parameters]);
  const [holder] = rows;
  if (holder === undefined) return { who: 'a process that just released it', pid: 'pid' };
  const details = [
    holder.application,
    holder.address === null ? null : `from ${holder.address}`,
    // Hidden from a role that may not see the activity of another one.
    holder.state === null ? null : `${holder.state} since ${holder.since?.toISOString()}`,
  ].filter((detail) => detail !== null && detail !== '');
  return { who: `PostgreSQL process ${holder.pid} (${details.join(', ')})`, pid: holder.pid };
}

/** True when every migration of this version was applied, also while a newer version takes over. */
export async function isMigrated(pool: pg.Pool): Promise<boolean> {
  const wanted = readMigrations().map(({ name }) => name);
  const { rows } = await pool.query<{ n: number }>('select count(*)::int as n from migrations where name = any($1)', [
    wanted,
  ]);
  return rows[0]?.n === wanted.length;
}
