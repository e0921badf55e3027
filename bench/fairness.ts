import { setTimeout as sleep } from 'node:timers/promises';
import type { NoiseRequest } from './fairness/noise.ts';
import { atMost, type Finding, info, median, ms, perSecond, print, quantile, times } from './figures.ts';
import { type LoadReport, postEvents } from './load.ts';
import { ask, startPart } from './processes.ts';
import { addOrganization, call, drain, openSite, prepare, runCommand, type Site } from './service.ts';
import type { Ports } from './webhooks/receivers.ts';

const MAX_OF_QUIET = 2;
const MAX_INTRO_MS = 1_000;
const PER_SECOND = 25;
/** More than one, so that a late response does not delay the next request. */
const CONNECTIONS = 4;
const LISTED = 300;
const KEYS = 20;
const PER_KEY = 100;
const ENDPOINTS = 20;
const WARM_UP_S = 1;

interface Measured {
  readonly posts: LoadReport;
  /** From the event to its intro. */
  readonly introP99Ms: number;
}

/** Sends events as another tenant, and measures its responses and its intros. */
async function measure(site: Site, seconds: number): Promise<Measured> {
  const { rows } = await site.database.query<{ now: Date }>('select clock_timestamp() as now');
  const { url, key } = site;
  const posts = await postEvents({ url, key, connections: CONNECTIONS, seconds, perSecond: PER_SECOND });
  const took = `select extract(epoch from i.created_at - e.created_at)::float8 * 1000 as ms
    from touchpoint_events e left join intros i on i.organization_id = e.organization_id and i.id = e.intro_id
    where e.organization_id = $1 and e.created_at > $2`;
  const values = [site.organization, rows[0]?.now];
  for (;;) {
    const intros = (await site.database.query<{ ms: number | null }>(took, values)).rows.map(({ ms: one }) => one);
    if (intros.every((one) => one !== null)) return { posts, introP99Ms: quantile(intros, 0.99) };
    await sleep(100);
  }
}

interface Noise extends Omit<NoiseRequest, 'load'> {
  readonly name: string;
  /** Off where sharing alone protects others. */
  readonly rateLimit: string;
  readonly connections: number;
  /** The requests a second of each key. */
  readonly perSecond?: number;
}

async function listNoises(site: Site, quick: boolean): Promise<Noise[]> {
  const [reader, hanging] = [await addOrganization(site, 'Lists'), await addOrganization(site, 'Hooks')];
  const keys = [reader.key];
  while (keys.length < (quick ? 4 : KEYS))
    keys.push((await runCommand(site, 'key', 'create', '--org', reader.organization)).key ?? '');
  const receivers = await startPart('webhooks/receivers.ts', []);
  const ports = (await ask(receivers, {})) as Ports;
  for (let n = 0; n < ENDPOINTS; n++) {
    const port = ports.hanging[n % ports.hanging.length];
    await call(hanging, 'POST', '/v1/webhook_endpoints', { url: `http://127.0.0.1:${port}/${n}`, events: ['*'] });
  }
  const seed = { url: site.url, connections: 1, seconds: 3, perSecond: LISTED / 3 };
  for (const { key } of [reader, hanging]) await postEvents({ ...seed, key });
  await drain(site.database);
  const lists = { rateLimit: 'off', keys: [reader.key], paths: ['/v1/intros?limit=100'] };
  const events = { rateLimit: 'off', connections: 4, perSecond: PER_KEY, paths: [] };
  return [
    { ...lists, name: 'lists of 100 on 8 connections', connections: 8 },
    { ...lists, name: 'lists of 100 on 40 connections', connections: 40 },
    {
      ...events,
      name: `${keys.length} keys that send ${perSecond(PER_KEY)} events each, within their limits`,
      rateLimit: '100/200',
      keys,
    },
    {
      ...events,
      name: `${ENDPOINTS} hanging webhook endpoints and ${perSecond(PER_KEY)} events`,
      keys: [hanging.key],
    },
  ];
}

/** Measures another tenant with and without the noise in turns, because other load on the machine affects both. */
async function measureNoise(site: Site, noise: Noise, seconds: number, rounds: number): Promise<Finding[]> {
  const { name, keys, paths, connections, perSecond: rate } = noise;
  const limits = { seconds: WARM_UP_S + seconds, mayFail: true, ...(rate !== undefined && { perSecond: rate }) };
  const load = { url: site.url, connections, ...limits };
  const part = await startPart('fairness/noise.ts', []);
  const ratios: number[] = [];
  const noisy: Measured[] = [];
  await measure(site, seconds);
  for (let n = 0; n < rounds; n++) {
    const quiet = await measure(site, seconds);
    const sending = ask(part, { load, keys, paths } satisfies NoiseRequest) as Promise<LoadReport[]>;
    await sleep(WARM_UP_S * 1_000);
    const beside = await measure(site, seconds);
    const sent = (await sending).reduce((sum, report) => sum + (report.requests - report.failures) / report.seconds, 0);
    await drain(site.database);
    ratios.push(beside.posts.p50Ms / quiet.posts.p50Ms);
    noisy.push(beside);
    const shown = ({ posts, introP99Ms }: Measured) =>
      `p50 ${ms(posts.p50Ms)}, p99 ${ms(posts.p99Ms)}, intro ${ms(introP99Ms)}`;
    print(`  ${name}, ${perSecond(sent)} answered: ${shown(beside)}; without: ${shown(quiet)}`);
  }
  return [
    info(name, ''),
    atMost('  p50 of another tenant, compared with none', median(ratios), MAX_OF_QUIET, times),
    info('  p99', ms(median(noisy.map(({ posts }) => posts.p99Ms)))),
    atMost('  p99 from its event to the intro', median(noisy.map(({ introP99Ms }) => introP99Ms)), MAX_INTRO_MS, ms),
  ];
}

/** Measures how much the requests of one organization slow another one down. */
export async function measureFairness(quick: boolean): Promise<Finding[]> {
  const prepared = await prepare({ WEBHOOKS_ALLOW_PRIVATE: 'on' });
  const first = await openSite(prepared);
  const noises = await listNoises(first, quick);
  await first.close();
  const findings: Finding[] = [];
  for (const noise of noises) {
    const environment = { ...prepared.environment, RATE_LIMIT: noise.rateLimit };
    const site = await openSite({ ...prepared, environment });
    findings.push(...(await measureNoise(site, noise, 3, quick ? 1 : 5)));
    await site.close();
  }
  return findings;
}
