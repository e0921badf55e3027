import {
  EmbeddedPostgresError,
  findRunningPostgres,
  hasData,
  startEmbeddedPostgres,
} from '../db/embedded-postgres/index.ts';
import type { Connection } from '../db/pools.ts';
import { explainDatabaseError, isDatabaseError, RequirementError } from '../db/requirements.ts';
import { monotonicMs } from '../platform/clock.ts';
import type { Config } from './config/index.ts';

/** How long a command waits for a service that is starting or stopping. */
const SHARED_WAIT_MS = 15_000;
/** How long a command tries to start the database before it checks again for a running one. */
const START_ATTEMPT_MS = 500;

export interface OpenedDatabase {
  /** For transactions, possibly through a pooler. */
  readonly connection: Connection;
  /** For LISTEN and migrations, which need a session. */
  readonly direct: Connection;
  /** This process started the database and has to stop it. */
  readonly isOwn: boolean;
  /** Resolves when the embedded server exits unexpectedly. Never resolves for an external database. */
  readonly lost: Promise<string>;
  stop(): Promise<void>;
}

/** Without password and parameters, which may contain one. */
export function describeDatabase({ databaseUrl, dataDir }: Pick<Config, 'databaseUrl' | 'dataDir'>): string {
  if (databaseUrl === undefined) return `embedded, in ${dataDir}`;
  const { protocol, username, host, pathname } = new URL(databaseUrl);
  return `${protocol}//${username === '' ? '' : `${username}@`}${host}${pathname}`;
}

const never = new Promise<string>(() => undefined);
const leaveRunning = async () => undefined;

/** A database that this process did not start. */
const foreign = (connection: Connection, direct: Connection = connection): OpenedDatabase => ({
  connection,
  direct,
  isOwn: false,
  lost: never,
  stop: leaveRunning,
});

/** Connects to DATABASE_URL, or starts the embedded database for this process; calls `onSpawn` after each start of one of its programs. */
export async function openOwnDatabase(
  config: Config,
  { onSpawn }: { onSpawn?: () => void } = {},
): Promise<OpenedDatabase> {
  const { databaseUrl, databaseDirectUrl } = config;
  if (databaseUrl !== undefined) {
    if (databaseDirectUrl === undefined) return foreign({ connectionString: databaseUrl });
    return foreign({ connectionString: databaseUrl, pooled: true }, { connectionString: databaseDirectUrl });
  }
  return startOwn(config.dataDir, { ...(onSpawn && { onSpawn }) });
}

async function startOwn(
  dataDir: string,
  options: { waitMs?: number; onSpawn?: () => void } = {},
): Promise<OpenedDatabase> {
  const server = await startEmbeddedPostgres({ dataDir, ...options });
  const { connection } = server;
  return { connection, direct: connection, isOwn: true, lost: server.exited, stop: () => server.stop() };
}

/** For a command, which may run with or without a running service, but creates no database. */
export async function withSharedDatabase<Result>(
  config: Config,
  work: (database: OpenedDatabase) => Promise<Result>,
): Promise<Result> {
  const database = await openSharedDatabase(config);
  // An error while stopping must not hide the result.
  return work(database).finally(() => database.stop().catch(() => undefined));
}

async function openSharedDatabase(config: Config): Promise<OpenedDatabase> {
  if (config.databaseUrl !== undefined) return openOwnDatabase(config);
  const deadline = monotonicMs() + SHARED_WAIT_MS;
  for (;;) {
    const running = await findRunningPostgres(config.dataDir);
    if (running !== null) return foreign(running);
    if (!hasData(config.dataDir)) {
      throw new EmbeddedPostgresError(
        `No Foreword data in ${config.dataDir}; start the service first or set DATA_DIR to its folder`,
      );
    }
    const startedMs = monotonicMs();
    try {
      return await startOwn(config.dataDir, { waitMs: START_ATTEMPT_MS });
    } catch (error) {
      // Only a data folder in use makes the start wait. Other errors appear at once, and retrying does not help.
      const wasInUse = error instanceof EmbeddedPostgresError && monotonicMs() - startedMs >= START_ATTEMPT_MS;
      if (!wasInUse || monotonicMs() > deadline) throw error;
    }
  }
}

/** The message is one line that names the setting and says what to do. */
export class DatabaseError extends Error {
  /** Retrying is pointless until the setup changes. */
  readonly isPermanent: boolean;

  constructor(message: string, cause: unknown) {
    super(message, { cause });
    this.isPermanent = cause instanceof RequirementError && cause.isPermanent;
  }
}

/** Where the connection of this kind leads: a text for messages. */
export function describePlace(config: Config, kind: 'connection' | 'direct'): string {
  if (config.databaseUrl === undefined) return `in ${config.dataDir} (DATA_DIR)`;
  return kind === 'direct' && config.databaseDirectUrl !== undefined ? 'at DATABASE_DIRECT_URL' : 'at DATABASE_URL';
}

/** Runs work on the connection of this kind. Turns an error of the database into a DatabaseError. */
export async function explained<T>(config: Config, kind: 'connection' | 'direct', work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!isDatabaseError(error)) throw error;
    const place = describePlace(config, kind);
    throw new DatabaseError(`cannot use the database ${place}: ${explainDatabaseError(error)}`, error);
  }
}
