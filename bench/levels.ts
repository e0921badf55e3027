import { atLeast, type Finding, info, perSecond, print } from './figures.ts';
import { postEvents } from './load.ts';
import { drain, openSite, prepareTexted, type Site } from './service.ts';

const CONNECTIONS = 64;
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

/** Sums the series of a histogram, of all statuses. */
function countIn(metrics: string, { histogram, within }: (typeof LEVELS)[number]) {
  const lines = metrics.split('\n').filter((line) => !line.includes('operation=') || line.includes(ACCEPT));
  const sum = (name: string, label = '') =>
    lines
      .filter((line) => line.startsWith(histogram + name) && line.includes(label))
      .reduce((total, line) => total + Number(line.split(' ').at(-1)), 0);
  return { within: sum('_bucket', `le="${within}"`), all: sum('_count') };
}

async function readCounts({ url }: Site) {
  const metrics = await (await fetch(`${url}/metrics`)).text();
  return LEVELS.map((level) => countIn(metrics, level));
}

/** Posts events, and waits until they are intros and their texts are with the carrier. Returns events a second all the way. */
async function load(site: Site, members: number, seconds: number, perSecond?: number): Promise<number> {
  const { url, key, database } = site;
  const options = { url, key, connections: CONNECTIONS, seconds, members };
  const started = performance.now();
  const report = await postEvents({ ...options, ...(perSecond !== undefined && { perSecond }) });
  await drain(database, { settled: true });
  return report.requests / ((performance.now() - started) / 1_000);
}

/** The three service levels at a quarter, half and three quarters of the load that the service can take. */
export async function measureLevels(quick: boolean): Promise<Finding[]> {
  const prepared = await prepareTexted();
  const site = await openSite(prepared);
  const { members } = prepared;
  print('the most events a second, all the way to the text');
  for (let n = 0; n < (quick ? 1 : 3); n++) await load(site, members, quick ? 2 : 8);
  const full = await load(site, members, quick ? 2 : 10);
  const findings = [info('events a second, all the way to the text', perSecond(full))];
  for (const share of SHARES) {
    const rate = full * share;
    print(`${perSecond(rate)}, ${percent(share)} of it`);
    const before = await readCounts(site);
    await load(site, members, quick ? 3 : 30, rate);
    const after = await readCounts(site);
    findings.push(info(`at ${perSecond(rate)}, ${Math.round(share * 100)} % of it`, ''));
    for (const [i, { name }] of LEVELS.entries()) {
      const [from, to] = [before[i], after[i]];
      if (from === undefined || to === undefined || to.all === from.all) throw new Error(`nothing counted: ${name}`);
      findings.push(atLeast(`  ${name}`, (to.within - from.within) / (to.all - from.all), MIN_SHARE, percent));
    }
  }
  await site.close();
  return findings;
}
