import { setTimeout as sleep } from 'node:timers/promises';
import { type Config, keySource, readConfig } from '../app/config/index.ts';
import { DatabaseError, describeDatabase, describePlace, explained, withSharedDatabase } from '../app/database.ts';
import { openDatabaseClock } from '../db/clock.ts';
import { openKeyring } from '../db/keyring.ts';
import { isReadyForCommands, migrate } from '../db/migrate.ts';
import { countOtherConnections, isTransient, withOneConnection } from '../db/pools.ts';
import { explainDatabaseError } from '../db/requirements.ts';
import type { Database, Db, Tx } from '../db/tenancy.ts';
import { createLinks, type Links } from '../intros/links/index.ts';
import { type Clock, monotonicMs, systemClock } from '../platform/clock.ts';
import { findRunningService } from '../platform/data-dir.ts';
import { type Objects, openObjects } from '../platform/objects/index.ts';
import { OPERATOR, withOrigin } from '../platform/origin.ts';
import type { ServerKey } from '../platform/server-key.ts';
import { complain, Failure } from './terminal.ts';

/** A stopping service takes up to ten seconds, and stops the embedded database with it. */
const RETRY_LIMIT_MS = 15_000;
const RETRY_PAUSE_MS = 100;
/** How long a finished command keeps its embedded database running for other commands. */
const OTHERS_LIMIT_MS = 2_000;
const OTHERS_POLL_MS = 20;

let clock: Clock = systemClock;

/** The database's time, once a command has connected to it: a link must not expire early because this machine's clock is wrong. */
export const commandClock: Clock = () => clock();

type Work<Result> = (tx: Tx) => Promise<Result>;

/**
 * Runs the work in one transaction, with or without a running service. The embedded database may stop when the process that
 * started it stops; uncommitted work is then repeated.
 */
export function inTransaction<Result>(config: Config, work: Work<Result>): Promise<Result> {
  let isCommitting = false;
  const runOnce = (db: Database): Promise<Result> =>
    db.kysely.transaction().execute(async (tx) => {
      const result = await work(tx);
      isCommitting = true;
      return result;
    });
  return retry(config, runOnce, () => !isCommitting);
}

/** For work with transactions of its own, which may be repeated even after a commit. */
export const withDatabase = <Result>(config: Config, work: (db: Database) => Promise<Result>): Promise<Result> =>
  retry(config, work, () => true);

async function retry<Result>(
  config: Config,
  work: (db: Database) => Promise<Result>,
  mayRepeat: () => boolean,
): Promise<Result> {
  const deadline = monotonicMs() + RETRY_LIMIT_MS;
  for (;;) {
    try {
      return await attempt(config, work);
    } catch (error) {
      const cause = error instanceof DatabaseError ? error.cause : error;
      if (!isTransient(cause)) throw error;
      if (!mayRepeat()) {
        throw new Failure(
          'The database connection was lost while saving. Check whether the change was saved before you repeat the command.',
        );
      }
      if (config.databaseUrl !== undefined || monotonicMs() > deadline) throw unreachable(config, error);
      await sleep(RETRY_PAUSE_MS);
    }
  }
}

const attempt = <Result>(config: Config, work: (db: Database) => Promise<Result>): Promise<Result> =>
  withSharedDatabase(config, ({ connection, direct, isOwn }) =>
    withOneConnection(connection, 'foreword command', async (db: Database) => {
      const isReady = await explained(config, 'connection', () => isReadyForCommands(db.pool, connection));
      if (!isReady) await explained(config, 'direct', () => migrate(direct, { onWait: complain }));
      clock = (await openDatabaseClock(db.pool)).now;
      const result = await withOrigin(OPERATOR, () => work(db));
      if (isOwn) await waitForOthers(db).catch(() => undefined);
      return result;
    }),
  );

/** Other commands may use this command's embedded database and would have to start over. */
async function waitForOthers(db: Database): Promise<void> {
  const deadline = monotonicMs() + OTHERS_LIMIT_MS;
  while (monotonicMs() < deadline) {
    if ((await countOtherConnections(db.pool)) === 0) return;
    await sleep(OTHERS_POLL_MS);
  }
}

function unreachable(config: Config, error: unknown): Failure {
  const message =
    error instanceof DatabaseError
      ? error.message
      : `cannot use the database ${describePlace(config, 'connection')}: ${explainDatabaseError(error)}`;
  return new Failure(`${message}. Run foreword doctor to find the cause.`);
}

/** The configuration of a command that prints links. They start with PUBLIC_URL, otherwise with the running service's address. */
export async function readLinkConfig(): Promise<Config> {
  const config = readConfig();
  if (config.hasPublicUrl) return config;
  const running = await findRunningService(config.dataDir, describeDatabase(config));
  if (running !== null) return { ...config, publicUrl: running.url };
  if (config.port === 0) {
    throw new Failure(
      'The address of links is unknown: no service is running and PORT is 0. Start it, or set PUBLIC_URL.',
    );
  }
  return config;
}

/**
 * The key of the service. Fails if this process has another one. A database without a key gets that of this process, so call it only
 * when something is sealed or signed.
 */
export const openKey = (tx: Db, config: Config = readConfig()): Promise<ServerKey> =>
  openKeyring(tx, keySource(config));

/** Creates the same links as the service. */
export const openLinks = async (tx: Db, config: Config): Promise<Links> =>
  createLinks(await openKey(tx, config), config.publicUrl);

/** The videos and pictures of the service. */
export const openStore = ({ objectsUrl }: Config): Objects => openObjects(objectsUrl, { clock: systemClock });
