import { randomInt } from 'node:crypto';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { Cluster } from '../../../../scripts/cluster/index.ts';
import { toServerKey } from '../../src/platform/server-key.ts';
import { HTTP_SECRET, startHttpService } from '../delivery/carrier-services.ts';
import { createApi, foreword, forFile, type SilentProxy, startSilentProxy } from '../harness/index.ts';
import { expectAllProcessedOnce, expectOneIdEach, expectStored } from '../robustness/ledger.ts';
import { expectEachSentOnce, openRecorders, type Recorders } from '../robustness/recorders.ts';
import { ClusterLoad } from './cluster-load.ts';
import { FAULTS, type Site } from './faults.ts';

const MEMBERS = 1;
const TAKE_PAUSE_MS = 40_000;
const ACCEPTED_WITHIN_MS = 180_000;
const SETTLED_WITHIN_MS = 300_000;
/** Each take, on a busy machine. */
const ENCODED_WITHIN_MS = 60_000;

/** How long each fault interrupted accepting: printed, because it depends on the machine. */
const summary: { fault: string; 'interrupted (s)': string; events: number }[] = [];
let load: ClusterLoad;
let recorders: Recorders;

const through = (url: string, proxy: SilentProxy): string => {
  const changed = new URL(url);
  changed.port = String(proxy.port);
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

// Three copies of the database, on two cores: a disk would only add waiting.
const folder = fs.mkdtempSync(path.join(fs.existsSync('/dev/shm') ? '/dev/shm' : os.tmpdir(), 'fw-cluster-'));
afterAll(() => fs.rmSync(folder, { recursive: true, force: true }));
const carrier = await forFile(startHttpService());
const pooled = await forFile(startSilentProxy(() => cluster.ports.pooled));
const primary = await forFile(startSilentProxy(() => cluster.ports.primary));
const cluster: Cluster = new Cluster({
  folder,
  // Below the ports that the system hands out.
  basePort: 20_000 + 50 * randomInt(200),
  settings: {
    ...{ RATE_LIMIT: 'off', LOG_LEVEL: 'warn', SMS_CARRIER: 'http' },
    ...{ SMS_HTTP_URL: carrier.url, SMS_HTTP_SECRET: HTTP_SECRET },
  },
  reroute: (urls) => ({ pooled: through(urls.pooled, pooled), direct: through(urls.direct, primary) }),
});

async function untilAccepted(): Promise<void> {
  const sinceMs = performance.now();
  await expect.poll(() => load.countSince(sinceMs), { timeout: ACCEPTED_WITHIN_MS }).toBeGreaterThan(0);
}

const site: Site = { cluster, network: [pooled, primary], untilAccepted };

// A hook, so that the cluster is also stopped if its start fails.
beforeAll(async () => {
  await cluster.start();
  const api = createApi(cluster.url, await createOrganization(cluster));
  load = new ClusterLoad(api);
  const serverKey = toServerKey(Buffer.from(cluster.environment.SERVER_KEY ?? '', 'hex'));
  recorders = openRecorders(api, { url: cluster.url, serverKey, pauseMs: TAKE_PAUSE_MS });
  recorders.start(MEMBERS);
});

afterAll(async () => {
  await load?.stop();
  await recorders?.stop();
  await cluster.stop();
});

test.each(FAULTS)('events are accepted again after $name', async ({ name, run }) => {
  await cluster.untilComplete();
  await untilAccepted();
  const startedMs = performance.now();
  await run(site);
  await untilAccepted();
  const interrupted = load.longestPauseS(startedMs).toFixed(1);
  summary.push({ fault: name, 'interrupted (s)': interrupted, events: load.countSince(startedMs) });
});

test('every acknowledged event has exactly one intro, and every text was sent once', {
  timeout: 1_800_000,
}, async () => {
  await cluster.untilComplete();
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
  expect(recorders.takes.length).toBeGreaterThan(0);
  const limitMs = SETTLED_WITHIN_MS + recorders.takes.length * ENCODED_WITHIN_MS;
  await expectEachSentOnce(load.api, cluster.url, recorders.takes, carrier.accepted, limitMs);
});
