import { setTimeout as sleep } from 'node:timers/promises';
import { atLeast, atMost, type Finding, info, median, ms, perSecond, print, quantile } from './figures.ts';
import { type LoadReport, postEvents } from './load.ts';
import { ask, startPart } from './processes.ts';
import { addOrganization, call, drain, openSite, postOneEvent, prepare, type Site } from './service.ts';
import type { Arrival, Ports } from './webhooks/receivers.ts';

const MIN_PER_SECOND = 1_000;
const MAX_FIRST_BYTE_MS = 50;
/** Each has 20 endpoints, as many as an organization can have. */
const ORGANIZATIONS = 5;
const ENDPOINTS = 20;
/** Longer than the pause between two hints, and not a multiple of any of the worker's intervals. */
const PAUSE_MS = 637;
/** Beside other events: webhooks a second to the 100 endpoints, and events of the organization whose endpoints hang. */
const PER_SECOND_BESIDE = 2_000;
const HANGING_PER_SECOND = 40;
const CONNECTIONS = 64;
/** Arriving at the rate at which they are published, apart from the end of the last batch. */
const MIN_SHARE_OF_RATE = 0.95;
/** Beyond a second, they wait in a queue that grows. */
const MAX_P95_MS = 1_000;

type Bench = Awaited<ReturnType<typeof openBench>>;

/** Organizations with 20 endpoints each, with one, and with endpoints that never respond. The site's own has none. */
async function openBench() {
  const site = await openSite(await prepare({ WEBHOOKS_ALLOW_PRIVATE: 'on' }));
  const receivers = await startPart('webhooks/receivers.ts', []);
  const { answering, hanging } = (await ask(receivers, {})) as Ports;
  const add = async (name: string, ports: readonly number[]) => {
    const organization = await addOrganization(site, name);
    for (const port of ports) {
      const endpoint = { url: `http://127.0.0.1:${port}/hook`, events: ['intro.requested'] };
      await call(organization, 'POST', '/v1/webhook_endpoints', endpoint);
    }
    return organization;
  };
  const organizations: Site[] = [];
  for (let n = 0; n < ORGANIZATIONS; n++)
    organizations.push(await add(`Many${n}`, answering.slice(n * ENDPOINTS, (n + 1) * ENDPOINTS)));
  const single = await add('Single', answering.slice(0, 1));
  return { site, receivers, organizations, single, hanging: await add('Hanging', hanging) };
}

const post = ({ url, key }: Site, connections: number, seconds: number, rate?: number): Promise<LoadReport> =>
  postEvents({ url, key, connections, seconds, ...(rate && { perSecond: rate }) });

async function awaitArrivals({ receivers }: Bench, count: number): Promise<readonly Arrival[]> {
  const arrivals = (await ask(receivers, { count })) as Arrival[];
  if (arrivals.length !== count) throw new Error(`${arrivals.length} of ${count} webhooks arrived`);
  return arrivals;
}

interface Burst {
  readonly count: number;
  /** Webhooks a second, from the first published one to the last arrival. */
  readonly rate: number;
  readonly waits: readonly number[];
}

/** Posts events in all organizations, each of which becomes a webhook to every endpoint. */
async function measureBurst(bench: Bench, webhooksPerSecond: number, seconds: number): Promise<Burst> {
  const rate = webhooksPerSecond / ORGANIZATIONS / ENDPOINTS;
  const reports = await Promise.all(bench.organizations.map((one) => post(one, 8, seconds, rate)));
  const count = reports.reduce((sum, { requests }) => sum + requests * ENDPOINTS, 0);
  const arrivals = await awaitArrivals(bench, count);
  const first = arrivals.reduce((least, [publishedMs]) => Math.min(least, publishedMs), Number.POSITIVE_INFINITY);
  const last = arrivals.reduce((most, [, atMs]) => Math.max(most, atMs), 0);
  const burst = { count, rate: count / ((last - first) / 1_000), waits: arrivals.map(([from, to]) => to - from) };
  print(`  ${count} webhooks to ${ORGANIZATIONS * ENDPOINTS} endpoints: ${perSecond(burst.rate)}`);
  return burst;
}

/** From the time in the webhook to its first byte, one webhook at a time. */
async function measureSingles(bench: Bench, count: number): Promise<number[]> {
  const took: number[] = [];
  for (let n = 0; n < count; n++) {
    await postOneEvent(bench.single);
    const [[publishedMs, atMs] = [0, 0]] = await awaitArrivals(bench, 1);
    took.push(atMs - publishedMs);
    await sleep(PAUSE_MS);
  }
  return took;
}

/** 2,000 webhooks a second, beside hanging endpoints and half as many events as the service can take. */
async function measureBesideEvents(bench: Bench, quick: boolean): Promise<Finding[]> {
  print('the most events a second, all the way to the intro');
  let full = 0;
  for (let n = 0; n < 2; n++) {
    const { requests, seconds } = await post(bench.site, CONNECTIONS, quick ? 2 : 10);
    full = requests / (seconds + (await drain(bench.site.database)));
  }
  const seconds = quick ? 3 : 20;
  const what = `${perSecond(PER_SECOND_BESIDE)} webhooks, beside 5 hanging endpoints and ${perSecond(full / 2)} events`;
  print(what);
  const [{ rate, waits }, events] = await Promise.all([
    measureBurst(bench, PER_SECOND_BESIDE, seconds),
    post(bench.site, CONNECTIONS, seconds, full / 2),
    post(bench.hanging, 8, seconds, HANGING_PER_SECOND),
  ]);
  return [
    info('events a second, all the way to the intro', perSecond(full)),
    info(what, ''),
    atLeast('  arrived', rate, PER_SECOND_BESIDE * MIN_SHARE_OF_RATE, perSecond),
    atMost('  p95 until the first byte', quantile(waits, 0.95), MAX_P95_MS, ms),
    info('  accepted events', `${perSecond(events.requests / events.seconds)}, p99 ${ms(events.p99Ms)}`),
  ];
}

export async function measureWebhooks(quick: boolean): Promise<Finding[]> {
  const [count, rounds, single] = quick ? [1_000, 1, 10] : [10_000, 3, 50];
  const bench = await openBench();
  await measureBurst(bench, count, 1);
  const singles = await measureSingles(bench, single);
  const rates: number[] = [];
  for (let n = 0; n < rounds; n++) rates.push((await measureBurst(bench, count, 1)).rate);
  const besideEvents = await measureBesideEvents(bench, quick);
  await bench.site.close();
  return [
    atLeast(`${count} webhooks to 100 endpoints`, median(rates), MIN_PER_SECOND, perSecond),
    atMost(`publishing to the first byte of a single one, median of ${single}`, median(singles), MAX_FIRST_BYTE_MS, ms),
    info('  p95', ms(quantile(singles, 0.95))),
    ...besideEvents,
  ];
}
