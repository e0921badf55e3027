import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { atMost, type Finding, info, median, ms, print, times } from './figures.ts';
import { samplePaths } from './growth/requests.ts';
import { BIG_TABLES, writeRows } from './growth/rows.ts';
import { type LoadReport, postEvents, readPaths } from './load.ts';
import { connectTo, drain, openSite, prepare, type Site, signIn, startDatabase } from './service.ts';

const MANY = 10_000_000;
const FEW = 8_000;
const MAX_RATIO = 1.5;

type Place = Awaited<ReturnType<typeof startDatabase>>;

interface Side {
  readonly site: Site;
  readonly paths: Map<string, string[]>;
  /** How the caller of a path signs in. */
  headerOf(path: string): string;
}

async function openSide({ server, urlOf }: Place, name: string, total: number): Promise<Side> {
  const admin = new pg.Client(server.connection);
  await admin.connect();
  await admin.query(`create database ${name}`);
  await admin.end();
  const prepared = await prepare({ DATABASE_URL: urlOf(name) });
  const loading = await connectTo(prepared);
  const started = performance.now();
  await writeRows(loading, total);
  await loading.end();
  const seconds = Math.round((performance.now() - started) / 1000);
  print(`${name}: ${total.toLocaleString('en')} intros, events and keys in ${seconds} s`);
  const site = await openSite(prepared);
  const cookie = await signIn(site);
  const headerOf = (path: string) =>
    path.startsWith('/console/') ? `Cookie: ${cookie}` : `Authorization: Bearer ${site.key}`;
  return { site, paths: await samplePaths(site.database), headerOf };
}

type Measure = (side: Side, seconds: number) => Promise<LoadReport>;

function casesOf({ paths }: Side): [name: string, measure: Measure][] {
  const accept = (connections: number): Measure => {
    return async ({ site: { url, key, database } }, seconds) => {
      const report = await postEvents({ url, key, connections, seconds });
      await drain(database);
      return report;
    };
  };
  const read = (name: string): Measure => {
    return ({ site: { url }, paths: own, headerOf }, seconds) =>
      readPaths({ url, connections: 1, seconds }, headerOf(name), own.get(name) ?? []);
  };
  return [
    ['accept an event', accept(1)],
    ['accept an event, 16 connections', accept(16)],
    ...[...paths.keys()].map((name): [string, Measure] => [name, read(name)]),
  ];
}

/** Alternates between both sides, so that other load on the machine affects both. The first run of each warms up. */
async function compare(few: Side, many: Side, rounds: number, seconds: number): Promise<Finding[]> {
  const findings: Finding[] = [];
  for (const [name, measure] of casesOf(many)) {
    await measure(few, 1);
    await measure(many, 1);
    const p95s: [number[], number[]] = [[], []];
    for (let round = 0; round < rounds; round++) {
      for (const [i, side] of [few, many].entries()) p95s[i]?.push((await measure(side, seconds)).p95Ms);
    }
    const [before, after] = [median(p95s[0]), median(p95s[1])];
    const finding = atMost(`${name}: ${ms(before)} and ${ms(after)}`, after / before, MAX_RATIO, times);
    print(`  ${finding.name}, ${finding.measured}`);
    findings.push(finding);
  }
  return findings;
}

/** PostgreSQL publishes its counters with a delay. */
const COUNTERS_SETTLE_MS = 1_500;
/** Shorter times are noise. */
const MIN_MS = 1;
const MAX_STATEMENT_RATIO = 2;
const SHOWN_LENGTH = 70;

export async function resetCounters(database: pg.Client): Promise<void> {
  await database.query('create extension if not exists pg_stat_statements');
  await database.query('select pg_stat_statements_reset(), pg_stat_reset()');
}

/** Sequential scans since the counters were reset. */
async function evaluateScans(database: pg.Client): Promise<Finding[]> {
  await sleep(COUNTERS_SETTLE_MS);
  const { rows } = await database.query<{ relname: string; scans: number }>(
    'select relname, seq_scan::float8 as scans from pg_stat_user_tables where relname = any($1)',
    [BIG_TABLES],
  );
  return rows.map(({ relname, scans }) => atMost(`sequential scans of ${relname}`, scans, 0, String));
}

async function readTimes(database: pg.Client): Promise<Map<string, number>> {
  const { rows } = await database.query<{ query: string; mean: number }>(
    `select query, (sum(total_exec_time) / sum(calls))::float8 as mean from pg_stat_statements
     where dbid = (select oid from pg_database where datname = current_database()) and toplevel and calls > 1
     group by query`,
  );
  return new Map(rows.map(({ query, mean }) => [query, mean]));
}

/**
 * Finds statements that slowed down, including background ones. A plan can be bad without a sequential scan, which the
 * service disables: reading a whole index costs as much.
 */
async function evaluateStatements(few: pg.Client, many: pg.Client): Promise<Finding[]> {
  const [before, after] = [await readTimes(few), await readTimes(many)];
  const slower: Finding[] = [];
  for (const [query, mean] of after) {
    // A statement that never ran with few rows counts as slower, because there is nothing to compare.
    const ratio = mean / (before.get(query) ?? 0);
    if (mean < MIN_MS || ratio <= MAX_STATEMENT_RATIO) continue;
    const shown = query.replaceAll(/\s+/g, ' ').trim().slice(0, SHOWN_LENGTH);
    slower.push(info(`  ${ms(mean / ratio)} and ${ms(mean)}: ${shown}`, times(ratio)));
  }
  return [
    atMost(`statements that take more than ${times(MAX_STATEMENT_RATIO)} as long`, slower.length, 0, String),
    ...slower,
  ];
}

/** Finds what gets slower as tables grow: sends the same requests to ten million rows and to a few thousand. */
export async function measureGrowth(quick: boolean): Promise<Finding[]> {
  const place = await startDatabase({ wal_level: 'minimal' });
  const few = await openSide(place, 'few', FEW);
  const many = await openSide(place, 'many', quick ? MANY / 20 : MANY);
  const databases = [few.site.database, many.site.database] as const;
  for (const database of databases) await resetCounters(database);
  const findings = await compare(few, many, quick ? 1 : 5, quick ? 1 : 2);
  const scans = await evaluateScans(databases[1]);
  const statements = await evaluateStatements(...databases);
  await few.site.close();
  await many.site.close();
  return [info('p95 with few rows and with many', 'many / few'), ...findings, ...scans, ...statements];
}
