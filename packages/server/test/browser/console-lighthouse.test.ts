import type { AddressInfo } from 'node:net';
import net from 'node:net';
import lighthouse from 'lighthouse';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openChromium } from './chromium.ts';
import type { Looker } from './console-screen.ts';
import { type BusyStage, openBusyStage } from './console-stage.ts';

/** How fast it comes is judged elsewhere: no longer waited for than it takes to stand. */
const WAITS = { pauseAfterFcpMs: 0, pauseAfterLoadMs: 0, networkQuietThresholdMs: 500, cpuQuietThresholdMs: 500 };

let stage: BusyStage;
let browser: Browser;
let port: number;
const cookies = new Map<Looker, string>();

/** Lighthouse speaks to the browser through a port of its own. */
async function findFreePort(): Promise<number> {
  const server = net.createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const found = (server.address() as AddressInfo).port;
  await new Promise((resolve) => server.close(resolve));
  return found;
}

async function readCookie(page: Page): Promise<string> {
  const kept = await page.context().cookies();
  return kept.map(({ name, value }) => `${name}=${value}`).join('; ');
}

beforeAll(async () => {
  stage = await openBusyStage({ hasVideo: false });
  for (const who of ['owner', 'member'] as const) {
    const { page } = await stage.visit(who);
    cookies.set(who, await readCookie(page));
    await page.close();
  }
  port = await findFreePort();
  browser = await openChromium(`--remote-debugging-port=${port}`);
}, 120_000);
afterAll(async () => {
  await browser?.close();
  await stage?.close();
});

test.each([
  { who: 'owner', below: '/overview' },
  { who: 'owner', below: '/intros' },
  { who: 'owner', below: '/touchpoints/new_appointment' },
  { who: 'owner', below: '/members' },
  { who: 'owner', below: '/developers' },
  { who: 'member', below: '/home' },
] as const)('Lighthouse gives $below a 100 for accessibility, on a phone', async ({ who, below }) => {
  const url = `${stage.url}/console${below}`;
  const judged = await lighthouse(url, {
    ...{ port, logLevel: 'error', onlyCategories: ['accessibility'], disableFullPageScreenshot: true },
    ...WAITS,
    extraHeaders: { cookie: cookies.get(who) ?? '' },
  });
  const { finalDisplayedUrl, categories, audits = {} } = judged?.lhr ?? {};
  expect(finalDisplayedUrl).toBe(url);
  const faults = Object.values(audits).filter(({ score }) => score !== null && score < 1);
  expect(faults.map(({ id }) => id)).toEqual([]);
  expect(categories?.accessibility?.score).toBe(1);
});
