import { makeSignInPath } from '../console/index.ts';
import { openDatabaseClock } from '../db/clock.ts';
import { watchReserve } from '../db/embedded-postgres/index.ts';
import { openKeyring } from '../db/keyring.ts';
import { migrate } from '../db/migrate.ts';
import { withOneConnection } from '../db/pools.ts';
import type { Database, Tx } from '../db/tenancy.ts';
import { createKey, DEMO_KEY_NAME } from '../http/access/index.ts';
import { createMember } from '../members/index.ts';
import { createOrganization, listOrganizations, lockOrganizations, testTenant } from '../organizations/index.ts';
import type { Clock } from '../platform/clock.ts';
import { localUrl, removeServiceFile, writeServiceFile } from '../platform/data-dir.ts';
import type { Logs } from '../platform/log.ts';
import { EXIT_BAD_CONFIGURATION, exitWith } from '../platform/process.ts';
import { compose } from './compose/index.ts';
import { type Config, keySource } from './config/index.ts';
import { describeDatabase, explained, type OpenedDatabase } from './database.ts';
import { shownSettings } from './shown-settings.ts';

const NAME = 'foreword start';
// Operators are promised a stop within 10 s; what is unfinished after this time is abandoned.
const STOP_LIMIT_MS = 9_500;

const seed = async (db: Database, cell: string | undefined) =>
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
    -H "Idempotency-Key: demo_crm:appt_1:new_appointment:2030-03-12T19:30Z" \\
    -H "Content-Type: application/json" \\
    -d '{"touchpoint":"new_appointment","occurred_at":"2026-03-10T09:15:00Z","member":{"external_id":"rep_17"},"recipient":{"first_name":"Dana","phone":"+15005550123"},"context":{"appointment":{"starts_at":"2030-03-12T14:30:00","timezone":"America/Chicago"}}}'

List the intros, including the one it requested:

  curl ${url}/v1/intros -H "Authorization: Bearer ${demo.key}"

`;
}

/** Tells commands where the service runs. It works without the file, for example in a read-only folder. */
function publishAddress(config: Config, instance: string, log: Logs): void {
  if (!config.roles.has('api')) return;
  const { dataDir, publicUrl: url } = config;
  try {
    writeServiceFile(dataDir, {
      url,
      localUrl: localUrl(config),
      database: describeDatabase(config),
      instance,
      settings: shownSettings(config),
    });
  } catch (err) {
    log.info({ err }, 'cannot write service.json to DATA_DIR, so commands need PUBLIC_URL to print links');
  }
}

export interface ServeOptions {
  readonly config: Config;
  readonly database: OpenedDatabase;
  readonly log: Logs;
  /** Only tests set these. */
  readonly databaseFailureLimitMs?: number;
  readonly metricsIntervalMs?: number;
}

/** Serves until a signal or a failure ends the process. Resolves once the service listens. */
export async function serve({ config, database, log, ...options }: ServeOptions): Promise<void> {
  const { connection, direct } = database;
  const onWait = (line: string) => process.stderr.write(`foreword: ${line}\n`);
  await explained(config, 'direct', () => migrate(direct, { onWait }));
  const reserve = database.isOwn ? watchReserve(config.dataDir, log) : undefined;
  const foreword = await explained(config, 'connection', async () => {
    const serverKey = await withOneConnection(connection, NAME, (db: Database) =>
      openKeyring(db.kysely, keySource(config)),
    );
    return compose({ ...options, config, connection, direct, log, serverKey, isDiskFull: reserve?.isFull });
  });

  let stopping = false;
  const stop = async (exit: () => never = () => process.exit(0)) => {
    if (stopping) return;
    stopping = true;
    removeServiceFile(config.dataDir, foreword.instance);
    setTimeout(() => exitWith('stopped before all work was finished', 1), STOP_LIMIT_MS).unref();
    await foreword.stop();
    reserve?.stop();
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
  const demo = config.demo ? await withOneConnection(connection, NAME, (db: Database) => seed(db, config.cell)) : null;
  process.stdout.write(
    `Foreword is running at ${config.publicUrl}. API reference: ${config.publicUrl}/docs/reference\n`,
  );
  if (demo !== null) process.stdout.write(welcome(demo, config.publicUrl));
}

export interface Demo {
  readonly organizationName: string;
  readonly key: string;
  /** Path of a one-time link that signs the owner in to the console. */
  readonly signInPath: string;
}

/** Creates a demo organization in an empty database. Its key can only be shown now. */
export function seedDemo(db: Database, clock: Clock, cell: string | undefined): Promise<Demo | null> {
  return db.kysely.transaction().execute(async (tx) => {
    // If several nodes start on an empty database, only the first one creates the demo.
    await lockOrganizations(tx);
    if ((await listOrganizations(tx)).length > 0) return null;
    return createDemo(tx, clock, cell);
  });
}

async function createDemo(tx: Tx, clock: Clock, cell: string | undefined): Promise<Demo> {
  const organization = await createOrganization(tx, clock, {
    name: 'Acme Roofing',
    industry: 'exterior_remodeling',
    lanes: [],
    timezone: 'America/Chicago',
    accent: '#b4451f',
    office_phone: '+13125550100',
    license: 'IL 104.018842',
  });
  const tenant = testTenant(organization.id);
  const owner = await createMember(tx, clock, tenant, {
    external_id: 'rep_17',
    first_name: 'Ana',
    last_name: 'Ng',
    email: 'ana@acme.example',
    // A test number, so that her notifications are simulated.
    phone: '+15005550117',
    lanes: [],
    role: 'owner',
    title: 'project manager',
  });
  // With every permission, so that each request of the reference can be tried.
  const { key } = await createKey(tx, clock, tenant, DEMO_KEY_NAME, { recording_links: true, cell });
  const signInPath = await makeSignInPath(tx, clock(), { tenant, id: owner.id });
  return { organizationName: organization.name, key, signInPath };
}
