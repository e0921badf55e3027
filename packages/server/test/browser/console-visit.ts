import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { expect } from 'vitest';
import type { ConsoleClient } from '../console/support.ts';
import { button } from './studio.ts';

export const PHONE = { viewport: { width: 390, height: 844 }, deviceScaleFactor: 2, hasTouch: true, isMobile: true };
export const DESK = { viewport: { width: 1280, height: 800 } };
const LOOK_MS = 15_000;

export interface Watched {
  readonly page: Page;
  /** What the browser complained of so far; of an answer that refused something, its status. */
  readonly faults: string[];
  /** With the refusals that were to come: every browser tells of those. Any other fault fails the test. */
  leave(...refused: number[]): Promise<void>;
}

/** A page in a browser of its own. */
export async function openWatched(browser: Browser, options: BrowserContextOptions = DESK): Promise<Watched> {
  const context = await browser.newContext(options);
  const page = await context.newPage();
  page.setDefaultTimeout(LOOK_MS);
  const faults: string[] = [];
  page.on('console', (message) => {
    if (message.type() === 'error') faults.push(/status of (\d+)/.exec(message.text())?.[1] ?? message.text());
  });
  page.on('pageerror', (error) => faults.push(String(error)));
  return {
    page,
    faults,
    async leave(...refused) {
      expect(faults).toEqual(refused.map(String));
      await context.close();
    },
  };
}

/** A page of the console, for somebody who is signed in already. */
export async function visitAs(
  browser: Browser,
  who: ConsoleClient,
  address: string,
  device: BrowserContextOptions = DESK,
): Promise<Watched> {
  const watched = await openWatched(browser, device);
  const [name = '', value = ''] = who.cookie.split('=');
  await watched.page.context().addCookies([{ name, value, url: new URL(address).origin }]);
  await watched.page.goto(address);
  return watched;
}

/** Signs in by a link of the operator's command, as a person does. */
export async function enter(page: Page, service: { url: string }, link: { url: string }): Promise<void> {
  await page.goto(service.url + new URL(link.url).pathname);
  await button(page, 'Sign in').click();
  await page.waitForURL((at) => !at.pathname.startsWith('/console/signin'));
}

/** What has the focus, as a text: the browser's part, which knows its own document. */
const FOCUSED = `(() => {
  const { activeElement: element } = document;
  const labels = [...(element?.labels ?? [])].map((label) => label.textContent);
  return [element?.getAttribute('aria-label'), element?.textContent, ...labels].join(' ');
})()`;

/** To this element by Tab alone, as somebody without a mouse gets there. */
export async function tabTo(page: Page, name: string): Promise<void> {
  for (let presses = 0; presses < 60; presses++) {
    await page.keyboard.press('Tab');
    if (String(await page.evaluate(FOCUSED)).includes(name)) return;
  }
  throw new Error(`Tab never came to "${name}"`);
}
