import { PAGE_LIFE_DAYS } from '@foreword/contract';
import { ALERT_LIMITS } from '../../app/alerts.ts';
import { type Config, keySource } from '../../app/config/index.ts';
import { describeDatabase, describePlace, type OpenedDatabase, withSharedDatabase } from '../../app/database.ts';
import { openDatabaseClock } from '../../db/clock.ts';
import { hasData } from '../../db/embedded-postgres/index.ts';
import { isReencrypted } from '../../db/key-rotation.ts';
import { readStoredKeys } from '../../db/keyring.ts';
import { isUpToDate } from '../../db/migrate.ts';
import { MAX_LAG_S, readLagS, readServerVersion, withOneConnection } from '../../db/pools.ts';
import { CHECK_LIMIT_MS, checkRequirements, connectAlone, explainDatabaseError } from '../../db/requirements.ts';
import type { Database, Db } from '../../db/tenancy.ts';
import { secondsOverdue } from '../../delivery/index.ts';
import { listDemoKeys } from '../../http/access/index.ts';
import { oldestAcceptedAgeMs } from '../../intros/events/index.ts';
import { countLiveLinks } from '../../intros/links/index.ts';
import { listOrganizations } from '../../organizations/index.ts';
import { listFailingDomains } from '../../organizations/link-domains/index.ts';
import { closedBefore } from '../../pages/index.ts';
import { hasUnfinishedRestore } from '../../platform/data-dir.ts';
import { fingerprintOf, readServerKeys } from '../../platform/server-key.ts';
import { oldestWaitingTakeMs } from '../../recordings/index.ts';
import { countWaitingWebhooks } from '../../webhooks/index.ts';
import { type Finding, note, ok, problem, warning } from './finding.ts';

export const NAME = 'foreword doctor';

async function checkVersion(db: Database, where: string): Promise<Finding> {
  const { name } = await readServerVersion(db.pool);
  return ok('database', `PostgreSQL ${name} is reachable (${where}).`);
}

async function checkMigrations(db: Database): Promise<Finding> {
  const name = 'migrations';
  if (await isUpToDate(db.pool)) return ok(name, 'All migrations are applied.');
  return warning(name, 'Some migrations are not applied yet.', 'No action needed: the next start applies them.');
}

async function checkClock({ pool }: Database): Promise<Finding> {
  const message = (await openDatabaseClock(pool)).warning();
  if (message === null) return ok('clock', "This machine's clock agrees with the database's.");
  const next =
    "Synchronize both with NTP. The service uses the database's time, but S3 and OpenID Connect may reject this machine's.";
  return warning('clock', message, next);
}

const KEY = 'server key';
/** Counting more would tell an operator nothing new. */
const MAX_COUNTED = 10_000;

const SET_IT =
  'Use the SERVER_KEY or DATA_DIR of the other nodes. While you rotate the key, keep the current one in SERVER_KEY, after the new one, until foreword server-key rotate has finished.';
const ROTATE = 'When every node runs with the new and the previous key, run foreword server-key rotate once.';
const RESUME = 'Run foreword server-key rotate again. Until then, keep backups of the previous key.';

async function describeLinks(db: Db, createdBefore: Date, now: Date): Promise<string> {
  const links = await countLiveLinks(db, {
    createdBefore,
    sentAfter: closedBefore(now, PAGE_LIFE_DAYS),
    limit: MAX_COUNTED,
  });
  const count = links === MAX_COUNTED ? `${links} or more` : `${links}`;
  return `Live links that derive from earlier keys: ${count}. The database contains those keys, encrypted.`;
}

/** Whether this configuration has the key of the database, and whether a rotation is finished. */
async function checkServerKey(db: Db, config: Config): Promise<Finding> {
  const stored = await readStoredKeys(db);
  if (stored === null) return ok(KEY, 'None yet. The first start records one.');
  const { previous, now } = stored;
  const inUse = stored.fingerprint.toString('hex');
  const position = readServerKeys(keySource(config)).findIndex((key) => fingerprintOf(key) === inUse);
  if (position < 0) return problem(KEY, 'The database uses a key that is not set here.', SET_IT);
  if (config.serverKey !== undefined && position > 0) {
    return warning(
      KEY,
      'The first key in SERVER_KEY is not in use yet: the database still uses a previous one.',
      ROTATE,
    );
  }
  const since = previous.at(-1)?.used_until;
  if (since === undefined) return ok(KEY, 'The database uses this key, its first one.');
  if (!isReencrypted(stored)) {
    return warning(KEY, 'The last rotation has not encrypted everything with the current key yet.', RESUME);
  }
  const removable = config.previousServerKeys.length > 0 ? ' The previous keys in SERVER_KEY can be removed.' : '';
  const links = await describeLinks(db, since, now);
  return ok(KEY, `In use since ${since.toISOString()}, for everything stored.${removable} ${links}`);
}

/** The organizations that a first start did not create. */
export async function listRealOrganizations(db: Db): Promise<string[]> {
  const demos = (await listDemoKeys(db)).map((key) => key.organization_id);
  return (await listOrganizations(db)).map(({ id }) => id).filter((id) => !demos.includes(id));
}

/** The demo's key was printed to a terminal or a log, and has every permission. */
export async function checkDemoKey(db: Db): Promise<Finding[]> {
  const name = 'demo key';
  const keys = await listDemoKeys(db);
  const [key] = keys.filter(({ revoked_at }) => revoked_at === null);
  if (key === undefined) return keys.length === 0 ? [] : [ok(name, 'Revoked.')];
  const used = key.last_used_at === null ? 'not used yet' : `last used ${key.last_used_at.toISOString()}`;
  const hasReal = (await listRealOrganizations(db)).length > 0;
  const message = `The key of the demo organization, which the first start printed, still works (${used}).`;
  return [(hasReal ? warning : note)(name, message, `Run foreword key revoke ${key.id} before real customers.`)];
}

const CHECK_DOMAIN =
  'Check its DNS records and the certificate of the proxy (docs/self-hosting/link-domains.md), then run foreword link-domain check';

/** The link domains whose last check failed although they were proven: their links may not work. */
async function checkLinkDomains(db: Db): Promise<Finding[]> {
  return (await listFailingDomains(db)).map(({ id, host, state, organization_id, failure_message }) => {
    const report = state === 'failing' ? problem : warning;
    return report(
      `link domain ${host}`,
      `${failure_message} It belongs to ${organization_id}.`,
      `${CHECK_DOMAIN} ${id}.`,
    );
  });
}

const GUIDE = 'docs/self-hosting/monitoring.md says what to check.';

/** Whether work is done in time: the same limits as those of the alerts. */
export async function checkWork(db: Database): Promise<Finding[]> {
  const now = (await openDatabaseClock(db.pool)).now();
  const eventS = Math.round((await oldestAcceptedAgeMs(db.pool, now)) / 1_000);
  const messageS = Math.round(await secondsOverdue(db, now));
  const takeS = Math.round((await oldestWaitingTakeMs(db, now)) / 1_000);
  const webhooks = await countWaitingWebhooks(db);
  const worker = `Check that a worker is running. ${GUIDE}`;
  const media = `Check that a process with the role media is running. ${GUIDE}`;
  const receiver = `Look for an endpoint that fails or is slow. ${GUIDE}`;
  return [
    eventS > ALERT_LIMITS.oldestEventS
      ? problem('events', `Accepted events wait for up to ${eventS} s.`, worker)
      : ok('events', 'No event waits for long.'),
    messageS > ALERT_LIMITS.overdueMessageS
      ? problem('messages', `Texts or emails are up to ${messageS} s late.`, worker)
      : ok('messages', 'No text and no email is late.'),
    takeS > ALERT_LIMITS.waitingTakeS
      ? problem('takes', `Takes wait for up to ${takeS} s for their video.`, media)
      : ok('takes', 'No take waits for long.'),
    webhooks > ALERT_LIMITS.webhooksWaiting
      ? warning('webhooks', `${webhooks} webhooks wait.`, receiver)
      : ok('webhooks', 'No backlog.'),
  ];
}

async function inspectDirect({ direct }: OpenedDatabase): Promise<void> {
  const client = await connectAlone(direct, NAME, CHECK_LIMIT_MS);
  await checkRequirements(client, direct).finally(() => client.end());
}

async function inspect(config: Config, db: Database): Promise<Finding[]> {
  const migrations = await checkMigrations(db);
  const all = [await checkVersion(db, describeDatabase(config)), migrations, await checkClock(db)];
  // Without all migrations, the tables lack columns that the other checks read.
  if (migrations.status !== 'ok') return all;
  return [
    ...all,
    await checkServerKey(db.kysely, config),
    ...(await checkDemoKey(db.kysely)),
    ...(await checkLinkDomains(db.kysely)),
    ...(await checkWork(db)),
  ];
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
    const seconds = await readLagS(client).finally(() => client.end());
    if (seconds <= MAX_LAG_S) return [ok(name, 'DATABASE_READ_URL is reachable and up to date.')];
    // Infinite if it has not applied any transaction since its start.
    const lag = Number.isFinite(seconds) ? `${Math.round(seconds)} s` : 'an unknown time';
    const message = `The replica at DATABASE_READ_URL is ${lag} behind. Statistics use DATABASE_URL.`;
    return [problem(name, message, 'Check its load, and whether it is connected to its primary.')];
  } catch (error) {
    const message = `Cannot use DATABASE_READ_URL: ${explainDatabaseError(error)}. Statistics use DATABASE_URL.`;
    return [problem(name, message, 'Fix its address or the replica, or unset the variable.')];
  }
}

/** Creates no database and applies no migrations. */
export async function checkDatabase(config: Config): Promise<Finding[]> {
  let kind: 'connection' | 'direct' = 'direct';
  try {
    if (config.databaseUrl === undefined && !hasData(config.dataDir)) {
      return [ok('database', `None in ${config.dataDir} yet. The first start creates it.`)];
    }
    if (config.databaseUrl === undefined && hasUnfinishedRestore(config.dataDir)) {
      const message = `A backup is being restored into ${config.dataDir}, or that was interrupted.`;
      return [problem('database', message, 'Wait, or run foreword restore again.')];
    }
    return await withSharedDatabase(config, async (opened) => {
      await inspectDirect(opened);
      kind = 'connection';
      const findings = await withOneConnection(opened.connection, NAME, (db: Database) => inspect(config, db));
      return [...findings, ...(await checkReplica(config))];
    });
  } catch (error) {
    return [cannotUse(config, kind, error)];
  }
}
