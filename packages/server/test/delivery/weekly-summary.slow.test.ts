import { type ChildProcess, spawn } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import path from 'node:path';
import { expect, test } from 'vitest';
import { forFile, sleep } from '../harness/index.ts';
import { LOG_ONLY } from './delivery-fixture.ts';
import { openSummaries } from './summary-fixture.ts';

const MONDAY = '2026-03-09T13:00:00Z';
const ORGANIZATIONS = 30;
const KILLS = 12;
const MAX_LIFE_MS = 1_500;
const TIMEOUT_MS = 240_000;

const fixture = await forFile(openSummaries(MONDAY));

async function startWorker(): Promise<ChildProcess> {
  const settings = { ...LOG_ONLY, mail: fixture.inbox.server };
  const given = JSON.stringify({ url: fixture.database.url, settings, now: MONDAY });
  const child = spawn(process.execPath, [path.join(import.meta.dirname, 'summary.child.ts'), given], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  if (child.stdout !== null) await once(child.stdout, 'data');
  return child;
}

async function kill(child: ChildProcess): Promise<void> {
  const gone = once(child, 'exit');
  child.kill('SIGKILL');
  await gone;
}

test(
  'while workers are killed, each owner gets the summary at most once, and only one that was being confirmed gets none',
  async () => {
    for (let n = 0; n < ORGANIZATIONS; n++) {
      const tenant = await fixture.newOrganization(`Owner${n}`, 'America/Chicago');
      await fixture.addOwner(tenant, `Second${n}`);
      const at = '2026-03-04T12:00:00Z';
      await fixture.addIntro(tenant, { at, recordedAt: at, sentAt: at });
    }
    const other = await startWorker();
    for (let kills = 0; kills < KILLS; kills++) {
      const worker = await startWorker();
      await sleep(randomInt(MAX_LIFE_MS));
      await kill(worker);
    }
    await kill(other);
    const last = await startWorker();
    const open = async () => (await fixture.rows()).filter(({ status }) => status === 'sending').length;
    const planned = async () => (await fixture.rows()).length;
    await expect.poll(planned, { timeout: TIMEOUT_MS, interval: 500 }).toBe(2 * ORGANIZATIONS);
    await expect.poll(open, { timeout: TIMEOUT_MS, interval: 500 }).toBe(0);
    await kill(last);
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
  TIMEOUT_MS,
);
