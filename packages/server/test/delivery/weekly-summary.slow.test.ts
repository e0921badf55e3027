import { afterAll, expect, test } from 'vitest';
import { forFile, isLong, sleep } from '../harness/index.ts';
import { LOG_ONLY } from './delivery-fixture.ts';
import { openSummaries } from './summary-fixture.ts';
import { killWorkers, randomMs, startWorker } from './workers.ts';

const MONDAY = '2026-03-09T13:00:00Z';
const ORGANIZATIONS = isLong ? 30 : 6;
const KILLS = isLong ? 12 : 2;
const MAX_LIFE_MS = 1_500;
const TIMEOUT_MS = 240_000;

const fixture = await forFile(openSummaries(MONDAY));
const startedMs = Date.now();
afterAll(killWorkers);

const start = () => {
  const settings = { ...LOG_ONLY, mail: fixture.inbox.server };
  return startWorker({ url: fixture.database.url, settings, summaries: { at: MONDAY, startedMs } });
};

test(
  'while workers are killed, each owner gets the summary at most once, and only one that was being confirmed gets none',
  async () => {
    for (let n = 0; n < ORGANIZATIONS; n++) {
      const tenant = await fixture.newOrganization(`Owner${n}`, 'America/Chicago');
      await fixture.addOwner(tenant, `Second${n}`);
      const at = '2026-03-04T12:00:00Z';
      await fixture.addIntro(tenant, { at, recordedAt: at, sentAt: at });
    }
    const other = await start();
    for (let kills = 0; kills < KILLS; kills++) {
      const worker = await start();
      await sleep(randomMs(MAX_LIFE_MS));
      await worker.kill();
    }
    await other.kill();
    const last = await start();
    const open = async () => (await fixture.rows()).filter(({ status }) => status === 'scheduled').length;
    const planned = async () => (await fixture.rows()).length;
    await expect.poll(planned, { timeout: TIMEOUT_MS, interval: 500 }).toBe(2 * ORGANIZATIONS);
    await expect.poll(open, { timeout: TIMEOUT_MS, interval: 500 }).toBe(0);
    await last.kill();
    const rows = await fixture.rows();
    const arrived = fixture.inbox.emails.map(({ to }) => to);
    expect(new Set(arrived).size).toBe(arrived.length);
    const unconfirmed = rows.filter(({ status }) => status === 'failed');
    // Each killed process was sending at most one.
    expect(unconfirmed.length).toBeLessThanOrEqual(KILLS + 1);
    const missing = rows.filter(({ address }) => !arrived.includes(address)).map(({ address }) => address);
    expect(unconfirmed.map(({ address }) => address)).toEqual(expect.arrayContaining(missing));
    expect(rows.filter(({ status }) => status === 'accepted').map(({ address }) => address)).toEqual(
      rows
        .filter(({ status, address }) => status !== 'failed' && arrived.includes(address))
        .map(({ address }) => address),
    );
  },
  2 * TIMEOUT_MS,
);
