import type { Config } from './config.ts';
import { monotonicMs } from './platform/clock.ts';
import type { Connection } from './platform/db.ts';
import { EmbeddedPostgresError, findRunningPostgres, startEmbeddedPostgres } from './platform/embedded-postgres.ts';

/** How long a command waits for a service that is starting or stopping at the same moment. */
const SHARED_WAIT_MS = 15_000;
/** One try to start a database of its own; then it looks again whether the other one can be shared. */
const START_TRY_MS = 500;

export interface OpenedDatabase {
  readonly connection: Connection;
  /** Started by this process, and to be stopped by it. */
  readonly isOwn: boolean;
  /** Settles when the embedded server ends without being asked to; never with a database of the operator's own. */
  readonly lost: Promise<string>;
  stop(): Promise<void>;
}

const never = new Promise<string>(() => undefined);
const leaveRunning = async () => undefined;

/** The operator's database, or the embedded one, started for this process. */
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

/** For a command: beside a running service, or alone. */
export async function openSharedDatabase(config: Config): Promise<OpenedDatabase> {
  if (config.databaseUrl !== undefined) return openOwnDatabase(config);
  const deadline = monotonicMs() + SHARED_WAIT_MS;
  for (;;) {
    const running = await findRunningPostgres(config.dataDir);
    if (running !== null) return { connection: running, isOwn: false, lost: never, stop: leaveRunning };
    const begunMs = monotonicMs();
    try {
      return await startOwn(config.dataDir, START_TRY_MS);
    } catch (error) {
      // Only a folder in use makes it wait; whatever else is wrong shows at once and will not get better.
      const wasInUse = error instanceof EmbeddedPostgresError && monotonicMs() - begunMs >= START_TRY_MS;
      if (!wasInUse || monotonicMs() > deadline) throw error;
    }
  }
}
