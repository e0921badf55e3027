import pg from 'pg';
import { type EmbeddedPostgres, startEmbeddedPostgres } from '../packages/server/src/platform/embedded-postgres.ts';
import { atEnd, makeFolder, stop } from './children.ts';
import { aside, atMost, type Finding, median, ms, print, times } from './figures.ts';
import { drawPaths } from './growth/requests.ts';
import { writeRows } from './growth/rows.ts';
import { countScans, forgetStatements, judgeScans, judgeStatements, untilCalm } from './growth/watch.ts';
import { type LoadReport, postEvents, readPaths } from './load.ts';
import { drain, prepareDataDir, type Service, startService } from './service.ts';

const MANY = 2_000_000;
const FEW = 8_000;
const WANTED_RATIO = 1.5;
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
  const begun = performance.now();
  await writeRows(database, total);
  print(
    `${name}: ${total.toLocaleString('en')} intros, events and keys in ${Math.round((performance.now() - begun) / 1000)} s`,
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

/** One after the other, and so again: what else the machine does weighs on both. The first run of each only warms up. */
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
    await untilCalm(many.database);
    for (let round = 0; round < effort.rounds; round++) {
      for (const [which, side] of [
        ['few', few],
        ['many', many],
      ] as const) {
        const report = await measure(side, effort.seconds);
        await untilCalm(side.database);
        if (report.failures > 0) throw new Error(`${name}: ${report.failures} of ${report.requests} requests failed`);
        // No answer at all within the round: at least as slow as the round is long.
        p95s[which].push(report.requests === 0 ? effort.seconds * 1000 : report.p95Ms);
      }
    }
    const [before, after] = [median(p95s.few), median(p95s.many)];
    const finding = atMost(`${name}: ${ms(before)} and ${ms(after)}`, after / before, WANTED_RATIO, times);
    print(`  ${finding.what}, ${finding.measured}`);
    findings.push(finding);
  }
  return findings;
}

/** What gets slower as the tables grow: the same requests on two million rows and on few, side by side. */
export async function measureGrowth(quick: boolean): Promise<Finding[]> {
  const settings = { max_wal_size: '4GB', shared_preload_libraries: 'pg_stat_statements' };
  const server = await startEmbeddedPostgres({ dataDir: makeFolder(), settings });
  atEnd(() => server.stop());
  const few = await prepareSide(server, 'few', FEW);
  const many = await prepareSide(server, 'many', quick ? MANY / 20 : MANY);
  const run = async (side: Side): Promise<RunningSide> => {
    const paths = await drawPaths(side.database);
    return {
      ...side,
      paths,
      service: await startService({ dataDir: side.dataDir, environment: { DATABASE_URL: side.url } }),
    };
  };
  const [runningFew, runningMany] = [await run(few), await run(many)];
  await forgetStatements(few.database);
  await forgetStatements(many.database);
  const before = await countScans(many.database);
  const findings = await compare(
    runningFew,
    runningMany,
    quick ? { rounds: 1, seconds: 1 } : { rounds: 5, seconds: 2 },
  );
  await stop(runningFew.service.child);
  await stop(runningMany.service.child);
  const scans = judgeScans(before, await countScans(many.database));
  const statements = await judgeStatements(few.database, many.database);
  await few.database.end();
  await many.database.end();
  return [aside('p95 on few rows and on many', 'many / few'), ...findings, ...scans, ...statements];
}
