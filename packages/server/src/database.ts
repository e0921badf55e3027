import type { Config } from './config.ts';
import type { Connection } from './platform/db.ts';
import { findRunningPostgres, startEmbeddedPostgres } from './platform/embedded-postgres.ts';

export interface OpenedDatabase {
  readonly connection: Connection;
  /** Settles when the embedded server ends without being asked to; never with a database of the operator's own. */
  readonly lost: Promise<string>;
  stop(): Promise<void>;
}

const never = new Promise<string>(() => undefined);
const leaveRunning = async () => undefined;

/** The operator's database, or the embedded one, started for this process. */
export async function openOwnDatabase(config: Config): Promise<OpenedDatabase> {
  if (config.databaseUrl !== undefined) {
    return { connection: { connectionString: config.databaseUrl }, lost: never, stop: leaveRunning };
  }
  const server = await startEmbeddedPostgres({ dataDir: config.dataDir });
  return { connection: server.connection, lost: server.exited, stop: () => server.stop() };
}

/** For a command: beside a running service, or alone. */
export async function openSharedDatabase(config: Config): Promise<OpenedDatabase> {
  const running = config.databaseUrl === undefined ? await findRunningPostgres(config.dataDir) : null;
  if (running !== null) return { connection: running, lost: never, stop: leaveRunning };
  return openOwnDatabase(config);
}
