import { setTimeout as sleep } from 'node:timers/promises';
import { ask } from './children.ts';
import { atLeast, atMost, type Finding, info, median, ms, perSecond, print, quantile, times } from './figures.ts';
import { measureBesideEvents } from './webhooks/beside-events.ts';
import type { LoopReport, LoopRound } from './webhooks/post-loop.ts';
import {
  askReceivers,
  awaitArrivals,
  type Bench,
  giveUpWaiting,
  nowMs,
  openBench,
  PADDING,
  publishBatch,
  tenantOf,
} from './webhooks/site.ts';

const MIN_PER_SECOND = 1_000;
const MAX_FIRST_BYTE_MS = 50;
const MAX_P95_WITH_HANGING = 1.5;
/** Webhooks per transaction, as in a batch of processed events. */
const BATCH_SIZE = 50;
const LOOP_PARALLEL = 64;
/** A constant rate well below the maximum, so that the effect of the hanging endpoint shows and not the queue. */
const FLOW_PER_TICK = 6;
const FLOW_TICK_MS = 20;
const HANGING_PER_TICK = 2;
/** Longer than the pause between two hints, and not a multiple of any of the worker's intervals. */
const PAUSE_MS = 637;

interface Effort {
  readonly rounds: number;
  readonly webhooks: number;
  readonly flowSeconds: number;
  readonly singles: number;
}

const FULL: Effort = { rounds: 3, webhooks: 10_000, flowSeconds: 6, singles: 50 };
const QUICK: Effort = { rounds: 1, webhooks: 1_000, flowSeconds: 2, singles: 10 };

/** Webhooks per second in a burst, from the first transaction to the last arrival. */
async function measureBurst(bench: Bench, count: number): Promise<number> {
  await askReceivers(bench, { type: 'reset' });
  const started = nowMs();
  for (let n = 0; n < count; n += BATCH_SIZE) {
    const numbers = Array.from({ length: Math.min(BATCH_SIZE, count - n) }, (_, i) => n + i);
    await publishBatch(
      bench,
      numbers.map((number) => [tenantOf(bench.tenants, number), number] as const),
    );
  }
  const arrivals = await awaitArrivals(bench, count);
  return count / ((Math.max(...arrivals.map(([, atMs]) => atMs)) - started) / 1000);
}

/** p95 from commit to first byte at a constant rate, for the responding endpoints. */
async function measureFlow(bench: Bench, seconds: number, withHanging: boolean): Promise<number> {
  await askReceivers(bench, { type: 'reset' });
  const commits = new Map<number, number>();
  const ticks = Math.round((seconds * 1000) / FLOW_TICK_MS);
  const started = nowMs();
  let n = 0;
  for (let tick = 0; tick < ticks; tick++) {
    await sleep(Math.max(0, started + tick * FLOW_TICK_MS - nowMs()));
    const numbers = Array.from({ length: FLOW_PER_TICK }, (_, i) => n + i);
    n += FLOW_PER_TICK;
    const batch = numbers.map((number) => [tenantOf(bench.tenants, number), number] as const);
    const others = withHanging
      ? Array.from({ length: HANGING_PER_TICK }, () => [tenantOf(bench.hanging, 0), -1] as const)
      : [];
    const committedMs = await publishBatch(bench, [...others, ...batch]);
    for (const number of numbers) commits.set(number, committedMs);
  }
  const arrivals = await awaitArrivals(bench, n);
  return quantile(
    arrivals.map(([number, atMs]) => atMs - (commits.get(number) ?? Number.NaN)),
    0.95,
  );
}

async function measureSingles(bench: Bench, count: number): Promise<number[]> {
  const took: number[] = [];
  for (let n = 0; n < count; n++) {
    await askReceivers(bench, { type: 'reset' });
    const committedMs = await publishBatch(bench, [[tenantOf(bench.tenants, n), n]]);
    const [arrival] = await awaitArrivals(bench, 1);
    took.push((arrival?.[1] ?? Number.NaN) - committedMs);
    await sleep(PAUSE_MS);
  }
  return took;
}

async function measureLoop(bench: Bench, count: number): Promise<number> {
  const payload = JSON.stringify({ type: 'intro.ready', data: { object: 'intro', n: 0, padding: PADDING } });
  const round: LoopRound = { urls: bench.urls, payload, count, parallel: LOOP_PARALLEL };
  const { seconds, failures } = (await ask(bench.loop, round)) as LoopReport;
  if (failures > 0) throw new Error(`${failures} posts of the loop failed`);
  return count / seconds;
}

interface Round {
  readonly rate: number;
  readonly loop: number;
  readonly p95Ms: number;
  readonly p95WithHangingMs: number;
}

async function runRound(bench: Bench, effort: Effort): Promise<Round> {
  const round: Round = {
    loop: await measureLoop(bench, effort.webhooks),
    rate: await measureBurst(bench, effort.webhooks),
    p95Ms: await measureFlow(bench, effort.flowSeconds, false),
    p95WithHangingMs: await measureFlow(bench, effort.flowSeconds, true),
  };
  await giveUpWaiting(bench);
  print(
    `  webhooks ${perSecond(round.rate)}  loop ${perSecond(round.loop)}  p95 ${ms(round.p95Ms)}, ` +
      `with a hanging endpoint ${ms(round.p95WithHangingMs)}`,
  );
  return round;
}

export async function measureWebhooks(quick: boolean): Promise<Finding[]> {
  const effort = quick ? QUICK : FULL;
  const bench = await openBench();
  print('warm-up');
  await measureLoop(bench, effort.webhooks);
  await measureBurst(bench, effort.webhooks);
  const singles = await measureSingles(bench, effort.singles);
  const rounds: Round[] = [];
  for (let n = 1; n <= effort.rounds; n++) {
    print(`${effort.webhooks} webhooks to ${bench.urls.length} endpoints, round ${n} of ${effort.rounds}`);
    rounds.push(await runRound(bench, effort));
  }
  const besideEvents = await measureBesideEvents(bench, quick);
  const of = (pick: (round: Round) => number) => median(rounds.map(pick));
  const flow = `${(FLOW_PER_TICK * 1000) / FLOW_TICK_MS} a second`;
  return [
    atLeast(
      `${effort.webhooks} webhooks to 100 endpoints`,
      of(({ rate }) => rate),
      MIN_PER_SECOND,
      perSecond,
    ),
    info(
      '  compared with a loop that only signs and posts',
      `${times(of(({ rate, loop }) => rate / loop))} of ${perSecond(of(({ loop }) => loop))}`,
    ),
    atMost(`commit to first byte of a single one, median of ${effort.singles}`, median(singles), MAX_FIRST_BYTE_MS, ms),
    info('  p95', ms(quantile(singles, 0.95))),
    info(
      `p95 at ${flow}, without and with a hanging endpoint`,
      `${ms(of(({ p95Ms }) => p95Ms))}, ${ms(of((round) => round.p95WithHangingMs))}`,
    ),
    atMost(
      '  with, compared with without',
      of((round) => round.p95WithHangingMs / round.p95Ms),
      MAX_P95_WITH_HANGING,
      times,
    ),
    ...besideEvents,
  ];
}
