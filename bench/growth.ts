import pg from 'pg';
import { type EmbeddedPostgres, startEmbeddedPostgres } from '../packages/server/src/platform/embedded-postgres.ts';
import { atEnd, makeFolder, stop } from './children.ts';
import { atMost, type Finding, info, median, ms, print, times } from './figures.ts';
import { samplePaths } from './growth/requests.ts';
import { writeRows } from './growth/rows.ts';
import { countScans, evaluateScans, evaluateStatements, resetStatements, waitUntilIdle } from './growth/watch.ts';
import { type LoadReport, postEvents, readPaths } from './load.ts';
import { drain, prepareDataDir, type Service, startService } from './service.ts';

const MANY = 10_000_000;
const FEW = 8_000;
const MAX_RATIO = 1.5;
const DRAIN_LIMIT_S = 60;

interface Side {
  readonly name: string;
  readonly database: pg.Client;
  readonly dataDir: string;
  readonly url: string;
  readonly key: string;
}

interface RunningSide extends Side {
  readonly service: Service;
  readonly paths: Map<string, string[]>;
}

async function prepareSide(server: EmbeddedPostgres, name: string, total: number): Promise<Side> {
  const { host, user } = server.connection;
  const admin = new pg.Client(server.connection);
  await admin.connect();
  await admin.query(`create database ${name}`);
  await admin.end();
  const url = `postgresql:///${name}?host=${encodeURIComponent(host)}&user=${user}`;
  const { dataDir, key } = await prepareDataDir({ DATABASE_URL: url });
  const database = new pg.Client({ host, user, database: name });
  database.on('error', () => undefined);
  await database.connect();
  const started = performance.now();
  await writeRows(database, total);
  print(
    `${name}: ${total.toLocaleString('en')} intros, events and keys in ${Math.round((performance.now() - started) / 1000)} s`,
  );
  return { name, database, dataDir, url, key };
}

async function accept(side: RunningSide, connections: number, seconds: number): Promise<LoadReport> {
  const url = `${side.service.url}/v1/touchpoint-events`;
  const report = await postEvents({ url, key: side.key, connections, seconds });
  await drain(side.database, DRAIN_LIMIT_S);
  return report;
}

type Measure = (side: RunningSide, seconds: number) => Promise<LoadReport>;

function casesOf(side: RunningSide): Map<string, Measure> {
  const cases = new Map<string, Measure>([
    ['accept an event', (on, seconds) => accept(on, 1, seconds)],
    ['accept an event, 16 connections', (on, seconds) => accept(on, 16, seconds)],
  ]);
  for (const name of side.paths.keys()) {
    cases.set(name, (on, seconds) =>
      readPaths({ url: on.service.url, key: on.key, connections: 1, seconds }, on.paths.get(name) ?? []),
    );
  }
  return cases;
}

/** Alternates between both sides, so that other load on the machine affects both. The first run of each warms up. */
async function compare(
  few: RunningSide,
  many: RunningSide,
  effort: { rounds: number; seconds: number },
): Promise<Finding[]> {
  const findings: Finding[] = [];
  for (const [name, measure] of casesOf(many)) {
    const p95s = { few: [] as number[], many: [] as number[] };
    await measure(few, 1);
    await measure(many, 1);
    await waitUntilIdle(many.database);
    for (let round = 0; round < effort.rounds; round++) {
      for (const [which, side] of [
        ['few', few],
        ['many', many],
      ] as const) {
        const report = await measure(side, effort.seconds);
        await waitUntilIdle(side.database);
        if (report.failures > 0) throw new Error(`${name}: ${report.failures} of ${report.requests} requests failed`);
        // Without any response in the round, the latency is at least the length of the round.
        p95s[which].push(report.requests === 0 ? effort.seconds * 1000 : report.p95Ms);
      }
    }
    const [before, after] = [median(p95s.few), median(p95s.many)];
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
  const few = await prepareSide(server, 'few', FEW);
  const many = await prepareSide(server, 'many', quick ? MANY / 20 : MANY);
  const run = async (side: Side): Promise<RunningSide> => {
    const paths = await samplePaths(side.database);
    return {
      ...side,
      paths,
      service: await startService({ dataDir: side.dataDir, environment: { DATABASE_URL: side.url } }),
    };
  };
  const [runningFew, runningMany] = [await run(few), await run(many)];
  await resetStatements(few.database);
  await resetStatements(many.database);
  const before = await countScans(many.database);
  const findings = await compare(
    runningFew,
    runningMany,
    quick ? { rounds: 1, seconds: 1 } : { rounds: 5, seconds: 2 },
  );
  await stop(runningFew.service.child);
  await stop(runningMany.service.child);
  const scans = evaluateScans(before, await countScans(many.database));
  const statements = await evaluateStatements(few.database, many.database);
  await few.database.end();
  await many.database.end();
  return [info('p95 with few rows and with many', 'many / few'), ...findings, ...scans, ...statements];
}
