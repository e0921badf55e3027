import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { makeFolder, outputOf } from './children.ts';
import { resolveTool } from './tools.ts';

const WRK = '/usr/bin/wrk';

/** About 400 bytes, typical of a CRM. */
export const EVENT_BODY = JSON.stringify({
  touchpoint: 'new_appointment',
  occurred_at: '2026-03-10T09:15:00Z',
  member: { external_id: 'rep_17' },
  recipient: { first_name: 'Dana', last_name: 'Reyes', phone: '+14155550123' },
  reference: { source: 'acme_crm', type: 'appointment', id: 'appt_8812' },
  context: { appointment: { starts_at: '2030-03-12T14:30:00', timezone: 'America/Chicago' }, trade: 'roofing' },
  metadata: { branch: 'north', campaign: 'spring_2026' },
});

export interface LoadReport {
  /** Completed requests, without those still in flight at the end. */
  readonly requests: number;
  readonly seconds: number;
  readonly p50Ms: number;
  readonly p95Ms: number;
  readonly p99Ms: number;
  /** Responses with status 400 and above, and broken connections. */
  readonly failures: number;
}

export interface Load {
  readonly url: string;
  readonly key: string;
  readonly connections: number;
  readonly seconds: number;
}

export const loadProgram = existsSync(WRK) ? 'wrk' : 'autocannon';
let runs = 0;

async function runWrk(load: Load, script: string, args: string[]): Promise<LoadReport> {
  const { connections, seconds, url } = load;
  // One thread: a second one would compete with the service for the few cores.
  const options = [
    '-t1',
    `-c${connections}`,
    `-d${seconds}s`,
    '--timeout',
    '10s',
    '-s',
    `${import.meta.dirname}/wrk/${script}`,
  ];
  const printed = await outputOf(WRK, [...options, url, '--', ...args]);
  return JSON.parse(printed.trim().split('\n').at(-1) ?? '') as LoadReport;
}

interface AutocannonReport {
  readonly requests: { total: number };
  readonly duration: number;
  readonly latency: { p50: number; p95?: number; p97_5: number; p99: number };
  readonly non2xx: number;
  readonly errors: number;
}

async function runAutocannon(load: Load, args: string[]): Promise<LoadReport> {
  const options = ['--json', '--no-progress', '-c', `${load.connections}`, '-d', `${load.seconds}`];
  const headers = ['-H', `Authorization=Bearer ${load.key}`];
  const printed = await outputOf(process.execPath, [
    resolveTool('autocannon'),
    ...options,
    ...headers,
    ...args,
    load.url,
  ]);
  const report = JSON.parse(printed.trim().split('\n').at(-1) ?? '') as AutocannonReport;
  return {
    requests: report.requests.total,
    seconds: report.duration,
    p50Ms: report.latency.p50,
    p95Ms: report.latency.p97_5,
    p99Ms: report.latency.p99,
    failures: report.non2xx + report.errors,
  };
}

/**
 * Sends events, each with a new idempotency key, at `perSecond` or as fast as responses arrive. `members`: so many, from
 * rep_10 on, take turns; only wrk does that.
 */
export function postEvents(load: Load & { perSecond?: number; members?: number }): Promise<LoadReport> {
  const run = `run${++runs}`;
  const rate = load.perSecond ?? 0;
  if (loadProgram === 'wrk') {
    const file = join(makeFolder(), 'body.json');
    writeFileSync(file, EVENT_BODY);
    return runWrk(load, 'events.lua', [load.key, run, file, rate.toFixed(2), `${load.members ?? 0}`]);
  }
  const key = ['-I', '-H', `Idempotency-Key=acme_crm:${run}-[<id>]:new_appointment`];
  const body = ['-m', 'POST', '-H', 'Content-Type=application/json', '-b', EVENT_BODY];
  return runAutocannon(load, [...key, ...body, ...(rate > 0 ? ['-R', `${Math.round(rate)}`] : [])]);
}

/** Cycles through the paths. Autocannon supports only one, so it uses the first. */
export function readPaths(load: Load, paths: readonly string[]): Promise<LoadReport> {
  if (loadProgram === 'autocannon') return runAutocannon({ ...load, url: `${load.url}${paths[0]}` }, []);
  const file = join(makeFolder(), 'paths');
  writeFileSync(file, `${paths.join('\n')}\n`);
  return runWrk(load, 'reads.lua', [load.key, file]);
}
