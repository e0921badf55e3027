import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { makePng } from '../cli/picture-maker.ts';
import { openIntros } from '../console/intros-fixture.ts';
import { openConsoleAs, openConsoleTests } from './console-test-page.ts';

const BLACK = [16, 16, 16] as const;
const DARK = { viewport: { width: 1280, height: 800 }, colorScheme: 'dark' } as const;

const { fixture, browser } = await openConsoleTests(openIntros());
const { version } = (await fixture.owner.call('GET /brand')).body;
const file = makePng({ width: 400, height: 100 }, [...BLACK], [...BLACK]).toString('base64');
await fixture.owner.call('POST /brand/logo', { body: { version, file } });

interface Plate {
  readonly background: string;
  readonly padding: number;
  readonly width: number;
}

async function plateOf(page: Page): Promise<Plate> {
  await page.locator('img[src*="logo"]:visible').first().waitFor();
  return page.evaluate<Plate>(`(async () => {
    const logo = [...document.querySelectorAll('img[src*="logo"]')].find((one) => one.checkVisibility());
    await logo.decode();
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
  for (const [name, url] of [
    ['page', at(pageUrl)],
    ['recorder', at(recorderUrl)],
    ['console', at('/console/overview')],
  ] as const) {
    const { page } = await openConsoleAs(browser, owner, url, DARK);
    const plate = await plateOf(page);
    expect(plate.background, name).toBe(WHITE);
    expect(plate.padding, name).toBeGreaterThan(0);
    expect(plate.width, name).toBeGreaterThan(20);
    expect(plate.width, name).toBeLessThanOrEqual(200);
    await page.emulateMedia({ colorScheme: 'light' });
    expect((await plateOf(page)).background, name).toBe(NONE);
  }
});
