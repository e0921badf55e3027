import fs from 'node:fs';
import { sql } from 'kysely';
import type { Config } from '../../config.ts';
import { type OpenedDatabase, openSharedDatabase } from '../../database.ts';
import { type Database, openDatabase } from '../../platform/db.ts';
import { clusterIn, isInitialised } from '../../platform/embedded-postgres/cluster.ts';
import { isMigrated } from '../../platform/migrate.ts';
import type { Tables } from '../../tables.ts';
import { reasonOf } from '../session.ts';
import { type Finding, ok, problem, warning } from './finding.ts';

const OLDEST_POSTGRES_MAJOR = 15;
const UNDEFINED_TABLE = '42P01';

/** Without its password, and without its parameters, which may hold one too. */
export function describeDatabase({ databaseUrl, dataDir }: Pick<Config, 'databaseUrl' | 'dataDir'>): string {
  if (databaseUrl === undefined) return `embedded, in ${dataDir}`;
  const { protocol, username, host, pathname } = new URL(databaseUrl);
  return `${protocol}//${username === '' ? '' : `${username}@`}${host}${pathname}`;
}

async function checkVersion(db: Database<Tables>, where: string): Promise<Finding> {
  const { rows } = await sql<{ number: string; name: string }>`
    select current_setting('server_version_num') as number, current_setting('server_version') as name`.execute(
    db.kysely,
  );
  const [{ number, name } = { number: '0', name: 'unknown' }] = rows;
  if (Math.floor(Number(number) / 10_000) < OLDEST_POSTGRES_MAJOR) {
    return problem('database', `PostgreSQL ${name} (${where}) is too old.`, 'Use PostgreSQL 15 or later.');
  }
  return ok('database', `PostgreSQL ${name} answers (${where}).`);
}

async function checkMigrations(db: Database<Tables>): Promise<Finding> {
  const name = 'migrations';
  const pending = (message: string) => warning(name, message, 'Nothing to do: the next start applies them.');
  try {
    if (await isMigrated(db.pool)) return ok(name, 'All of this version are applied.');
    return pending('Some of this version are not applied yet.');
  } catch (error) {
    if ((error as { code?: string }).code === UNDEFINED_TABLE) return pending('None is applied yet.');
    throw error;
  }
}

async function look(config: Config, opened: OpenedDatabase): Promise<Finding[]> {
  const db = openDatabase<Tables>(opened.connection, { max: 1, name: 'foreword doctor', onError: () => undefined });
  try {
    return [await checkVersion(db, describeDatabase(config)), await checkMigrations(db)];
  } finally {
    await db.close();
  }
}

const hasCluster = (dataDir: string): boolean => fs.existsSync(dataDir) && isInitialised(clusterIn(dataDir));

/** Changes nothing: no database is made, and no migration applied. */
export async function checkDatabase(config: Config): Promise<Finding[]> {
  try {
    if (config.databaseUrl === undefined && !hasCluster(config.dataDir)) {
      return [ok('database', `None in ${config.dataDir} yet; the first start makes it.`)];
    }
    const opened = await openSharedDatabase(config);
    try {
      return await look(config, opened);
    } finally {
      await opened.stop();
    }
  } catch (error) {
    const next =
      config.databaseUrl === undefined
        ? 'Look who owns the data folder and what else uses it.'
        : 'Look whether it runs, and whether DATABASE_URL names its host, port, user, password and database.';
    return [problem('database', `${describeDatabase(config)} cannot be used: ${reasonOf(error)}.`, next)];
  }
}
