import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { makePng } from '../cli/picture-maker.ts';
import { type IntrosFixture, openIntros } from '../console/intros-fixture.ts';
import { openChromium } from './chromium.ts';
import { openConsoleAs, openTestPage } from './console-test-page.ts';

const BLACK = [16, 16, 16] as const;
const DARK = { viewport: { width: 1280, height: 800 }, colorScheme: 'dark' } as const;

let fixture: IntrosFixture;
let browser: Browser;
beforeAll(async () => {
  fixture = await openIntros();
  browser = await openChromium();
  const { version } = (await fixture.owner.call('GET /brand')).body;
  const file = makePng({ width: 400, height: 100 }, [...BLACK], [...BLACK]).toString('base64');
  expect((await fixture.owner.call('POST /brand/logo', { body: { version, file } })).status).toBe(200);
}, 180_000);
afterAll(async () => {
  await browser?.close();
  await fixture?.close();
});

interface Plate {
  readonly background: string;
  readonly padding: number;
  readonly width: number;
}

async function plateOf(page: Page): Promise<Plate> {
  await page.locator('img[src*="logo"]:visible').first().waitFor();
  return page.evaluate<Plate>(`(() => {
    const logo = [...document.querySelectorAll('img[src*="logo"]')].find((one) => one.checkVisibility());
    const { backgroundColor: background, paddingLeft } = getComputedStyle(logo);
    return { background, padding: parseFloat(paddingLeft), width: logo.getBoundingClientRect().width };
  })()`);
}

const WHITE = 'rgb(255, 255, 255)';
const NONE = 'rgba(0, 0, 0, 0)';

test('in dark mode, a dark logo has a white plate on the page, in the recorder and in the console; in light mode none', async () => {
  const { api, owner, service } = fixture;
  const sent = await fixture.make({ recipient: { first_name: 'Lou', phone: '+14155550871' } }, { recorded: true });
  const toRecord = await fixture.make({ recipient: { first_name: 'Lea', phone: '+14155550872' } });
  const pageUrl = (await api.get(`/v1/intros/${sent}`)).body.delivery.recipient_url;
  const recorderUrl = (await fixture.run('intro', 'link', toRecord)).url;
  const at = (url: string) => service.url + new URL(url, service.url).pathname;
  const places = {
    page: () => openTestPage(browser, DARK),
    recorder: () => openTestPage(browser, DARK),
    console: () => openConsoleAs(browser, owner, at('/console/overview'), DARK),
  };
  const urls = { page: at(pageUrl), recorder: at(recorderUrl), console: null };
  for (const [name, open] of Object.entries(places)) {
    const { page, close } = await open();
    const url = urls[name as keyof typeof urls];
    if (url !== null) await page.goto(url);
    const plate = await plateOf(page);
    expect(plate.background, name).toBe(WHITE);
    expect(plate.padding, name).toBeGreaterThan(0);
    expect(plate.width, name).toBeGreaterThan(20);
    expect(plate.width, name).toBeLessThanOrEqual(200);
    await page.emulateMedia({ colorScheme: 'light' });
    expect((await plateOf(page)).background, name).toBe(NONE);
    await close();
  }
});
