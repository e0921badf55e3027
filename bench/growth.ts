import pg from 'pg';
import { type EmbeddedPostgres, startEmbeddedPostgres } from '../packages/server/src/platform/embedded-postgres.ts';
import { atMost, type Finding, info, median, ms, print, times } from './figures.ts';
import { samplePaths } from './growth/requests.ts';
import { writeRows } from './growth/rows.ts';
import { countScans, evaluateScans, evaluateStatements, resetStatements, waitUntilIdle } from './growth/watch.ts';
import { type LoadReport, postEvents, readPaths } from './load.ts';
import { atEnd, makeFolder } from './processes.ts';
import { drain, openSite, prepare, type Site, signIn } from './service.ts';

const MANY = 10_000_000;
const FEW = 8_000;
const MAX_RATIO = 1.5;

interface Side {
  readonly site: Site;
  readonly paths: Map<string, string[]>;
  /** How the caller of a path signs in. */
  headerOf(path: string): string;
}

async function openSide(server: EmbeddedPostgres, name: string, total: number): Promise<Side> {
  const { host, user } = server.connection;
  const admin = new pg.Client(server.connection);
  await admin.connect();
  await admin.query(`create database ${name}`);
  await admin.end();
  const url = `postgresql:///${name}?host=${encodeURIComponent(host)}&user=${user}`;
  const prepared = await prepare({ environment: { DATABASE_URL: url } });
  const loading = new pg.Client({ host, user, database: name });
  await loading.connect();
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

async function accept({ site }: Side, connections: number, seconds: number): Promise<LoadReport> {
  const report = await postEvents({ url: site.url, key: site.key, connections, seconds });
  await drain(site.database);
  return report;
}

function casesOf({ paths }: Side): Map<string, Measure> {
  const cases = new Map<string, Measure>([
    ['accept an event', (side, seconds) => accept(side, 1, seconds)],
    ['accept an event, 16 connections', (side, seconds) => accept(side, 16, seconds)],
  ]);
  for (const name of paths.keys()) {
    cases.set(name, (side, seconds) => {
      const some = side.paths.get(name) ?? [];
      return readPaths({ url: side.site.url, connections: 1, seconds }, side.headerOf(some[0] ?? ''), some);
    });
  }
  return cases;
}

/** Alternates between both sides, so that other load on the machine affects both. The first run of each warms up. */
async function compare(few: Side, many: Side, rounds: number, seconds: number): Promise<Finding[]> {
  const findings: Finding[] = [];
  for (const [name, measure] of casesOf(many)) {
    await measure(few, 1);
    await measure(many, 1);
    const p95s: [number[], number[]] = [[], []];
    for (let round = 0; round < rounds; round++) {
      for (const [i, side] of [few, many].entries()) {
        const report = await measure(side, seconds);
        await waitUntilIdle(side.site.database);
        if (report.failures > 0) throw new Error(`${name}: ${report.failures} of ${report.requests} requests failed`);
        p95s[i]?.push(report.p95Ms);
      }
    }
    const [before, after] = [median(p95s[0]), median(p95s[1])];
    const finding = atMost(`${name}: ${ms(before)} and ${ms(after)}`, after / before, MAX_RATIO, times);
    print(`  ${finding.name}, ${finding.measured}`);
    findings.push(finding);
  }
  return findings;
}

/** Finds what gets slower as tables grow: sends the same requests to ten million rows and to a few thousand. */
export async function measureGrowth(quick: boolean): Promise<Finding[]> {
  const settings = { max_wal_size: '4GB', wal_level: 'minimal', shared_preload_libraries: 'pg_stat_statements' };
  const server = await startEmbeddedPostgres({ dataDir: makeFolder(), settings });
  atEnd(() => server.stop());
  const few = await openSide(server, 'few', FEW);
  const many = await openSide(server, 'many', quick ? MANY / 20 : MANY);
  const databases = [few.site.database, many.site.database] as const;
  for (const database of databases) await resetStatements(database);
  const before = await countScans(databases[1]);
  const findings = await compare(few, many, quick ? 1 : 5, quick ? 1 : 2);
  const scans = evaluateScans(before, await countScans(databases[1]));
  const statements = await evaluateStatements(...databases);
  await few.site.close();
  await many.site.close();
  return [info('p95 with few rows and with many', 'many / few'), ...findings, ...scans, ...statements];
}
