import type { Config } from '../../config.ts';
import { describeDatabase, describePlace, type OpenedDatabase, openSharedDatabase } from '../../database.ts';
import type { Tables } from '../../db/tenancy.ts';
import { openDatabaseClock } from '../../platform/database-clock.ts';
import { type Database, openDatabase, readServerVersion } from '../../platform/db.ts';
import { hasData } from '../../platform/embedded-postgres.ts';
import { isUpToDate } from '../../platform/migrate.ts';
import { CHECK_LIMIT_MS, checkRequirements, connectAlone, explainDatabaseError } from '../../platform/requirements.ts';
import { checkDemoKey } from './demo.ts';
import { type Finding, ok, problem, warning } from './finding.ts';
import { checkLinkDomains } from './link-domains.ts';
import { checkServerKey } from './server-key.ts';
import { checkWork } from './work.ts';

async function checkVersion(db: Database<Tables>, where: string): Promise<Finding> {
  const { name } = await readServerVersion(db.pool);
  return ok('database', `PostgreSQL ${name} is reachable (${where}).`);
}

async function checkMigrations(db: Database<Tables>): Promise<Finding> {
  const name = 'migrations';
  if (await isUpToDate(db.pool)) return ok(name, 'All migrations are applied.');
  return warning(name, 'Some migrations are not applied yet.', 'No action needed: the next start applies them.');
}

async function checkClock({ pool }: Database<Tables>): Promise<Finding> {
  const message = (await openDatabaseClock(pool)).warning();
  if (message === null) return ok('clock', "This machine's clock agrees with the database's.");
  const next =
    "Synchronize both with NTP. The service uses the database's time, but S3 and OpenID Connect may reject this machine's.";
  return warning('clock', message, next);
}

const NAME = 'foreword doctor';

async function inspectDirect({ direct }: OpenedDatabase): Promise<void> {
  const client = await connectAlone(direct, NAME, CHECK_LIMIT_MS);
  try {
    await checkRequirements(client, direct);
  } finally {
    await client.end();
  }
}

async function inspect(config: Config, opened: OpenedDatabase): Promise<Finding[]> {
  const db = openDatabase<Tables>(opened.connection, { max: 1, name: NAME, onError: () => undefined });
  try {
    const migrations = await checkMigrations(db);
    return [
      await checkVersion(db, describeDatabase(config)),
      migrations,
      await checkClock(db),
      // Without all migrations, the tables lack columns that these checks read.
      ...(migrations.status === 'ok'
        ? [
            await checkServerKey(db.kysely, config),
            ...(await checkDemoKey(db.kysely)),
            ...(await checkLinkDomains(db.kysely)),
            ...(await checkWork(db)),
          ]
        : []),
    ];
  } finally {
    await db.close();
  }
}

function cannotUse(config: Config, kind: 'connection' | 'direct', error: unknown): Finding {
  const where =
    config.databaseUrl === undefined ? describeDatabase(config) : `the database ${describePlace(config, kind)}`;
  const next =
    config.databaseUrl === undefined
      ? 'Check who owns the data folder and whether another process uses it.'
      : 'Fix this, then run foreword doctor again. docs/self-hosting/database.md explains each message.';
  return problem('database', `Cannot use ${where}: ${explainDatabaseError(error)}.`, next);
}

/** Statistics fall back to DATABASE_URL, so a broken replica would go unnoticed. */
async function checkReplica({ databaseReadUrl }: Config): Promise<Finding[]> {
  if (databaseReadUrl === undefined) return [];
  const name = 'replica';
  try {
    const client = await connectAlone({ connectionString: databaseReadUrl }, NAME, CHECK_LIMIT_MS);
    await client.end();
    return [ok(name, 'DATABASE_READ_URL is reachable.')];
  } catch (error) {
    const message = `Cannot use DATABASE_READ_URL: ${explainDatabaseError(error)}. Statistics use DATABASE_URL.`;
    return [problem(name, message, 'Fix its address or the replica, or unset the variable.')];
  }
}

/** Creates no database and applies no migrations. */
export async function checkDatabase(config: Config): Promise<Finding[]> {
  try {
    if (config.databaseUrl === undefined && !hasData(config.dataDir)) {
      return [ok('database', `None in ${config.dataDir} yet. The first start creates it.`)];
    }
    const opened = await openSharedDatabase(config);
    let kind: 'connection' | 'direct' = 'direct';
    try {
      await inspectDirect(opened);
      kind = 'connection';
      return [...(await inspect(config, opened)), ...(await checkReplica(config))];
    } catch (error) {
      return [cannotUse(config, kind, error)];
    } finally {
      await opened.stop();
    }
  } catch (error) {
    return [cannotUse(config, 'direct', error)];
  }
}
