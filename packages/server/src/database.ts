import type { Config } from './config.ts';
import { monotonicMs } from './platform/clock.ts';
import type { Connection } from './platform/db.ts';
import { EmbeddedPostgresError, findRunningPostgres, startEmbeddedPostgres } from './platform/embedded-postgres.ts';

/** How long a command waits for a service that is starting or stopping. */
const SHARED_WAIT_MS = 15_000;
/** How long a command tries to start the database before it checks again for a running one. */
const START_ATTEMPT_MS = 500;

export interface OpenedDatabase {
  readonly connection: Connection;
  /** This process started the database and has to stop it. */
  readonly isOwn: boolean;
  /** Resolves when the embedded server exits unexpectedly. Never resolves for an external database. */
  readonly lost: Promise<string>;
  stop(): Promise<void>;
}

const never = new Promise<string>(() => undefined);
const leaveRunning = async () => undefined;

/** Connects to DATABASE_URL, or starts the embedded database for this process. */
export async function openOwnDatabase(config: Config): Promise<OpenedDatabase> {
  if (config.databaseUrl !== undefined) {
    return { connection: { connectionString: config.databaseUrl }, isOwn: false, lost: never, stop: leaveRunning };
  }
  return startOwn(config.dataDir);
}

async function startOwn(dataDir: string, waitMs?: number): Promise<OpenedDatabase> {
  const server = await startEmbeddedPostgres({ dataDir, ...(waitMs !== undefined && { waitMs }) });
  return { connection: server.connection, isOwn: true, lost: server.exited, stop: () => server.stop() };
}

/** For a command, which may run with or without a running service. */
export async function openSharedDatabase(config: Config): Promise<OpenedDatabase> {
  if (config.databaseUrl !== undefined) return openOwnDatabase(config);
  const deadline = monotonicMs() + SHARED_WAIT_MS;
  for (;;) {
    const running = await findRunningPostgres(config.dataDir);
    if (running !== null) return { connection: running, isOwn: false, lost: never, stop: leaveRunning };
    const startedMs = monotonicMs();
    try {
      return await startOwn(config.dataDir, START_ATTEMPT_MS);
    } catch (error) {
      // Only a data folder in use makes the start wait. Other errors appear at once, and retrying does not help.
      const wasInUse = error instanceof EmbeddedPostgresError && monotonicMs() - startedMs >= START_ATTEMPT_MS;
      if (!wasInUse || monotonicMs() > deadline) throw error;
    }
  }
}
