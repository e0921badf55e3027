import { setTimeout as sleep } from 'node:timers/promises';
import { sql, type Transaction } from 'kysely';
import type { Config } from '../config.ts';
import { openSharedDatabase } from '../database.ts';
import { monotonicMs, systemClock } from '../platform/clock.ts';
import { type Database, isTransient, openDatabase } from '../platform/db.ts';
import { newId } from '../platform/ids.ts';
import { migrate } from '../platform/migrate.ts';
import type { Tables } from '../tables.ts';
import { Failure } from './failure.ts';

/** A service that stops takes up to ten seconds, and its database goes with it. */
const RETRY_LIMIT_MS = 15_000;
const RETRY_PAUSE_MS = 100;
/** How long a command that is done keeps its database for others that found it. */
const OTHERS_LIMIT_MS = 2_000;
const OTHERS_POLL_MS = 20;

type Work<Result> = (tx: Transaction<Tables>) => Promise<Result>;

/**
 * Does the work in one transaction, beside a running service or alone. The embedded database may go away under it, with
 * the service or the command that started it: what was not yet committed is then done again.
 */
export function inSession<Result>(config: Config, work: Work<Result>): Promise<Result> {
  let isSaving = false;
  const inTransaction = (db: Database<Tables>): Promise<Result> =>
    db.kysely.transaction().execute(async (tx) => {
      const result = await work(tx);
      isSaving = true;
      return result;
    });
  return untilDone(config, inTransaction, () => !isSaving);
}

/** What a use case of the API asks for: it keeps its own transactions, and does the same thing once for its key. */
export interface KeyedSession {
  readonly db: Database<Tables>;
  readonly key: string;
}

/** As inSession; with the key, what was committed before the database went away is found done, and not done again. */
export function inKeyedSession<Result>(
  config: Config,
  work: (session: KeyedSession) => Promise<Result>,
): Promise<Result> {
  const key = newId('cmd', systemClock());
  return untilDone(
    config,
    (db) => work({ db, key }),
    () => true,
  );
}

async function untilDone<Result>(
  config: Config,
  work: (db: Database<Tables>) => Promise<Result>,
  mayRepeat: () => boolean,
): Promise<Result> {
  const deadline = monotonicMs() + RETRY_LIMIT_MS;
  for (;;) {
    try {
      return await attempt(config, work);
    } catch (error) {
      if (!isTransient(error)) throw error;
      if (!mayRepeat()) {
        throw new Failure(
          'The connection to the database was lost while saving. List what is there before you repeat the command.',
        );
      }
      if (config.databaseUrl !== undefined || monotonicMs() > deadline) throw unreachable(config, error);
      await sleep(RETRY_PAUSE_MS);
    }
  }
}

async function attempt<Result>(config: Config, work: (db: Database<Tables>) => Promise<Result>): Promise<Result> {
  const database = await openSharedDatabase(config);
  try {
    await migrate(database.connection);
    const db = openDatabase<Tables>(database.connection, {
      max: 1,
      name: 'foreword command',
      onError: () => undefined,
    });
    try {
      const result = await work(db);
      // What is committed stays so, and the answer must not be lost, however the farewell goes.
      if (database.isOwn) await untilOthersLeft(db).catch(() => undefined);
      return result;
    } finally {
      await db.close().catch(() => undefined);
    }
  } finally {
    await database.stop().catch(() => undefined);
  }
}

/** Commands that ran at the same time found the database of this one; they would have to begin again. */
async function untilOthersLeft(db: Database<Tables>): Promise<void> {
  const deadline = monotonicMs() + OTHERS_LIMIT_MS;
  while (monotonicMs() < deadline) {
    const { rows } = await sql<{ others: number }>`
      select count(*)::int as others from pg_stat_activity
      where backend_type = 'client backend' and pid <> pg_backend_pid()`.execute(db.kysely);
    if (rows[0]?.others === 0) return;
    await sleep(OTHERS_POLL_MS);
  }
}

/** A name with several addresses fails with an error for each of them, and no message of its own. */
export function reasonOf(error: unknown): string {
  const first: unknown = error instanceof AggregateError ? error.errors[0] : error;
  return first instanceof Error ? first.message : String(first);
}

function unreachable(config: Config, error: unknown): Failure {
  const where = config.databaseUrl === undefined ? `in ${config.dataDir} (DATA_DIR)` : 'at DATABASE_URL';
  return new Failure(`Cannot work with the database ${where}: ${reasonOf(error)}. Ask foreword doctor what is wrong.`);
}
