import { setTimeout as sleep } from 'node:timers/promises';
import { atLeast, atMost, type Finding, info, ms, perSecond, print, quantile } from '../figures.ts';
import { type LoadReport, postEvents } from '../load.ts';
import { processorMs } from '../processes.ts';
import { connectToDatabase, drain } from '../service.ts';
import { askReceivers, awaitArrivals, type Bench, giveUpWaiting, nowMs, publishBatch, tenantOf } from './site.ts';

const ANSWERING = 45;
const PER_SECOND = 2_000;
/** The share of the webhooks that the answering endpoints receive: 45 of 50 endpoints. */
const SHARE_ANSWERING = 0.9;
const TICK_MS = 25;
const CONNECTIONS = 64;
const DRAIN_LIMIT_S = 120;
/** Arriving at the rate at which they are published, apart from the end of the last batch. */
const MIN_SHARE_OF_RATE = 0.95;
/** Beyond a second, they wait in a queue that grows. */
const MAX_P95_MS = 1_000;

/** Events a second, all the way to the intro, with nothing else to do. */
async function measureFullLoad(bench: Bench, seconds: number): Promise<number> {
  const load = { url: `${bench.service.url}/v1/touchpoint-events`, key: bench.eventsKey, connections: CONNECTIONS };
  const database = await connectToDatabase(bench.dataDir);
  const report = await postEvents({ ...load, seconds });
  const drained = await drain(database, DRAIN_LIMIT_S);
  await database.end();
  return report.requests / (report.seconds + drained.seconds);
}

/** Publishes webhooks at a constant rate. Returns when each of the answering endpoints' was committed. */
async function publishAtRate(bench: Bench, seconds: number, rate: number): Promise<Map<number, number>> {
  const perTick = Math.round((rate * TICK_MS) / 1_000);
  const answering = Math.round(perTick * SHARE_ANSWERING);
  const endpoints = bench.tenants.slice(0, ANSWERING);
  const commits = new Map<number, number>();
  const started = nowMs();
  for (let tick = 0; tick < (seconds * 1_000) / TICK_MS; tick++) {
    await sleep(Math.max(0, started + tick * TICK_MS - nowMs()));
    const numbers = Array.from({ length: answering }, (_, i) => tick * answering + i);
    const toAnswering = numbers.map((n) => [tenantOf(endpoints, n), n] as const);
    const toHanging = Array.from({ length: perTick - answering }, (_, i) => [tenantOf(bench.hanging, i), -1] as const);
    const committedMs = await publishBatch(bench, [...toHanging, ...toAnswering]);
    for (const n of numbers) commits.set(n, committedMs);
  }
  return commits;
}

interface Run {
  /** Webhooks a second at the answering endpoints, from the first commit to the last arrival. */
  readonly arrived: number;
  readonly published: number;
  readonly p95Ms: number;
  readonly serviceMs: number;
  readonly events: LoadReport;
}

async function runBeside(bench: Bench, seconds: number, rate: number, eventsPerSecond: number): Promise<Run> {
  await askReceivers(bench, { type: 'reset' });
  const load = { url: `${bench.service.url}/v1/touchpoint-events`, key: bench.eventsKey, connections: CONNECTIONS };
  const events = postEvents({ ...load, seconds, perSecond: eventsPerSecond });
  const before = processorMs(bench.service.child.pid);
  const started = nowMs();
  const commits = await publishAtRate(bench, seconds, rate);
  const publishedS = (nowMs() - started) / 1_000;
  const arrivals = await awaitArrivals(bench, commits.size);
  const run: Run = {
    arrived: commits.size / ((Math.max(...arrivals.map(([, atMs]) => atMs)) - started) / 1_000),
    published: commits.size / publishedS,
    p95Ms: quantile(
      arrivals.map(([n, atMs]) => atMs - (commits.get(n) ?? Number.NaN)),
      0.95,
    ),
    serviceMs: processorMs(bench.service.child.pid) - before,
    events: await events,
  };
  await giveUpWaiting(bench);
  if (run.events.failures > 0) throw new Error(`${run.events.failures} of ${run.events.requests} events failed`);
  return run;
}

/** 2,000 webhooks a second to 50 endpoints, five of which hang, while half as many events arrive as the service can take. */
export async function measureBesideEvents(bench: Bench, quick: boolean): Promise<Finding[]> {
  const seconds = quick ? 3 : 20;
  print('the most events a second, all the way to the intro');
  await measureFullLoad(bench, quick ? 2 : 10);
  const full = await measureFullLoad(bench, quick ? 2 : 10);
  const half = full / 2;
  print(`${perSecond(PER_SECOND)} webhooks to 50 endpoints, 5 of which hang, beside ${perSecond(half)} events`);
  const run = await runBeside(bench, seconds, PER_SECOND, half);
  const wanted = PER_SECOND * SHARE_ANSWERING;
  return [
    info('events a second, all the way to the intro', perSecond(full)),
    info(`${perSecond(PER_SECOND)} webhooks to 50 endpoints, 5 of which hang, beside ${perSecond(half)} events`, ''),
    info('  published for the 45 others', perSecond(run.published)),
    atLeast('  arrived at the 45 others', run.arrived, wanted * MIN_SHARE_OF_RATE, perSecond),
    atMost('  p95 from commit to first byte', run.p95Ms, MAX_P95_MS, ms),
    info('  accepted events', perSecond(run.events.requests / run.events.seconds)),
    info('  p99 of accepting', ms(run.events.p99Ms)),
    info('  processor time of the service', `${((run.serviceMs / 1_000 / seconds) * 100).toFixed(0)} % of a core`),
  ];
}
