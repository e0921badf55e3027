import { setTimeout as sleep } from 'node:timers/promises';
import type { NoiseRequest } from './fairness/noise.ts';
import { atMost, type Finding, info, median, ms, perSecond, print, quantile, times } from './figures.ts';
import { type LoadReport, postEvents } from './load.ts';
import { ask, startPart } from './processes.ts';
import { call, drain, openSite, prepare, runCommand, type Site } from './service.ts';
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
const HANGING_PER_SECOND = 100;
const WARM_UP_S = 1;

/** An organization with its keys and the member that the events name, beside the one that is measured. */
async function addOrganization(site: Site, name: string, keys: number): Promise<Site & { keys: string[] }> {
  const { id: organization = '' } = await runCommand(
    site,
    'org',
    'create',
    '--name',
    name,
    '--industry',
    'real_estate',
  );
  const names = ['--first-name', 'Bo', '--last-name', 'Ray', '--email', `bo@${name.toLowerCase()}.example`];
  await runCommand(site, 'member', 'create', '--org', organization, ...names, '--external-id', 'rep_17');
  const created: string[] = [];
  for (let n = 0; n < keys; n++)
    created.push((await runCommand(site, 'key', 'create', '--org', organization)).key ?? '');
  return { ...site, organization, key: created[0] ?? '', keys: created };
}

interface Measured {
  readonly posts: LoadReport;
  /** From the event to its intro. */
  readonly introP99Ms: number;
}

/** What another tenant measures. */
async function measure(site: Site, seconds: number): Promise<Measured> {
  const { rows } = await site.database.query<{ now: Date }>('select clock_timestamp() as now');
  const posts = await postEvents({
    url: site.url,
    key: site.key,
    connections: CONNECTIONS,
    seconds,
    perSecond: PER_SECOND,
  });
  if (posts.failures > 0) throw new Error(`${posts.failures} of ${posts.requests} events failed`);
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

interface Noise {
  readonly name: string;
  readonly request: NoiseRequest;
}

async function listNoises(site: Site, seconds: number, quick: boolean): Promise<Noise[]> {
  const reader = await addOrganization(site, 'Lists', quick ? 2 : KEYS);
  const hanging = await addOrganization(site, 'Hooks', 1);
  const receivers = await startPart('webhooks/receivers.ts', []);
  const ports = (await ask(receivers, { type: 'ports' })) as Ports;
  for (let n = 0; n < ENDPOINTS; n++) {
    const port = ports.hanging[n % ports.hanging.length];
    await call(hanging, 'POST', '/v1/webhook_endpoints', { url: `http://127.0.0.1:${port}/${n}`, events: ['*'] });
  }
  await postEvents({ url: site.url, key: reader.key, connections: 1, seconds: 3, perSecond: LISTED / 3 });
  const load = { url: site.url, seconds };
  const lists = (connections: number): Noise => ({
    name: `lists of 100 on ${connections} connections`,
    request: { load: { ...load, connections }, keys: [reader.key], paths: ['/v1/intros?limit=100'] },
  });
  return [
    lists(8),
    lists(40),
    {
      name: `${reader.keys.length} keys that post ${perSecond(PER_KEY)} each`,
      request: { load: { ...load, connections: 4, perSecond: PER_KEY }, keys: reader.keys, paths: [] },
    },
    {
      name: `${ENDPOINTS} hanging webhook endpoints and ${perSecond(HANGING_PER_SECOND)} events`,
      request: { load: { ...load, connections: 4, perSecond: HANGING_PER_SECOND }, keys: [hanging.key], paths: [] },
    },
  ];
}

/** How much the noise of one organization slows another one down. Budgets are off, so only fair sharing protects it. */
export async function measureFairness(quick: boolean): Promise<Finding[]> {
  const [seconds, rounds] = quick ? [3, 1] : [3, 5];
  const site = await openSite(await prepare({ environment: { WEBHOOKS_ALLOW_PRIVATE: 'on' } }));
  const noises = await listNoises(site, WARM_UP_S + seconds, quick);
  const part = await startPart('fairness/noise.ts', []);
  await measure(site, seconds);
  const findings: Finding[] = [];
  for (const { name, request } of noises) {
    const ratios: number[] = [];
    const p99s: number[] = [];
    const intros: number[] = [];
    let sent = 0;
    for (let n = 0; n < rounds; n++) {
      const quiet = await measure(site, seconds);
      const noise = ask(part, request) as Promise<LoadReport[]>;
      await sleep(WARM_UP_S * 1_000);
      const noisy = await measure(site, seconds);
      sent = (await noise).reduce((sum, { requests, seconds: took }) => sum + requests / took, 0);
      await drain(site.database);
      ratios.push(noisy.posts.p50Ms / quiet.posts.p50Ms);
      p99s.push(noisy.posts.p99Ms);
      intros.push(noisy.introP99Ms);
      const shown = ({ posts, introP99Ms }: Measured) =>
        `p50 ${ms(posts.p50Ms)}, p99 ${ms(posts.p99Ms)}, intro ${ms(introP99Ms)}`;
      print(`  ${name}, ${perSecond(sent)}: ${shown(noisy)}; without: ${shown(quiet)}`);
    }
    findings.push(
      info(name, perSecond(sent)),
      atMost('  p50 of another tenant, compared with none', median(ratios), MAX_OF_QUIET, times),
      info('  p99', ms(median(p99s))),
      atMost('  p99 from its event to the intro', median(intros), MAX_INTRO_MS, ms),
    );
  }
  await site.close();
  return findings;
}
