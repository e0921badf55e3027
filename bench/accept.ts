import { setTimeout as sleep } from 'node:timers/promises';
import { atLeast, atMost, type Finding, info, median, ms, perSecond, print, quantile, times } from './figures.ts';
import { EVENTS_PATH, postEvents } from './load.ts';
import { call, drain, openSite, postOneEvent, prepare, readNumber, type Site, startBare } from './service.ts';

const CONNECTIONS = 64;
const MIN_OF_BARE = 0.4;
const MAX_P99_OF_BARE = 4;
const MAX_PROCESSED_MS = 100;
const POLL_MS = 2;
/** Not a divisor of any polling interval, so that events arrive at every phase of the worker's cycle. */
const PAUSE_MS = 137;

interface Round {
  readonly bare: number;
  readonly service: number;
  /** Events a second, until the last one is an intro. */
  readonly allTheWay: number;
  readonly bareP99Ms: number;
  readonly serviceP99Ms: number;
}

/** Sends events to a bare Fastify and to the service, and compares the service's responses with the database. */
async function runRound(site: Site, bareUrl: string, seconds: number): Promise<Round> {
  const load = { key: site.key, connections: CONNECTIONS, seconds };
  const bare = await postEvents({ ...load, url: bareUrl });
  const count = () => readNumber(site.database, 'select count(*)::int as n from touchpoint_events');
  const before = await count();
  const report = await postEvents({ ...load, url: site.url });
  const drainS = await drain(site.database);
  const stored = (await count()) - before;
  if (stored !== report.requests) throw new Error(`${report.requests} responses with 202, but ${stored} events stored`);
  const round: Round = {
    bare: bare.requests / bare.seconds,
    service: report.requests / report.seconds,
    allTheWay: report.requests / (report.seconds + drainS),
    bareP99Ms: bare.p99Ms,
    serviceP99Ms: report.p99Ms,
  };
  print(`  ${perSecond(round.service)}, bare ${perSecond(round.bare)}`);
  return round;
}

/** Time from the 202 to the first response with status processed, one event at a time. */
async function measureProcessing(site: Site, count: number): Promise<number[]> {
  const took: number[] = [];
  for (let n = 0; n < count; n++) {
    const { id } = await postOneEvent(site);
    const started = performance.now();
    while ((await call<{ status: string }>(site, 'GET', `/v1/events/${id}`)).status !== 'processed')
      await sleep(POLL_MS);
    took.push(performance.now() - started);
    await sleep(PAUSE_MS);
  }
  return took;
}

/** Rounds are short, because accepting slows down to the rate of processing when events have waited for a second. */
export async function measureAccepting(quick: boolean): Promise<Finding[]> {
  const { rounds, seconds, warmUp, singles } = quick
    ? { rounds: 1, seconds: 2, warmUp: 1, singles: 10 }
    : { rounds: 5, seconds: 3, warmUp: 5, singles: 50 };
  const site = await openSite(await prepare());
  const bare = await startBare(site);
  const took = await measureProcessing(site, singles);
  await runRound(site, bare.url, warmUp);
  const measured: Round[] = [];
  for (let n = 0; n < rounds; n++) measured.push(await runRound(site, bare.url, seconds));
  // Ratios within each round, because other load on the machine affects both sides.
  const of = (pick: (round: Round) => number) => median(measured.map(pick));
  await site.close();
  const [service, ceiling] = [of((round) => round.service), of((round) => round.bare)];
  const ofBare = of((round) => round.service / round.bare);
  const p99OfBare = of((round) => round.serviceP99Ms / round.bareP99Ms);
  return [
    info(`POST ${EVENTS_PATH}`, `${perSecond(service)}; bare ${perSecond(ceiling)}`),
    atLeast('  compared with a bare Fastify', ofBare, MIN_OF_BARE, times),
    atMost('  p99 compared with a bare Fastify', p99OfBare, MAX_P99_OF_BARE, times),
    info('  events a second, all the way to the intro', perSecond(of((round) => round.allTheWay))),
    atMost(`accepted to processed, median of ${singles}`, median(took), MAX_PROCESSED_MS, ms),
    info('  p95', ms(quantile(took, 0.95))),
  ];
}
