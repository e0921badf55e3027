import type pg from 'pg';
import { findRunningPostgres } from '../packages/server/src/platform/embedded-postgres.ts';
import { makeFolder } from './children.ts';
import { atMost, type Finding, info, perSecond, print } from './figures.ts';
import { postEvents } from './load.ts';
import { connectToDatabase, drain, prepareDataDir, type Service, startService } from './service.ts';

const NODES = 3;
/** Every node needs the same one. */
const SERVER_KEY = '5e'.repeat(32);
/** Each sends its next event as soon as it has the response to the last one. */
const CLIENTS_PER_NODE = 32;
const SECONDS = 30;
const QUICK_SECONDS = 6;
const DRAIN_LIMIT_S = 120;
const MAX_P99_S = 5;

const seconds = (value: number): string => `${value.toFixed(2)} s`;

/** Nodes with all roles on one database; the first one runs it. */
async function startNodes(): Promise<{ nodes: Service[]; dataDir: string; key: string }> {
  const { dataDir, key } = await prepareDataDir({ SERVER_KEY });
  const first = await startService({ dataDir, environment: { SERVER_KEY } });
  const connection = await findRunningPostgres(dataDir);
  if (connection === null) throw new Error('the database is not running');
  const { host, user, database } = connection;
  const environment = {
    SERVER_KEY,
    DATABASE_URL: `postgresql:///${database}?host=${encodeURIComponent(host)}&user=${user}`,
  };
  const others = Array.from({ length: NODES - 1 }, () => startService({ dataDir: makeFolder(), environment }));
  return { nodes: [first, ...(await Promise.all(others))], dataDir, key };
}

interface Waits {
  readonly p50: number;
  readonly p99: number;
  readonly longest: number;
}

/** From accepted to processed. */
async function readWaits(database: pg.Client): Promise<Waits> {
  const { rows } = await database.query<Waits>(`
    select percentile_cont(0.5) within group (order by s)::float8 as p50,
      percentile_cont(0.99) within group (order by s)::float8 as p99, max(s)::float8 as longest
    from (select extract(epoch from settled_at - created_at) as s from touchpoint_events) waits`);
  const [waits] = rows;
  if (waits === undefined) throw new Error('no event was accepted');
  return waits;
}

/** How long accepted events wait while clients send as fast as they get responses, with three nodes. */
export async function measureSaturation(quick: boolean): Promise<Finding[]> {
  const duration = quick ? QUICK_SECONDS : SECONDS;
  const { nodes, dataDir, key } = await startNodes();
  const database = await connectToDatabase(dataDir);
  print(`${NODES} nodes with ${CLIENTS_PER_NODE} clients each for ${duration} s, all sending as fast as they can`);
  const reports = await Promise.all(
    nodes.map(({ url }) =>
      postEvents({ url: `${url}/v1/touchpoint-events`, key, connections: CLIENTS_PER_NODE, seconds: duration }),
    ),
  );
  const accepted = reports.reduce((sum, { requests }) => sum + requests, 0);
  const failures = reports.reduce((sum, report) => sum + report.failures, 0);
  const drained = await drain(database, DRAIN_LIMIT_S);
  const waits = await readWaits(database);
  await database.end();
  return [
    info('accepted', perSecond(accepted / duration)),
    atMost('  not accepted', failures, 0, String),
    info('  waiting at the end, processed after', `${drained.waiting}, ${seconds(drained.seconds)}`),
    info('from accepted to processed: median, longest', `${seconds(waits.p50)}, ${seconds(waits.longest)}`),
    atMost('  p99', waits.p99, MAX_P99_S, seconds),
  ];
}
