import fs from 'node:fs';
import type { Config } from '../../config.ts';
import { type OpenedDatabase, openSharedDatabase } from '../../database.ts';
import { type Database, openDatabase, readServerVersion } from '../../platform/db.ts';
import { clusterIn, isInitialized } from '../../platform/embedded-postgres/cluster.ts';
import { isMigrated } from '../../platform/migrate.ts';
import type { Tables } from '../../tables.ts';
import { reasonOf } from '../connection.ts';
import { type Finding, ok, problem, warning } from './finding.ts';

const OLDEST_POSTGRES_MAJOR = 15;
const UNDEFINED_TABLE = '42P01';

/** Without password and parameters, which may contain one. */
export function describeDatabase({ databaseUrl, dataDir }: Pick<Config, 'databaseUrl' | 'dataDir'>): string {
  if (databaseUrl === undefined) return `embedded, in ${dataDir}`;
  const { protocol, username, host, pathname } = new URL(databaseUrl);
  return `${protocol}//${username === '' ? '' : `${username}@`}${host}${pathname}`;
}

async function checkVersion(db: Database<Tables>, where: string): Promise<Finding> {
  const { number, name } = await readServerVersion(db.pool);
  if (Math.floor(number / 10_000) < OLDEST_POSTGRES_MAJOR) {
    return problem('database', `PostgreSQL ${name} (${where}) is too old.`, 'Use PostgreSQL 15 or later.');
  }
  return ok('database', `PostgreSQL ${name} is reachable (${where}).`);
}

async function checkMigrations(db: Database<Tables>): Promise<Finding> {
  const name = 'migrations';
  const pending = (message: string) => warning(name, message, 'No action needed: the next start applies them.');
  try {
    if (await isMigrated(db.pool)) return ok(name, 'All migrations are applied.');
    return pending('Some migrations are not applied yet.');
  } catch (error) {
    if ((error as { code?: string }).code === UNDEFINED_TABLE) return pending('No migrations are applied yet.');
    throw error;
  }
}

async function inspect(config: Config, opened: OpenedDatabase): Promise<Finding[]> {
  const db = openDatabase<Tables>(opened.connection, { max: 1, name: 'foreword doctor', onError: () => undefined });
  try {
    return [await checkVersion(db, describeDatabase(config)), await checkMigrations(db)];
  } finally {
    await db.close();
  }
}

const hasCluster = (dataDir: string): boolean => fs.existsSync(dataDir) && isInitialized(clusterIn(dataDir));

/** Creates no database and applies no migrations. */
export async function checkDatabase(config: Config): Promise<Finding[]> {
  try {
    if (config.databaseUrl === undefined && !hasCluster(config.dataDir)) {
      return [ok('database', `None in ${config.dataDir} yet. The first start creates it.`)];
    }
    const opened = await openSharedDatabase(config);
    try {
      return await inspect(config, opened);
    } finally {
      await opened.stop();
    }
  } catch (error) {
    const next =
      config.databaseUrl === undefined
        ? 'Check who owns the data folder and whether another process uses it.'
        : 'Check that the server is running and that DATABASE_URL has the right host, port, user, password and database.';
    return [problem('database', `Cannot use ${describeDatabase(config)}: ${reasonOf(error)}.`, next)];
  }
}
