import pg from 'pg';
import { type EmbeddedPostgres, startEmbeddedPostgres } from '../packages/server/src/platform/embedded-postgres.ts';
import { idBound, newId } from '../packages/server/src/platform/ids.ts';
import { atEnd, makeFolder } from './children.ts';
import { type Finding, info, median, print, times } from './figures.ts';
import { processorMs } from './processes.ts';
import { prepareDataDir } from './service.ts';

const DAYS = 30;
const DAY_MS = 86_400_000;
const ORGANIZATIONS = 20;
/** Rows that one statement writes, like a batch of requests. */
const BATCH = 20;
const TABLES = ['plain', 'parted'] as const;
type Table = (typeof TABLES)[number];

interface Site {
  readonly server: EmbeddedPostgres;
  readonly client: pg.Client;
  /** The start of the oldest day. */
  readonly from: number;
}

const organizationOf = (n: number): string => `org_${String(n % ORGANIZATIONS).padStart(26, '0')}`;

/**
 * The request log as it is, and once more with a partition for each day. The range is one of ids, which begin with their time, so
 * that the primary key stays as it is.
 */
async function createTables({ client, from }: Site): Promise<void> {
  await client.query('create table plain (like request_log including all)');
  await client.query('create table parted (like request_log including all) partition by range (id)');
  for (let day = 0; day <= DAYS; day++) {
    const [start, end] = [from + day * DAY_MS, from + (day + 1) * DAY_MS].map((at) => idBound('req', new Date(at)));
    await client.query(`create table parted_${day} partition of parted for values from ('${start}') to ('${end}')`);
  }
}

const COLUMNS =
  'organization_id, environment, id, key_id, method, path, status, duration_ms, body, body_bytes, created_at';

/** The same rows in both tables, spread over all days. */
async function fill({ client, from }: Site, rows: number): Promise<string[]> {
  const ids: string[] = [];
  const lot = 5_000;
  for (let start = 0; start < rows; start += lot) {
    const at = new Date(from + (start / rows) * DAYS * DAY_MS);
    const part = Array.from({ length: Math.min(lot, rows - start) }, () => newId('req', at));
    ids.push(...part);
    for (const table of TABLES) await insert(client, table, part, at);
  }
  for (const table of TABLES) await client.query(`vacuum analyze ${table}`);
  return ids;
}

const insert = (client: pg.Client, table: Table, ids: readonly string[], at: Date) =>
  client.query({
    name: `insert into ${table}`,
    text: `insert into ${table} (${COLUMNS})
      select i.organization_id, 'test', i.id, 'key_0', 'POST', '/v1/touchpoint-events', 202, 3.5, $3, 400, $4
      from unnest($1::text[], $2::text[]) as i(organization_id, id)`,
    values: [ids.map((_, n) => organizationOf(n)), ids, '{"touchpoint":"on_my_way"}'.padEnd(400), at],
  });

/** Processor time of PostgreSQL for each call of `work`, in ms. */
async function costOf({ server }: Site, calls: number, work: (n: number) => Promise<unknown>): Promise<number> {
  const before = processorMs(server.pid, { withChildren: true });
  for (let n = 0; n < calls; n++) await work(n);
  return (processorMs(server.pid, { withChildren: true }) - before) / calls;
}

const LISTED = 50;

function statementsOf({ client }: Site, table: Table, ids: readonly string[]) {
  return {
    insert: () => {
      const now = new Date();
      return insert(
        client,
        table,
        Array.from({ length: BATCH }, () => newId('req', now)),
        now,
      );
    },
    find: (n: number) => {
      const at = (n * 7_919) % ids.length;
      return client.query({
        name: `find in ${table}`,
        text: `select * from ${table} where organization_id = $1 and id = $2`,
        values: [organizationOf(at), ids[at]],
      });
    },
    list: (n: number) =>
      client.query({
        name: `list ${table}`,
        text: `select id, status, path from ${table} where organization_id = $1 and environment = 'test'
          order by id desc limit ${LISTED}`,
        values: [organizationOf(n)],
      }),
  };
}

const REMOVED_AT_ONCE = 500;

/** Removes the oldest day: rows in batches, as retention does, or the partition. */
async function removeDay({ client, from }: Site, table: Table): Promise<number> {
  const startedMs = performance.now();
  if (table === 'parted') await client.query('drop table parted_0');
  else {
    const end = idBound('req', new Date(from + DAY_MS));
    let removed: number | null;
    do {
      ({ rowCount: removed } = await client.query({
        name: 'remove',
        text: `delete from plain where ctid = any (array(
          select ctid from plain where organization_id = any ($1::text[]) and id < $2 order by organization_id, id
          limit ${REMOVED_AT_ONCE}))`,
        values: [Array.from({ length: ORGANIZATIONS }, (_, n) => organizationOf(n)), end],
      }));
    } while ((removed ?? 0) > 0);
    await client.query('vacuum plain');
  }
  return performance.now() - startedMs;
}

async function openSite(): Promise<Site> {
  const server = await startEmbeddedPostgres({ dataDir: makeFolder(), settings: { max_wal_size: '4GB' } });
  atEnd(() => server.stop());
  const { host, user } = server.connection;
  const url = `postgresql:///postgres?host=${encodeURIComponent(host)}&user=${user}`;
  await prepareDataDir({ DATABASE_URL: url });
  const client = new pg.Client({ connectionString: url });
  client.on('error', () => undefined);
  await client.connect();
  // The settings of the service's connections (platform/db.ts).
  await client.query('set plan_cache_mode = force_generic_plan; set enable_seqscan = off');
  return { server, client, from: Math.floor(Date.now() / DAY_MS) * DAY_MS - (DAYS - 1) * DAY_MS };
}

/** Compares the request log with a copy that has a partition for each day: writing, reading one row, lists, removing a day. */
export async function measurePartitions(quick: boolean): Promise<Finding[]> {
  const site = await openSite();
  await createTables(site);
  const [rows, rounds, calls] = quick ? [20_000, 1, 100] : [1_000_000, 5, 1_000];
  print(`${rows} rows in ${DAYS} days, ${rounds} rounds of ${calls} statements each`);
  const ids = await fill(site, rows);
  const findings: Finding[] = [];
  for (const [name, kind] of [
    [`write ${BATCH} rows`, 'insert'],
    ['read one row', 'find'],
    [`list the newest ${LISTED} of an organization`, 'list'],
  ] as const) {
    const ratios: number[] = [];
    const costs: number[] = [];
    for (let round = 0; round < rounds; round++) {
      const plain = await costOf(site, calls, statementsOf(site, 'plain', ids)[kind]);
      const parted = await costOf(site, calls, statementsOf(site, 'parted', ids)[kind]);
      ratios.push(parted / plain);
      costs.push(plain * 1_000);
    }
    findings.push(info(`${name}: processor time with partitions, compared with one table`, times(median(ratios))));
    findings.push(info('  with one table', `${Math.round(median(costs))} µs`));
  }
  const [deletedMs = 0, droppedMs = 0] = [await removeDay(site, 'plain'), await removeDay(site, 'parted')];
  findings.push(info('remove the oldest day: delete and vacuum', `${Math.round(deletedMs)} ms`));
  findings.push(info('  drop its partition, compared with that', times(droppedMs / deletedMs)));
  await site.client.end();
  return findings;
}
