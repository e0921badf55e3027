import { randomInt } from 'node:crypto';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { Cluster } from '../../../../scripts/cluster/index.ts';
import { openServerKey } from '../../src/platform/server-key.ts';
import { type CarrierService, HTTP_SECRET, startHttpService } from '../delivery/carrier-services.ts';
import { createApi, foreword, type SilentProxy, sleep, startSilentProxy } from '../harness/index.ts';
import { expectAllProcessedOnce, expectOneIdEach, expectStored } from '../robustness/ledger.ts';
import { expectEachSentOnce, openRecorders, type Recorders } from '../robustness/recorders.ts';
import { ClusterLoad } from './cluster-load.ts';
import { FAULTS, type Fault, type Site } from './faults.ts';

const MEMBERS = 1;
const TAKE_PAUSE_MS = 40_000;
/** Load before each fault, and after it. */
const CALM_MS = 2_000;
const WORKING_WITHIN_MS = 30_000;
/** A busy machine can delay one election. A bug delays each of them. */
const TRIES = 3;
/** Other work on the machine delays every step of a failover. More than this is not due to it. */
const MAX_CONTENTION = 1.5;
const SETTLED_WITHIN_MS = 120_000;
/** On a busy machine. */
const ENCODED_WITHIN_MS = 10_000;

const summary: { fault: string; 'interrupted (s)': string; 'at most': string; events: number }[] = [];
let folder: string;
let site: Site;
let network: SilentProxy[];
let carrier: CarrierService;
let load: ClusterLoad;
let recorders: Recorders;

const through = (url: string, proxy: SilentProxy | undefined): string => {
  const changed = new URL(url);
  changed.port = String(proxy?.port);
  return changed.href;
};

async function createOrganization({ environment }: Cluster): Promise<string> {
  const run = (...args: string[]) => foreword(environment, ...args);
  const { id } = await run('org', 'create', '--name', 'Acme Roofing', '--industry', 'exterior_remodeling');
  const member = ['--first-name', 'Ana', '--last-name', 'Ng', '--email', 'ana@acme.example', '--external-id', 'rep_17'];
  await run('member', 'create', '--org', id, ...member);
  await run('delivery', 'set', '--org', id, '--texts-from', '00:00', '--texts-until', '24:00');
  const { key } = await run('key', 'create', '--org', id, '--name', 'Tests');
  return key;
}

beforeAll(async () => {
  // Three copies of the database, on two cores: a disk would only add waiting.
  folder = fs.mkdtempSync(path.join(fs.existsSync('/dev/shm') ? '/dev/shm' : os.tmpdir(), 'fw-cluster-'));
  carrier = await startHttpService();
  const sockets = (name: string) => path.join(folder, name);
  network = await Promise.all(['pooled', 'primary'].map((name) => startSilentProxy(sockets(name))));
  const cluster = new Cluster({
    folder,
    // Below the ports that the system hands out.
    basePort: 20_000 + 50 * randomInt(200),
    settings: {
      ...{ RATE_LIMIT: 'off', LOG_LEVEL: 'warn', SMS_CARRIER: 'http' },
      ...{ SMS_HTTP_URL: carrier.url, SMS_HTTP_SECRET: HTTP_SECRET },
    },
    reroute: (urls) => ({ pooled: through(urls.pooled, network[0]), direct: through(urls.direct, network[1]) }),
  });
  site = { cluster, network };
  await cluster.start();
  const api = createApi(cluster.url, await createOrganization(cluster));
  load = new ClusterLoad(api);
  const serverKey = openServerKey({ dataDir: folder, given: Buffer.from(cluster.environment.SERVER_KEY ?? '', 'hex') });
  recorders = openRecorders(api, { url: cluster.url, serverKey, pauseMs: TAKE_PAUSE_MS });
  load.start();
  recorders.start(MEMBERS);
});

afterAll(async () => {
  await load?.stop();
  await recorders?.stop();
  await site?.cluster.stop();
  await Promise.all((network ?? []).map((proxy) => proxy.close()));
  await carrier?.close();
  if (folder !== undefined) fs.rmSync(folder, { recursive: true, force: true });
});

/** How many times longer work takes here than its processor time: 1 on a machine with a free core. */
function contention(): number {
  const [startMs, before] = [performance.now(), process.threadCpuUsage()];
  const spentMs = () => {
    const { user, system } = process.threadCpuUsage(before);
    return (user + system) / 1_000;
  };
  while (spentMs() < 100);
  return Math.min(MAX_CONTENTION, Math.max(1, (performance.now() - startMs) / spentMs()));
}

/** Seconds without an acknowledgment around the fault. */
async function measure({ run }: Fault): Promise<number> {
  await site.cluster.database.untilComplete();
  const beforeMs = performance.now();
  await sleep(CALM_MS);
  expect(load.countSince(beforeMs)).toBeGreaterThan(0);
  const startedMs = performance.now();
  await run(site);
  const endedMs = performance.now();
  await expect.poll(() => load.countSince(endedMs), { timeout: WORKING_WITHIN_MS }).toBeGreaterThan(0);
  await sleep(CALM_MS);
  return load.longestPauseS(startedMs);
}

test.each(FAULTS.map((fault, i) => ({ ...fault, number: i + 1 })))(
  'fault $number: $name interrupts accepting for at most $limitS s',
  async ({ number: _, ...fault }) => {
    const { name, limitS } = fault;
    const startedMs = performance.now();
    const allowedS = limitS * contention();
    const measured = [await measure(fault)];
    while (Math.min(...measured) > allowedS && measured.length < TRIES) measured.push(await measure(fault));
    const interrupted = measured.map((seconds) => seconds.toFixed(1)).join(', ');
    const events = load.countSince(startedMs);
    summary.push({ fault: name, 'interrupted (s)': interrupted, 'at most': allowedS.toFixed(1), events });
    expect(Math.min(...measured)).toBeLessThanOrEqual(allowedS);
  },
);

test('every acknowledged event has exactly one intro, and every text was sent once', async () => {
  const { cluster } = site;
  await cluster.database.untilComplete();
  await load.stop();
  await recorders.stop();
  const { ledger } = load;
  console.table(summary);
  console.log(`${ledger.submissions.length} events, ${recorders.takes.length} takes, ${carrier.accepted.length} texts`);
  expect(ledger.problems).toEqual([]);
  await expectStored(load.api, ledger.submissions);
  await expectOneIdEach(load.api, ledger, ledger.submissions);
  const others = new Set(recorders.takes.map(({ intro }) => intro));
  await expectAllProcessedOnce(load.api, ledger, SETTLED_WITHIN_MS, others);
  expect(recorders.takes.length).toBeGreaterThan(1);
  const limitMs = SETTLED_WITHIN_MS + recorders.takes.length * ENCODED_WITHIN_MS;
  await expectEachSentOnce(load.api, cluster.url, recorders.takes, carrier.accepted, limitMs);
});
