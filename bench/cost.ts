import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { type EmbeddedPostgres, startEmbeddedPostgres } from '../packages/server/src/platform/embedded-postgres.ts';
import { atEnd, freePort, makeFolder, startPart, stop } from './children.ts';
import { listStages } from './cost/stages.ts';
import { listStatements } from './cost/statements.ts';
import { atMost, type Finding, info, median, print, times } from './figures.ts';
import { resetStatements } from './growth/watch.ts';
import { EVENT_BODY, postEvents } from './load.ts';
import { processorMs } from './processes.ts';
import { drain, prepareDataDir, type Service, startService } from './service.ts';

/** 240 µs on a machine where a bare Fastify takes 25 µs for the same request. A shared machine is slower in both. */
const MAX_OF_BARE = 240 / 25;
const CONNECTIONS = 64;
/** Texts to it are simulated. */
const TEST_NUMBER = '+15005550123';
/** V8 optimizes code while it runs: the first rounds cost up to twice as much as later ones. */
const WARM_UP_ROUNDS = 4;
const DRAIN_LIMIT_S = 120;
const SETTINGS = { max_wal_size: '4GB', shared_preload_libraries: 'pg_stat_statements' };

const microseconds = (value: number): string => `${Math.round(value)} µs`;

export interface Round {
  readonly events: number;
  readonly serviceMs: number;
  readonly postgresMs: number;
  readonly bareMs: number;
}

interface Site {
  readonly server: EmbeddedPostgres;
  readonly database: pg.Client;
  readonly service: Service;
  readonly key: string;
  readonly bare: { readonly url: string; readonly pid: number };
}

export async function measureRound({ server, database, service, key, bare }: Site, seconds: number): Promise<Round> {
  const path = '/v1/touchpoint-events';
  const load = { key, connections: CONNECTIONS, seconds };
  const bareBefore = processorMs(bare.pid);
  const bareReport = await postEvents({ ...load, url: bare.url + path });
  const bareMs = (processorMs(bare.pid) - bareBefore) / bareReport.requests;
  const before = { service: processorMs(service.child.pid), postgres: processorMs(server.pid, { withChildren: true }) };
  const report = await postEvents({ ...load, url: service.url + path });
  // Until the last event is an intro.
  const drained = await drain(database, DRAIN_LIMIT_S);
  if (report.failures > 0) throw new Error(`${report.failures} of ${report.requests} requests failed`);
  if (!Number.isFinite(drained.seconds)) throw new Error(`events still wait after ${DRAIN_LIMIT_S} s`);
  const events = report.requests;
  const round = {
    events,
    bareMs,
    serviceMs: (processorMs(service.child.pid) - before.service) / events,
    postgresMs: (processorMs(server.pid, { withChildren: true }) - before.postgres) / events,
  };
  const shown = [round.serviceMs, round.postgresMs, bareMs].map((value) => microseconds(value * 1_000));
  print(`  ${events} events: service ${shown[0]}, PostgreSQL ${shown[1]}; a bare Fastify ${shown[2]}`);
  return round;
}

/** Apart from the service, so that its processor time is measured separately. */
export async function openPostgres() {
  const server = await startEmbeddedPostgres({ dataDir: makeFolder(), settings: SETTINGS });
  atEnd(() => server.stop());
  const { host, user } = server.connection;
  const environment = { DATABASE_URL: `postgresql:///postgres?host=${encodeURIComponent(host)}&user=${user}` };
  return { server, environment };
}

export async function openSite(
  server: EmbeddedPostgres,
  environment: Record<string, string>,
  { dataDir, key }: { dataDir: string; key: string },
  nodeOptions: string[] = [],
): Promise<Site> {
  const service = await startService({ dataDir, environment, nodeOptions });
  const port = await freePort();
  const part = await startPart('ceilings/bare-fastify.ts', [`${port}`, '{"id":"evt_0"}']);
  const database = new pg.Client({ connectionString: environment.DATABASE_URL });
  database.on('error', () => undefined);
  await database.connect();
  const bare = { url: `http://127.0.0.1:${port}`, pid: part.pid ?? -1 };
  return { server, database, service, key, bare };
}

/** The processor time of an event from its request to its intro, of the service and of PostgreSQL, and where it goes. */
export async function measureCost(quick: boolean): Promise<Finding[]> {
  const { server, environment } = await openPostgres();
  const prepared = await prepareDataDir(environment, { phone: TEST_NUMBER });
  const site = await openSite(server, environment, prepared);
  const [warmUps, rounds, seconds] = quick ? [1, 1, 2] : [WARM_UP_ROUNDS, 5, 5];
  print(
    `${warmUps} rounds to warm up, then ${rounds} of ${seconds} s at ${CONNECTIONS} connections, each until all events are intros`,
  );
  for (let n = 0; n < warmUps; n++) await measureRound(site, seconds);
  await resetStatements(site.database);
  const measured: Round[] = [];
  for (let n = 0; n < rounds; n++) measured.push(await measureRound(site, seconds));
  const events = measured.reduce((sum, round) => sum + round.events, 0);
  const statements = await listStatements(site.database, events);
  await site.database.end();
  await stop(site.service.child);

  print('once more with the profiler of Node, which itself takes time');
  const profiles = makeFolder();
  const profiled = await openSite(server, environment, prepared, ['--cpu-prof', `--cpu-prof-dir=${profiles}`]);
  const started = performance.now();
  for (let n = 0; n < warmUps; n++) await measureRound(profiled, seconds);
  const warmUpMs = performance.now() - started;
  await measureRound(profiled, seconds);
  await profiled.database.end();
  await stop(profiled.service.child);
  const [profile = ''] = readdirSync(profiles);
  const stages = listStages(join(profiles, profile), profiled.service.readyMs + warmUpMs);
  const of = (pick: (round: Round) => number) => median(measured.map(pick)) * 1_000;
  const ofBare = median(measured.map(({ serviceMs, postgresMs, bareMs }) => (serviceMs + postgresMs) / bareMs));
  const [service, postgres] = [of((one) => one.serviceMs), of((one) => one.postgresMs)];
  return [
    info('processor time of an event', microseconds(service + postgres)),
    atMost('  compared with a bare Fastify', ofBare, MAX_OF_BARE, times),
    info('  service', microseconds(service)),
    info('  PostgreSQL', microseconds(postgres)),
    info('  a bare Fastify with the same body', microseconds(of((one) => one.bareMs))),
    info('  stages of the service, by the profiler', ''),
    ...stages.map(([name, share]) => info(`    ${name}`, microseconds(share * service))),
    info('statements, as PostgreSQL counts their time', ''),
    ...statements,
    info('body of an event', `${EVENT_BODY.length} bytes`),
  ];
}
