import type { AddressInfo } from 'node:net';
import net from 'node:net';
import lighthouse from 'lighthouse';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openChromium } from './chromium.ts';
import { type ConsoleFixture, openConsoleFixture } from './console-fixture.ts';
import type { Viewer } from './console-screen.ts';

/** Only accessibility is measured here, so the audit does not wait for performance data. */
const PAUSES = { pauseAfterFcpMs: 0, pauseAfterLoadMs: 0, networkQuietThresholdMs: 500, cpuQuietThresholdMs: 500 };

let fixture: ConsoleFixture;
let browser: Browser;
let port: number;
const cookies = new Map<Viewer, string>();

/** A port for Lighthouse to control the browser. */
async function findFreePort(): Promise<number> {
  const server = net.createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const found = (server.address() as AddressInfo).port;
  await new Promise((resolve) => server.close(resolve));
  return found;
}

async function readCookie(page: Page): Promise<string> {
  const cookies = await page.context().cookies();
  return cookies.map(({ name, value }) => `${name}=${value}`).join('; ');
}

beforeAll(async () => {
  fixture = await openConsoleFixture({ hasVideo: false });
  for (const viewer of ['owner', 'member'] as const) {
    const { page } = await fixture.openAs(viewer);
    cookies.set(viewer, await readCookie(page));
    await page.close();
  }
  port = await findFreePort();
  browser = await openChromium(`--remote-debugging-port=${port}`);
}, 120_000);
afterAll(async () => {
  await browser?.close();
  await fixture?.close();
});

test.each([
  { viewer: 'owner', path: '/overview' },
  { viewer: 'owner', path: '/intros' },
  { viewer: 'owner', path: '/touchpoints/new_appointment' },
  { viewer: 'owner', path: '/members' },
  { viewer: 'owner', path: '/developers' },
  { viewer: 'member', path: '/home' },
] as const)('Lighthouse scores $path 100 for accessibility on a phone', async ({ viewer, path }) => {
  const url = `${fixture.url}/console${path}`;
  const result = await lighthouse(url, {
    ...{ port, logLevel: 'error', onlyCategories: ['accessibility'], disableFullPageScreenshot: true },
    ...PAUSES,
    extraHeaders: { cookie: cookies.get(viewer) ?? '' },
  });
  const { finalDisplayedUrl, categories, audits = {} } = result?.lhr ?? {};
  expect(finalDisplayedUrl).toBe(url);
  const failed = Object.values(audits).filter(({ score }) => score !== null && score < 1);
  expect(failed.map(({ id }) => id)).toEqual([]);
  expect(categories?.accessibility?.score).toBe(1);
});
