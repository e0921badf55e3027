import type pg from 'pg';
import type { EmbeddedPostgres } from '../packages/server/src/db/embedded-postgres/index.ts';
import { atMost, type Finding, info, kilobytes, median, megabytes, print, times } from './figures.ts';
import { resetCounters } from './growth.ts';
import { EVENT_BODY, postEvents } from './load.ts';
import { processorMs } from './processes.ts';
import {
  drain,
  openSite,
  type Prepared,
  prepare,
  prepareTexted,
  readNumber,
  type Site,
  startBare,
  startDatabase,
} from './service.ts';

const CONNECTIONS = 64;
/** V8 optimizes code while it runs: the first rounds cost up to twice as much as later ones. */
const WARM_UP_ROUNDS = 4;
/** How many statements are listed. */
const SHOWN = 15;
const SHOWN_LENGTH = 80;

const microseconds = (ms: number): string => `${Math.round(ms * 1_000)} µs`;

/** For each event: milliseconds of processor time, and bytes of WAL and of the database. */
interface Round {
  readonly events: number;
  readonly service: number;
  readonly postgres: number;
  readonly bare: number;
  readonly wal: number;
  readonly size: number;
}

interface Place {
  readonly server: EmbeddedPostgres;
  readonly site: Site;
  readonly bare: Awaited<ReturnType<typeof startBare>>;
  readonly members: number;
  readonly seconds: number;
}

const WAL = "select pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0')::float8 as n";
const SIZE = 'select pg_database_size(current_database())::float8 as n';

async function measureRound({ server, site, bare, members, seconds }: Place): Promise<Round> {
  const load = { key: site.key, connections: CONNECTIONS, seconds, members };
  const bareBefore = processorMs(bare.child.pid);
  const bareReport = await postEvents({ ...load, url: bare.url });
  const bareMs = processorMs(bare.child.pid) - bareBefore;
  const spent = () => [processorMs(site.child.pid), processorMs(server.pid, { withChildren: true })] as const;
  const sizeBefore = await readNumber(site.database, SIZE);
  const [before, walBefore] = [spent(), await readNumber(site.database, WAL)];
  const { requests } = await postEvents({ ...load, url: site.url });
  await drain(site.database, { settled: true });
  const [after, walAfter] = [spent(), await readNumber(site.database, WAL)];
  const round: Round = {
    events: requests,
    service: (after[0] - before[0]) / requests,
    postgres: (after[1] - before[1]) / requests,
    bare: bareMs / bareReport.requests,
    wal: (walAfter - walBefore) / requests,
    size: ((await readNumber(site.database, SIZE)) - sizeBefore) / requests,
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
    [SHOWN],
  );
  return rows.map(({ query, calls, rows: count, total_ms }) => {
    const text = query.replaceAll(/\s+/g, ' ').trim().slice(0, SHOWN_LENGTH);
    const each = microseconds(total_ms / events);
    return info(`    ${text}`, `${each}, ${(calls / events).toFixed(3)} calls, ${(count / events).toFixed(2)} rows`);
  });
}

interface Case {
  readonly name: string;
  /** At most this many times what a bare Fastify takes for the same request. */
  readonly target: number;
  prepare(environment: Readonly<Record<string, string>>): Promise<Prepared & { readonly members?: number }>;
}

const CASES: readonly Case[] = [
  {
    name: 'an event, until its messages are settled: the member has no number, so nothing is sent',
    target: 20,
    prepare,
  },
  {
    name: "an event, until a carrier over HTTP has the member's text",
    target: 40,
    prepare: prepareTexted,
  },
];
const MAX_WAL = 5 * 1_024;
const MAX_SIZE = 3_000;

/** The processor time of the service and of PostgreSQL, and where it goes. */
async function measureCase({ name, target, prepare: prepareSite }: Case, quick: boolean): Promise<Finding[]> {
  print(name);
  // Apart from the service, so that its processor time is measured separately.
  const { server, urlOf } = await startDatabase();
  const prepared = await prepareSite({ DATABASE_URL: urlOf('postgres') });
  const site = await openSite(prepared);
  const bare = await startBare(site);
  const [warmUps, rounds, seconds] = quick ? [1, 1, 2] : [WARM_UP_ROUNDS, 5, 5];
  print(`${warmUps} rounds to warm up, then ${rounds} of ${seconds} s`);
  const place: Place = { server, site, bare, members: prepared.members ?? 0, seconds };
  await repeat(place, warmUps);
  await resetCounters(site.database);
  const measured = await repeat(place, rounds);
  const events = measured.reduce((sum, one) => sum + one.events, 0);
  const statements = await listStatements(site.database, events);
  await site.close();
  const of = (pick: (round: Round) => number) => median(measured.map(pick));
  const [service, postgres, wal] = [of((one) => one.service), of((one) => one.postgres), of((one) => one.wal)];
  const ofBare = of((one) => (one.service + one.postgres) / one.bare);
  return [
    info(name, microseconds(service + postgres)),
    atMost('  compared with a bare Fastify', ofBare, target, times),
    atMost('  WAL', wal, MAX_WAL, kilobytes),
    atMost(
      '  database, for 100,000 events',
      of((one) => one.size),
      MAX_SIZE,
      (bytes) => megabytes(bytes / 10),
    ),
    info('  service', microseconds(service)),
    info('  PostgreSQL', microseconds(postgres)),
    info('  a bare Fastify with the same body', microseconds(of((one) => one.bare))),
    info('  statements, as PostgreSQL counts their time', ''),
    ...statements,
  ];
}

/** Each with a database and a service of its own. */
export async function measureCost(quick: boolean): Promise<Finding[]> {
  const findings: Finding[] = [];
  for (const one of CASES) findings.push(...(await measureCase(one, quick)));
  return [...findings, info('body of an event', `${EVENT_BODY.length} bytes`)];
}
