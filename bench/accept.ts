import type { ChildProcess } from 'node:child_process';
import type pg from 'pg';
import type { LoopReport, LoopRound } from './ceilings/insert-loop.ts';
import { ask, freePort, makeFolder, startPart } from './children.ts';
import { atLeast, atMost, type Finding, info, median, ms, perSecond, print, times } from './figures.ts';
import { EVENT_BODY, type LoadReport, postEvents } from './load.ts';
import { residentMb } from './processes.ts';
import { countEvents, drain, type Service } from './service.ts';

const EVENTS_PATH = '/v1/touchpoint-events';
const MIN_OF_BARE = 0.4;
const MIN_OF_LOOP = 1.2;
const MAX_P99_OF_BARE = 4;
const BETWEEN_ROUNDS_LIMIT_S = 120;

export interface Bench {
  readonly service: Service;
  readonly database: pg.Client;
  readonly dataDir: string;
  readonly key: string;
  /** Broken promises, such as an event with a 202 that is not in the database. Any of them fails the bench. */
  readonly violations: string[];
}

export interface Effort {
  readonly rounds: number;
  readonly seconds: number;
  readonly warmUpSeconds: number;
}

interface Ceilings {
  readonly bareUrl: string;
  readonly loop: ChildProcess;
}

export interface Round {
  readonly bare: number;
  readonly service: number;
  readonly loop: number;
  readonly bareP99Ms: number;
  readonly serviceP99Ms: number;
  /** Memory of the service's process once all events were processed. */
  readonly settledMb: number;
}

/** Sends one event and returns the response body. */
export async function postOneEvent(bench: Bench, key: string): Promise<string> {
  const response = await fetch(`${bench.service.url}${EVENTS_PATH}`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${bench.key}`,
      'content-type': 'application/json',
      'idempotency-key': key,
    },
    body: EVENT_BODY,
  });
  const body = await response.text();
  if (response.status !== 202) throw new Error(`posting an event returned ${response.status}: ${body}`);
  return body;
}

async function startCeilings(bench: Bench): Promise<Ceilings> {
  const response = await postOneEvent(bench, 'acme_crm:first:new_appointment');
  const port = await freePort();
  await startPart('ceilings/bare-fastify.ts', [`${port}`, response]);
  const loop = await startPart('ceilings/insert-loop.ts', [makeFolder(), EVENT_BODY]);
  return { bareUrl: `http://127.0.0.1:${port}`, loop };
}

/** Loads the service and compares its responses with the database. */
export async function postCounted(
  bench: Bench,
  options: { connections: number; seconds: number; perSecond?: number; whileLoading?: () => Promise<void> },
): Promise<LoadReport & { drainSeconds: number; waiting: number }> {
  const { database, key, violations, service } = bench;
  const { connections, whileLoading, ...pace } = options;
  const before = await countEvents(database);
  const [report] = await Promise.all([
    postEvents({ url: `${service.url}${EVENTS_PATH}`, key, connections, ...pace }),
    whileLoading?.(),
  ]);
  const drained = await drain(database, BETWEEN_ROUNDS_LIMIT_S);
  const unacknowledged = (await countEvents(database)) - before - report.requests;
  if (report.failures > 0) violations.push(`${report.failures} of ${report.requests} requests did not get a 202`);
  if (unacknowledged < 0)
    violations.push(`${-unacknowledged} of ${report.requests} events with a 202 are not in the database`);
  if (unacknowledged > connections)
    violations.push(`${unacknowledged} more events than responses, with ${connections} connections`);
  print(
    `  ${report.requests} responses with 202, ${report.requests + unacknowledged} new events in the database (including ` +
      `those in flight at the end); ${drained.waiting} waiting, processed in ${drained.seconds.toFixed(1)} s, ` +
      `longest pause ${drained.longestPauseS.toFixed(1)} s`,
  );
  return { ...report, drainSeconds: drained.seconds, waiting: drained.waiting };
}

async function runRound(bench: Bench, ceilings: Ceilings, connections: number, seconds: number): Promise<Round> {
  const bare = await postEvents({ url: `${ceilings.bareUrl}${EVENTS_PATH}`, key: bench.key, connections, seconds });
  const service = await postCounted(bench, { connections, seconds });
  const settledMb = residentMb(bench.service.child.pid);
  const loopRound: LoopRound = { connections, seconds };
  const loop = (await ask(ceilings.loop, loopRound)) as LoopReport;
  const round: Round = {
    bare: bare.requests / bare.seconds,
    service: service.requests / service.seconds,
    loop: loop.transactions / loop.seconds,
    bareP99Ms: bare.p99Ms,
    serviceP99Ms: service.p99Ms,
    settledMb,
  };
  print(
    `  bare ${perSecond(round.bare)}  service ${perSecond(round.service)}  loop ${perSecond(round.loop)}  ` +
      `service/bare ${times(round.service / round.bare)}  p99 ${ms(round.bareP99Ms)} and ${ms(round.serviceP99Ms)}`,
  );
  return round;
}

/** Measures the service and its two ceilings in turn, at 1, 16 and 64 connections. */
export async function measureAccepting(bench: Bench, effort: Effort): Promise<Map<number, Round[]>> {
  const ceilings = await startCeilings(bench);
  const roundsAt = new Map<number, Round[]>();
  print('warm-up');
  await runRound(bench, ceilings, 64, effort.warmUpSeconds);
  for (const connections of [1, 16, 64]) {
    const rounds: Round[] = [];
    for (let n = 1; n <= effort.rounds; n++) {
      print(`${connections} connections, round ${n} of ${effort.rounds}`);
      rounds.push(await runRound(bench, ceilings, connections, effort.seconds));
    }
    roundsAt.set(connections, rounds);
  }
  return roundsAt;
}

/** The median of ratios within each round, because other load on the machine affects both sides of a ratio. */
const medianOf = (rounds: Round[], pick: (round: Round) => number) => median(rounds.map(pick));

export function evaluateAccepting(roundsAt: Map<number, Round[]>): Finding[] {
  const findings: Finding[] = [];
  for (const [connections, rounds] of roundsAt) {
    const rate = (name: 'bare' | 'service' | 'loop') => perSecond(medianOf(rounds, (round) => round[name]));
    const rates = `${rate('service')}; bare ${rate('bare')}; loop ${rate('loop')}`;
    findings.push(info(`accepting, ${connections} connections`, rates));
    const ofBare = medianOf(rounds, (round) => round.service / round.bare);
    const ofLoop = medianOf(rounds, (round) => round.service / round.loop);
    if (connections !== 64) {
      findings.push(info('  compared with bare, with the loop', `${times(ofBare)}, ${times(ofLoop)}`));
      continue;
    }
    findings.push(atLeast('  compared with a bare Fastify', ofBare, MIN_OF_BARE, times));
    findings.push(atLeast('  compared with one transaction per insert', ofLoop, MIN_OF_LOOP, times));
    const p99 = medianOf(rounds, (round) => round.serviceP99Ms / round.bareP99Ms);
    findings.push(
      info('  p99', `${ms(medianOf(rounds, (r) => r.serviceP99Ms))}; bare ${ms(medianOf(rounds, (r) => r.bareP99Ms))}`),
    );
    findings.push(atMost('  p99 compared with bare', p99, MAX_P99_OF_BARE, times));
  }
  return findings;
}
