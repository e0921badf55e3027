import { setTimeout as sleep } from 'node:timers/promises';
import { freePort, startPart } from './children.ts';
import { atLeast, type Finding, info, perSecond, print } from './figures.ts';
import { postEvents } from './load.ts';
import { connectToDatabase, drain, prepareDataDir, type Service, startService } from './service.ts';

const CONNECTIONS = 64;
/** The phone number of the member that `prepareDataDir` creates. */
const NUMBER = '+14155550100';
/** Texts to one number wait for each other, so that one member could not take them all. */
const MEMBERS = 90;
const SECRET = `whsec_${Buffer.alloc(24, 7).toString('base64')}`;
const DRAIN_LIMIT_S = 120;
/** The promises of docs/self-hosting/monitoring.md, as the service's own histograms count them. */
const LEVELS = [
  { name: 'accepted within 100 ms', histogram: 'foreword_http_request_duration_seconds', within: '0.1' },
  { name: 'processed within 1 s', histogram: 'foreword_event_processing_seconds', within: '1' },
  { name: 'texts with the carrier within 5 s', histogram: 'foreword_text_handover_seconds', within: '5' },
] as const;
const ACCEPT = 'operation="createTouchpointEvent"';
const MIN_SHARE = 0.99;
const SHARES = [0.25, 0.5, 0.75];

const percent = (share: number): string => `${(share * 100).toFixed(2)} %`;

interface Count {
  readonly within: number;
  readonly all: number;
}

/** Sums the series of a histogram, of all statuses. */
function countIn(metrics: string, { histogram, within }: (typeof LEVELS)[number]): Count {
  const lines = metrics.split('\n').filter((line) => !line.includes('operation=') || line.includes(ACCEPT));
  const sum = (isWanted: (line: string) => boolean) =>
    lines.filter(isWanted).reduce((total, line) => total + Number(line.split(' ').at(-1)), 0);
  return {
    within: sum((line) => line.startsWith(`${histogram}_bucket`) && line.includes(`le="${within}"`)),
    all: sum((line) => line.startsWith(`${histogram}_count`)),
  };
}

async function readCounts({ url }: Service): Promise<Count[]> {
  const metrics = await (await fetch(`${url}/metrics`)).text();
  return LEVELS.map((level) => countIn(metrics, level));
}

async function createMembers({ url }: Service, key: string): Promise<void> {
  for (let n = 10; n < 10 + MEMBERS; n++) {
    const body = {
      external_id: `rep_${n}`,
      email: `rep${n}@acme.example`,
      first_name: 'Ana',
      last_name: 'Ng',
      phone: `+141555501${n}`,
    };
    const headers = {
      authorization: `Bearer ${key}`,
      'content-type': 'application/json',
      'idempotency-key': `bench:rep_${n}:member`,
    };
    const response = await fetch(`${url}/v1/members`, { method: 'POST', headers, body: JSON.stringify(body) });
    if (!response.ok) throw new Error(`creating a member returned ${response.status}: ${await response.text()}`);
  }
}

interface Site {
  readonly service: Service;
  readonly key: string;
  readonly dataDir: string;
}

/** Posts events, and waits until they are intros and their texts are with the carrier. Returns events a second all the way. */
async function load({ service, key, dataDir }: Site, seconds: number, rate?: number): Promise<number> {
  const options = {
    url: `${service.url}/v1/touchpoint-events`,
    key,
    connections: CONNECTIONS,
    seconds,
    members: MEMBERS,
  };
  const started = performance.now();
  const report = await postEvents({ ...options, ...(rate !== undefined && { perSecond: rate }) });
  if (report.failures > 0) throw new Error(`${report.failures} of ${report.requests} requests failed`);
  const database = await connectToDatabase(dataDir);
  await drain(database, DRAIN_LIMIT_S);
  let due = Number.POSITIVE_INFINITY;
  while (due > 0) {
    await sleep(100);
    const { rows } = await database.query<{ n: number }>(
      "select count(*)::int as n from messages where status in ('scheduled', 'sending') and due_at <= now()",
    );
    due = rows[0]?.n ?? 0;
  }
  await database.end();
  return report.requests / ((performance.now() - started) / 1_000);
}

/** The three service levels at a quarter, half and three quarters of the load that the service can take. */
export async function measureLevels(quick: boolean): Promise<Finding[]> {
  const { dataDir, key } = await prepareDataDir({}, { phone: NUMBER });
  const port = await freePort();
  await startPart('levels/carrier.ts', [`${port}`]);
  const carrier = { SMS_CARRIER: 'http', SMS_HTTP_URL: `http://127.0.0.1:${port}`, SMS_HTTP_SECRET: SECRET };
  const service = await startService({ dataDir, environment: carrier });
  await createMembers(service, key);
  const site: Site = { service, key, dataDir };
  print('the most events a second, all the way to the text');
  for (let n = 0; n < (quick ? 1 : 3); n++) await load(site, quick ? 2 : 8);
  const full = await load(site, quick ? 2 : 10);
  const findings = [info('events a second, all the way to the text', perSecond(full))];
  for (const share of SHARES) {
    const rate = full * share;
    print(`${perSecond(rate)}, ${percent(share)} of it`);
    const before = await readCounts(service);
    await load(site, quick ? 3 : 30, rate);
    const after = await readCounts(service);
    findings.push(info(`at ${perSecond(rate)}, ${Math.round(share * 100)} % of it`, ''));
    for (const [i, { name }] of LEVELS.entries()) {
      const [from, to] = [before[i], after[i]];
      if (from === undefined || to === undefined || to.all === from.all) throw new Error(`nothing counted: ${name}`);
      findings.push(atLeast(`  ${name}`, (to.within - from.within) / (to.all - from.all), MIN_SHARE, percent));
    }
  }
  return findings;
}
