import type { ChildProcess } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Tables, Tenant } from '../packages/server/src/db/tenancy.ts';
import { createOrganization, testTenant } from '../packages/server/src/organizations/index.ts';
import { systemClock } from '../packages/server/src/platform/clock.ts';
import { type Database, inTransaction, openDatabase } from '../packages/server/src/platform/db.ts';
import { findRunningPostgres } from '../packages/server/src/platform/embedded-postgres.ts';
import { Hints } from '../packages/server/src/platform/hints.ts';
import { createSeal } from '../packages/server/src/platform/seal.ts';
import { openServerKey } from '../packages/server/src/platform/server-key.ts';
import {
  createContentSeal,
  createEndpoint,
  createPublish,
  type Publish,
  SEAL_PURPOSE,
} from '../packages/server/src/webhooks/index.ts';
import { atLeast, atMost, type Finding, info, median, ms, perSecond, print, quantile } from './figures.ts';
import { type LoadReport, postEvents } from './load.ts';
import { ask, atEnd, startPart } from './processes.ts';
import { drain, openSite, prepare, type Site } from './service.ts';
import type { Arrival, Ports, ReceiverRequest } from './webhooks/receivers.ts';

const MIN_PER_SECOND = 1_000;
const MAX_FIRST_BYTE_MS = 50;
/** Webhooks per transaction, as in a batch of processed events. */
const BATCH_SIZE = 50;
/** Longer than the pause between two hints, and not a multiple of any of the worker's intervals. */
const PAUSE_MS = 637;
/** Makes a payload as large as an intro. */
const PADDING = 'x'.repeat(1_000);
/** Beside events: webhooks a second to 50 endpoints, 5 of which hang. */
const PER_SECOND_BESIDE = 2_000;
const ANSWERING = 45;
const SHARE_ANSWERING = 0.9;
const TICK_MS = 25;
const CONNECTIONS = 64;
/** Arriving at the rate at which they are published, apart from the end of the last batch. */
const MIN_SHARE_OF_RATE = 0.95;
/** Beyond a second, they wait in a queue that grows. */
const MAX_P95_MS = 1_000;

interface Bench {
  readonly site: Site;
  readonly db: Database<Tables>;
  readonly publish: Publish;
  readonly receivers: ChildProcess;
  /** One organization with one endpoint for each responding receiver. */
  readonly tenants: Tenant[];
  /** Likewise, with receivers that never respond. */
  readonly hanging: Tenant[];
}

const nowMs = () => performance.timeOrigin + performance.now();
const askReceivers = ({ receivers }: Pick<Bench, 'receivers'>, request: ReceiverRequest) => ask(receivers, request);

async function openBench(): Promise<Bench> {
  const site = await openSite(await prepare({ environment: { WEBHOOKS_ALLOW_PRIVATE: 'on' } }));
  const connection = await findRunningPostgres(site.dataDir);
  if (connection === null) throw new Error('the database does not run');
  // As a node of the service does, so that its sender is woken.
  const hints = new Hints();
  const db = openDatabase<Tables>(connection, { max: 2, name: 'bench', hints, onError: () => undefined });
  hints.sendWith(db.pool);
  atEnd(async () => {
    await hints.close();
    await db.close().catch(() => undefined);
  });
  const receivers = await startPart('webhooks/receivers.ts', []);
  const ports = (await askReceivers({ receivers }, { type: 'ports' })) as Ports;
  const key = openServerKey({ dataDir: site.dataDir, given: undefined });
  const seal = createSeal(key.derive(SEAL_PURPOSE));
  const addTenants = async (list: readonly number[]): Promise<Tenant[]> => {
    const tenants: Tenant[] = [];
    for (const port of list) {
      await db.kysely.transaction().execute(async (tx) => {
        const values = { name: 'Bench', industry: 'real_estate' as const, lanes: [], timezone: 'America/Chicago' };
        const tenant = testTenant((await createOrganization(tx, systemClock, values)).id);
        const endpoint = { url: `http://127.0.0.1:${port}/hook`, events: ['*' as const], active: true };
        await createEndpoint({ clock: systemClock, seal, allowPrivate: true }, tx, tenant, endpoint);
        tenants.push(tenant);
      });
    }
    return tenants;
  };
  const [tenants, hanging] = [await addTenants(ports.answering), await addTenants(ports.hanging)];
  return { site, db, publish: createPublish(createContentSeal(key)), receivers, tenants, hanging };
}

/** Publishes one webhook of each tenant, with its number, in one transaction. Returns when it committed, in ms since 1970. */
async function publishBatch({ db, publish }: Bench, batch: readonly (readonly [Tenant | undefined, number])[]) {
  const events = batch.flatMap(([tenant, n]) =>
    tenant === undefined
      ? []
      : [{ tenant, type: 'intro.ready' as const, data: () => ({ object: 'intro', n, padding: PADDING }) }],
  );
  await inTransaction(db.pool, (client) => publish(client, events, systemClock()));
  return nowMs();
}

async function awaitArrivals(bench: Bench, count: number): Promise<readonly Arrival[]> {
  const arrivals = (await askReceivers(bench, { type: 'arrivals', count })) as Arrival[];
  const different = new Set(arrivals.map(([n]) => n)).size;
  if (different !== count) throw new Error(`${different} of ${count} webhooks arrived`);
  return arrivals;
}

const lastOf = (arrivals: readonly Arrival[]): number => arrivals.reduce((last, [, atMs]) => Math.max(last, atMs), 0);

/** Webhooks a second in a burst, from the first transaction to the last arrival. */
async function measureBurst(bench: Bench, count: number): Promise<number> {
  const { tenants } = bench;
  await askReceivers(bench, { type: 'reset' });
  const started = nowMs();
  for (let n = 0; n < count; n += BATCH_SIZE) {
    await publishBatch(
      bench,
      Array.from({ length: Math.min(BATCH_SIZE, count - n) }, (_, i) => [tenants[(n + i) % tenants.length], n + i]),
    );
  }
  const rate = count / ((lastOf(await awaitArrivals(bench, count)) - started) / 1000);
  print(`  ${count} webhooks to ${tenants.length} endpoints: ${perSecond(rate)}`);
  return rate;
}

/** From commit to first byte, one webhook at a time. */
async function measureSingles(bench: Bench, count: number): Promise<number[]> {
  const took: number[] = [];
  for (let n = 0; n < count; n++) {
    await askReceivers(bench, { type: 'reset' });
    const committedMs = await publishBatch(bench, [[bench.tenants[n % bench.tenants.length], n]]);
    took.push(lastOf(await awaitArrivals(bench, 1)) - committedMs);
    await sleep(PAUSE_MS);
  }
  return took;
}

/** Publishes webhooks at a constant rate. Returns when each of the answering endpoints' was committed. */
async function publishAtRate(bench: Bench, seconds: number): Promise<Map<number, number>> {
  const perTick = Math.round((PER_SECOND_BESIDE * TICK_MS) / 1_000);
  const answering = Math.round(perTick * SHARE_ANSWERING);
  const commits = new Map<number, number>();
  const started = nowMs();
  for (let tick = 0; tick < (seconds * 1_000) / TICK_MS; tick++) {
    await sleep(Math.max(0, started + tick * TICK_MS - nowMs()));
    const numbers = Array.from({ length: answering }, (_, i) => tick * answering + i);
    const committedMs = await publishBatch(bench, [
      ...Array.from({ length: perTick - answering }, (_, i) => [bench.hanging[i % bench.hanging.length], -1] as const),
      ...numbers.map((n) => [bench.tenants[n % ANSWERING], n] as const),
    ]);
    for (const n of numbers) commits.set(n, committedMs);
  }
  return commits;
}

const postFor = ({ site }: Bench, seconds: number, rate?: number): Promise<LoadReport> =>
  postEvents({ url: site.url, key: site.key, connections: CONNECTIONS, seconds, ...(rate && { perSecond: rate }) });

/** 2,000 webhooks a second to 50 endpoints, five of which hang, while half as many events arrive as the service can take. */
async function measureBesideEvents(bench: Bench, quick: boolean): Promise<Finding[]> {
  print('the most events a second, all the way to the intro');
  let full = 0;
  for (let n = 0; n < 2; n++) {
    const { requests, seconds } = await postFor(bench, quick ? 2 : 10);
    full = requests / (seconds + (await drain(bench.site.database)));
  }
  const seconds = quick ? 3 : 20;
  const what = `${perSecond(PER_SECOND_BESIDE)} webhooks to 50 endpoints, 5 of which hang, beside ${perSecond(full / 2)} events`;
  print(what);
  await askReceivers(bench, { type: 'reset' });
  const loading = postFor(bench, seconds, full / 2);
  const started = nowMs();
  const commits = await publishAtRate(bench, seconds);
  const arrivals = await awaitArrivals(bench, commits.size);
  const events = await loading;
  if (events.failures > 0) throw new Error(`${events.failures} of ${events.requests} events failed`);
  const arrived = commits.size / ((lastOf(arrivals) - started) / 1_000);
  const waits = arrivals.map(([n, atMs]) => atMs - (commits.get(n) ?? Number.NaN));
  return [
    info('events a second, all the way to the intro', perSecond(full)),
    info(what, ''),
    atLeast('  arrived at the 45 others', arrived, PER_SECOND_BESIDE * SHARE_ANSWERING * MIN_SHARE_OF_RATE, perSecond),
    atMost('  p95 from commit to first byte', quantile(waits, 0.95), MAX_P95_MS, ms),
    info('  accepted events', `${perSecond(events.requests / events.seconds)}, p99 ${ms(events.p99Ms)}`),
  ];
}

export async function measureWebhooks(quick: boolean): Promise<Finding[]> {
  const [count, rounds, single] = quick ? [1_000, 1, 10] : [10_000, 3, 50];
  const bench = await openBench();
  await measureBurst(bench, count);
  const singles = await measureSingles(bench, single);
  const rates: number[] = [];
  for (let n = 0; n < rounds; n++) rates.push(await measureBurst(bench, count));
  const besideEvents = await measureBesideEvents(bench, quick);
  await bench.site.close();
  return [
    atLeast(`${count} webhooks to 100 endpoints`, median(rates), MIN_PER_SECOND, perSecond),
    atMost(`commit to first byte of a single one, median of ${single}`, median(singles), MAX_FIRST_BYTE_MS, ms),
    info('  p95', ms(quantile(singles, 0.95))),
    ...besideEvents,
  ];
}
