import type { ChildProcess } from 'node:child_process';
import type pg from 'pg';
import type { LoopReport, LoopRound } from './ceilings/insert-loop.ts';
import { ask, freePort, makeFolder, startPart } from './children.ts';
import { aside, atLeast, atMost, type Finding, median, ms, perSecond, print, times } from './figures.ts';
import { EVENT_BODY, type LoadReport, postEvents } from './load.ts';
import { residentMb } from './processes.ts';
import { countEvents, drain, type Service } from './service.ts';

const EVENTS_PATH = '/v1/touchpoint-events';
const WANTED_OF_BARE = 0.4;
const WANTED_OF_LOOP = 1.2;
const WANTED_P99_OF_BARE = 4;
const BETWEEN_ROUNDS_LIMIT_S = 120;

export interface Bench {
  readonly service: Service;
  readonly database: pg.Client;
  readonly dataDir: string;
  readonly key: string;
  /** What was promised to a caller and cannot be found; the bench fails when there is any. */
  readonly lies: string[];
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
  /** Of the service's process, once nothing waited any more. */
  readonly settledMb: number;
}

/** One event, as a caller would send it by hand: gives the body of the answer. */
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
  if (response.status !== 202) throw new Error(`an event was answered with ${response.status}: ${body}`);
  return body;
}

async function startCeilings(bench: Bench): Promise<Ceilings> {
  const answer = await postOneEvent(bench, 'acme_crm:first:new_appointment');
  const port = await freePort();
  await startPart('ceilings/bare-fastify.ts', [`${port}`, answer]);
  const loop = await startPart('ceilings/insert-loop.ts', [makeFolder(), EVENT_BODY]);
  return { bareUrl: `http://127.0.0.1:${port}`, loop };
}

/** Loads the service and holds what it answered against what the database holds. */
export async function postCounted(
  bench: Bench,
  options: { connections: number; seconds: number; perSecond?: number; whileLoading?: () => Promise<void> },
): Promise<LoadReport & { drainSeconds: number; waiting: number }> {
  const { database, key, lies, service } = bench;
  const { connections, whileLoading, ...pace } = options;
  const before = await countEvents(database);
  const [report] = await Promise.all([
    postEvents({ url: `${service.url}${EVENTS_PATH}`, key, connections, ...pace }),
    whileLoading?.(),
  ]);
  const drained = await drain(database, BETWEEN_ROUNDS_LIMIT_S);
  const unanswered = (await countEvents(database)) - before - report.requests;
  if (report.failures > 0) lies.push(`${report.failures} requests of ${report.requests} were not answered with 202`);
  if (unanswered < 0)
    lies.push(`${-unanswered} of ${report.requests} events answered with 202 are not in the database`);
  if (unanswered > connections) lies.push(`${unanswered} events more than answers, with ${connections} connections`);
  print(
    `  ${report.requests} answered with 202, the database has ${report.requests + unanswered} new ones (what was under way ` +
      `at the end is in it too); ${drained.waiting} waited, done in ${drained.seconds.toFixed(1)} s, ` +
      `longest pause ${drained.longestPauseS.toFixed(1)} s`,
  );
  return { ...report, drainSeconds: drained.seconds, waiting: drained.waiting };
}

async function runRound(bench: Bench, ceilings: Ceilings, connections: number, seconds: number): Promise<Round> {
  const bare = await postEvents({ url: `${ceilings.bareUrl}${EVENTS_PATH}`, key: bench.key, connections, seconds });
  const service = await postCounted(bench, { connections, seconds });
  const settledMb = residentMb(bench.service.child.pid);
  const question: LoopRound = { connections, seconds };
  const loop = (await ask(ceilings.loop, question)) as LoopReport;
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

/** The service and its two ceilings in turn, at 1, 16 and 64 connections. */
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

/** Ratios of neighbours in time, then their median: what else the machine does weighs on both alike. */
const medianOf = (rounds: Round[], pick: (round: Round) => number) => median(rounds.map(pick));

export function judgeAccepting(roundsAt: Map<number, Round[]>): Finding[] {
  const findings: Finding[] = [];
  for (const [connections, rounds] of roundsAt) {
    const rate = (name: 'bare' | 'service' | 'loop') => perSecond(medianOf(rounds, (round) => round[name]));
    const rates = `${rate('service')}; bare ${rate('bare')}; loop ${rate('loop')}`;
    findings.push(aside(`accepting, ${connections} connections`, rates));
    const ofBare = medianOf(rounds, (round) => round.service / round.bare);
    const ofLoop = medianOf(rounds, (round) => round.service / round.loop);
    if (connections !== 64) {
      findings.push(aside('  of bare, of the loop', `${times(ofBare)}, ${times(ofLoop)}`));
      continue;
    }
    findings.push(atLeast('  of a bare Fastify', ofBare, WANTED_OF_BARE, times));
    findings.push(atLeast('  of one-transaction-each inserts', ofLoop, WANTED_OF_LOOP, times));
    const p99 = medianOf(rounds, (round) => round.serviceP99Ms / round.bareP99Ms);
    findings.push(
      aside(
        '  p99',
        `${ms(medianOf(rounds, (r) => r.serviceP99Ms))}; bare ${ms(medianOf(rounds, (r) => r.bareP99Ms))}`,
      ),
    );
    findings.push(atMost("  p99 of bare's", p99, WANTED_P99_OF_BARE, times));
  }
  return findings;
}
