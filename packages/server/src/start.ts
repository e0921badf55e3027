import { compose } from './compose.ts';
import { type Config, ConfigError, keySource, readConfig } from './config.ts';
import { DatabaseError, describeDatabase, explained, type OpenedDatabase, openOwnDatabase } from './database.ts';
import { openDatabaseClock } from './platform/database-clock.ts';
import { type Database, openDatabase } from './platform/db.ts';
import { DataDirError } from './platform/embedded-postgres.ts';
import { createLogger, type Logs } from './platform/log.ts';
import { migrate } from './platform/migrate.ts';
import { ObjectsUrlError } from './platform/objects.ts';
import { firstServerKey, openKeyring, ServerKeyError } from './platform/server-key.ts';
import { findFreePort, localUrl, removeServiceFile, writeServiceFile } from './platform/service-address.ts';
import { WorkDirError } from './platform/work-folders.ts';
import { type Demo, seedDemo } from './seed.ts';
import type { Tables } from './tables.ts';

const EXIT_BAD_CONFIGURATION = 78;
// Operators are promised a stop within 10 s; what is unfinished after this time is abandoned.
const STOP_LIMIT_MS = 9_500;

function exitWith(line: string, code: number): never {
  process.stderr.write(`foreword: ${line}\n`);
  process.exit(code);
}

function loadConfig(): Config {
  try {
    return readConfig();
  } catch (error) {
    if (error instanceof ConfigError) exitWith(error.message, EXIT_BAD_CONFIGURATION);
    throw error;
  }
}

async function withOneConnection<T>(
  { connection }: OpenedDatabase,
  work: (db: Database<Tables>) => Promise<T>,
): Promise<T> {
  const db = openDatabase<Tables>(connection, { max: 1, name: 'foreword start', onError: () => undefined });
  try {
    return await work(db);
  } finally {
    await db.close();
  }
}

const seed = async (db: Database<Tables>, cell: string | undefined) =>
  seedDemo(db, (await openDatabaseClock(db.pool)).now, cell);

/** Printed to pipes, too: the key can never be shown again. */
function welcome(demo: Demo, url: string): string {
  return `
A demo organization, ${demo.organizationName}, is ready. Its API key is shown only this once:

  ${demo.key}

Sign in to the console. The link works once, within 15 minutes; npx foreword signin creates another one:

  ${url}${demo.signInPath}

Send an event:

  curl -X POST ${url}/v1/touchpoint-events \\
    -H "Authorization: Bearer ${demo.key}" \\
    -H "Idempotency-Key: demo_crm:appt_1:new_appointment" \\
    -H "Content-Type: application/json" \\
    -d '{"touchpoint":"new_appointment","occurred_at":"2026-03-10T09:15:00Z","member":{"external_id":"rep_17"},"recipient":{"first_name":"Dana","phone":"+15005550123"},"context":{"appointment":{"starts_at":"2030-03-12T14:30:00","timezone":"America/Chicago"}}}'

List the intros, including the one it requested:

  curl ${url}/v1/intros -H "Authorization: Bearer ${demo.key}"

`;
}

const SETTING_ERRORS = [DataDirError, ServerKeyError, ObjectsUrlError, WorkDirError];

/** One line that names the setting, and the exit code: 78 if the setting is wrong, 1 if the failure may be temporary. */
function explain(error: unknown, config: Config): [line: string, code: number] {
  const message = error instanceof Error ? error.message : String(error);
  const { code, syscall, port } = error as { code?: string; syscall?: string; port?: number };
  if (SETTING_ERRORS.some((kind) => error instanceof kind)) return [message, EXIT_BAD_CONFIGURATION];
  if (syscall === 'listen') {
    const name = port !== undefined && port === config.metricsPort ? 'METRICS_PORT' : 'PORT';
    const advice = code === 'EADDRINUSE' ? `; set ${name} to a free port` : '';
    return [`cannot listen on HOST ${config.host}, ${name} ${port ?? config.port}: ${code}${advice}`, 1];
  }
  if (error instanceof DatabaseError) return [message, error.isPermanent ? EXIT_BAD_CONFIGURATION : 1];
  return [message, 1];
}

/** Resolves PORT=0 before anything uses the address, because links start with it. */
async function choosePort(config: Config): Promise<Config> {
  if (config.port !== 0) return config;
  try {
    return readConfig(undefined, await findFreePort(config.host));
  } catch (error) {
    return exitWith(...explain(error, config));
  }
}

/** Tells commands where the service runs. It works without the file, for example in a read-only folder. */
function publishAddress(config: Config, instance: string, log: Logs): void {
  if (!config.roles.has('api')) return;
  const { dataDir, publicUrl: url } = config;
  try {
    writeServiceFile(dataDir, { url, localUrl: localUrl(config), database: describeDatabase(config), instance });
  } catch (err) {
    log.info({ err }, 'cannot write service.json to DATA_DIR, so commands need PUBLIC_URL to print links');
  }
}

export interface StartOptions {
  /** Only tests set it. */
  readonly databaseFailureLimitMs?: number;
}

async function start(config: Config, options: StartOptions): Promise<void> {
  const log = createLogger(config.logLevel);
  const source = keySource(config);
  // Before the database starts, so that an unreadable file stops the start early.
  firstServerKey(source);
  const database = await openOwnDatabase(config);
  const { connection, direct } = database;
  const onWait = (line: string) => process.stderr.write(`foreword: ${line}\n`);
  await explained(config, 'direct', () => migrate(direct, { onWait }));
  const foreword = await explained(config, 'connection', async () => {
    const serverKey = await withOneConnection(database, (db) => openKeyring(db.kysely, source));
    return compose({ ...options, config, connection, direct, log, serverKey });
  });

  let stopping = false;
  const stop = async (exit: () => never = () => process.exit(0)) => {
    if (stopping) return;
    stopping = true;
    removeServiceFile(config.dataDir, foreword.instance);
    setTimeout(() => exitWith('stopped before all work was finished', 1), STOP_LIMIT_MS).unref();
    await foreword.stop();
    await database.stop();
    log.finish(exit);
  };
  process.on('SIGTERM', () => void stop());
  process.on('SIGINT', () => void stop());
  // The key was rotated without this node.
  void foreword.serverKeyLost.then((reason) => stop(() => exitWith(reason, EXIT_BAD_CONFIGURATION)));
  void database.lost.then((lines) => {
    if (!stopping) exitWith(`the embedded PostgreSQL exited unexpectedly: ${lines}`, 1);
  });
  void foreword.databaseLost.then(async (reason) => {
    if (stopping) return;
    stopping = true;
    removeServiceFile(config.dataDir, foreword.instance);
    // Nothing is drained: without a database, no request and no job can finish.
    const line = `${reason}; exiting so that a new process can start`;
    setTimeout(() => exitWith(line, 1), STOP_LIMIT_MS).unref();
    await database.stop();
    log.finish(() => exitWith(line, 1));
  });

  await foreword.listen();
  publishAddress(config, foreword.instance, log);
  // Only after listening succeeded: otherwise a start with its port in use would consume the only display of the key.
  const demo = config.demo ? await withOneConnection(database, (db) => seed(db, config.cell)) : null;
  process.stdout.write(
    `Foreword is running at ${config.publicUrl}. API reference: ${config.publicUrl}/docs/reference\n`,
  );
  if (demo !== null) process.stdout.write(welcome(demo, config.publicUrl));
}

/** Starts the service, which runs until a signal or a failure ends the process. */
export async function runService(options: StartOptions = {}): Promise<void> {
  const config = await choosePort(loadConfig());
  await start(config, options).catch((error: unknown) => exitWith(...explain(error, config)));
}
