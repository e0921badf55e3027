import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import type pg from 'pg';
import { type EmbeddedPostgres, startEmbeddedPostgres } from '../packages/server/src/platform/embedded-postgres.ts';
import { listStages } from './cost/stages.ts';
import { atMost, type Finding, info, median, print, times } from './figures.ts';
import { resetStatements } from './growth/watch.ts';
import { EVENT_BODY, postEvents } from './load.ts';
import { atEnd, makeFolder, processorMs } from './processes.ts';
import { drain, openSite, prepare, type Site, startBare } from './service.ts';

/** 240 µs on a machine where a bare Fastify takes 25 µs for the same request. A shared machine is slower in both. */
const MAX_OF_BARE = 240 / 25;
const CONNECTIONS = 64;
/** Texts to it are simulated. */
const TEST_NUMBER = '+15005550123';
/** V8 optimizes code while it runs: the first rounds cost up to twice as much as later ones. */
const WARM_UP_ROUNDS = 4;
const SETTINGS = { max_wal_size: '4GB', shared_preload_libraries: 'pg_stat_statements' };
const SHOWN_STATEMENTS = 15;
const SHOWN_LENGTH = 80;

const microseconds = (ms: number): string => `${Math.round(ms * 1_000)} µs`;

/** Milliseconds of processor time for each event. */
interface Round {
  readonly events: number;
  readonly service: number;
  readonly postgres: number;
  readonly bare: number;
}

interface Place {
  readonly server: EmbeddedPostgres;
  readonly site: Site;
  readonly bare: Awaited<ReturnType<typeof startBare>>;
  readonly seconds: number;
}

async function measureRound({ server, site, bare, seconds }: Place): Promise<Round> {
  const load = { key: site.key, connections: CONNECTIONS, seconds };
  const bareBefore = processorMs(bare.child.pid);
  const bareReport = await postEvents({ ...load, url: bare.url });
  const bareMs = processorMs(bare.child.pid) - bareBefore;
  const spent = () => [processorMs(site.child.pid), processorMs(server.pid, { withChildren: true })] as const;
  const before = spent();
  const { requests, failures } = await postEvents({ ...load, url: site.url });
  // Until the last event is an intro.
  await drain(site.database);
  const after = spent();
  if (failures > 0) throw new Error(`${failures} of ${requests} requests failed`);
  const round: Round = {
    events: requests,
    service: (after[0] - before[0]) / requests,
    postgres: (after[1] - before[1]) / requests,
    bare: bareMs / bareReport.requests,
  };
  const shown = [round.service, round.postgres, round.bare].map(microseconds);
  print(`  ${requests} events: service ${shown[0]}, PostgreSQL ${shown[1]}; a bare Fastify ${shown[2]}`);
  return round;
}

async function repeat(place: Place, count: number): Promise<Round[]> {
  const rounds: Round[] = [];
  for (let n = 0; n < count; n++) rounds.push(await measureRound(place));
  return rounds;
}

/** The statements that take the most time of each event. Elapsed time within PostgreSQL, so waiting for a disk counts. */
async function listStatements(database: pg.Client, events: number): Promise<Finding[]> {
  const { rows } = await database.query<{ query: string; calls: number; rows: number; total_ms: number }>(
    `select query, calls::float8, rows::float8, total_exec_time::float8 as total_ms from pg_stat_statements
     where dbid = (select oid from pg_database where datname = current_database()) and toplevel
     order by total_exec_time desc limit $1`,
    [SHOWN_STATEMENTS],
  );
  return rows.map(({ query, calls, rows: count, total_ms }) => {
    const text = query.replaceAll(/\s+/g, ' ').trim().slice(0, SHOWN_LENGTH);
    const each = microseconds(total_ms / events);
    return info(`  ${text}`, `${each}, ${(calls / events).toFixed(3)} calls, ${(count / events).toFixed(2)} rows`);
  });
}

/** The processor time of an event from its request to its intro, of the service and of PostgreSQL, and where it goes. */
export async function measureCost(quick: boolean): Promise<Finding[]> {
  // Apart from the service, so that its processor time is measured separately.
  const server = await startEmbeddedPostgres({ dataDir: makeFolder(), settings: SETTINGS });
  atEnd(() => server.stop());
  const { host, user } = server.connection;
  const DATABASE_URL = `postgresql:///postgres?host=${encodeURIComponent(host)}&user=${user}`;
  const prepared = await prepare({ environment: { DATABASE_URL }, phone: TEST_NUMBER });
  const site = await openSite(prepared);
  const bare = await startBare(site);
  const [warmUps, rounds, seconds] = quick ? [1, 1, 2] : [WARM_UP_ROUNDS, 5, 5];
  print(`${warmUps} rounds to warm up, then ${rounds} of ${seconds} s, each until all events are intros`);
  const place: Place = { server, site, bare, seconds };
  await repeat(place, warmUps);
  await resetStatements(site.database);
  const measured = await repeat(place, rounds);
  const statements = await listStatements(
    site.database,
    measured.reduce((sum, { events }) => sum + events, 0),
  );
  await site.close();

  print('once more with the profiler of Node, which itself takes time');
  const profiles = makeFolder();
  const profiled = await openSite(prepared, ['--cpu-prof', `--cpu-prof-dir=${profiles}`]);
  const started = performance.now();
  await repeat({ ...place, site: profiled }, warmUps);
  const warmUpMs = performance.now() - started;
  await measureRound({ ...place, site: profiled });
  await profiled.close();
  const [profile = ''] = readdirSync(profiles);
  const stages = listStages(join(profiles, profile), profiled.readyMs + warmUpMs);
  const of = (pick: (round: Round) => number) => median(measured.map(pick));
  const [service, postgres] = [of((one) => one.service), of((one) => one.postgres)];
  const ofBare = of((one) => (one.service + one.postgres) / one.bare);
  return [
    info('processor time of an event', microseconds(service + postgres)),
    atMost('  compared with a bare Fastify', ofBare, MAX_OF_BARE, times),
    info('  service', microseconds(service)),
    info('  PostgreSQL', microseconds(postgres)),
    info('  a bare Fastify with the same body', microseconds(of((one) => one.bare))),
    info('  stages of the service, by the profiler', ''),
    ...stages.map(([name, share]) => info(`    ${name}`, microseconds(share * service))),
    info('statements, as PostgreSQL counts their time', ''),
    ...statements,
    info('body of an event', `${EVENT_BODY.length} bytes`),
  ];
}
