import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { expect } from 'vitest';
import type { ConsoleClient } from '../console/console-client.ts';

export const PHONE = { viewport: { width: 390, height: 844 }, deviceScaleFactor: 2, hasTouch: true, isMobile: true };
export const DESKTOP = { viewport: { width: 1280, height: 800 } };
const TIMEOUT_MS = 15_000;
const MAX_TABS = 60;

export interface TestPage {
  readonly page: Page;
  /** The browser's errors so far; for a failed request, its status. */
  readonly errors: string[];
  /** Closes the page. Fails if there were other errors than failed requests with these statuses. */
  close(...expectedStatuses: number[]): Promise<void>;
}

/** Opens a page in a new browser context. */
export async function openTestPage(browser: Browser, options: BrowserContextOptions = DESKTOP): Promise<TestPage> {
  const context = await browser.newContext(options);
  const page = await context.newPage();
  page.setDefaultTimeout(TIMEOUT_MS);
  const errors: string[] = [];
  page.on('console', (message) => {
    if (message.type() === 'error') errors.push(/status of (\d+)/.exec(message.text())?.[1] ?? message.text());
  });
  page.on('pageerror', (error) => errors.push(String(error)));
  return {
    page,
    errors,
    async close(...expectedStatuses) {
      expect(errors).toEqual(expectedStatuses.map(String));
      await context.close();
    },
  };
}

/** Opens a console page as a client that is already signed in. */
export async function openConsoleAs(
  browser: Browser,
  client: ConsoleClient,
  url: string,
  device: BrowserContextOptions = DESKTOP,
): Promise<TestPage> {
  const opened = await openTestPage(browser, device);
  const [name = '', value = ''] = client.cookie.split('=');
  await opened.page.context().addCookies([{ name, value, url: new URL(url).origin }]);
  await opened.page.goto(url);
  return opened;
}

/** The text of the focused element and its labels. */
const FOCUSED = `(() => {
  const { activeElement: element } = document;
  const labels = [...(element?.labels ?? [])].map((label) => label.textContent);
  return [element?.getAttribute('aria-label'), element?.textContent, ...labels].join(' ');
})()`;

/** Presses Tab until the element has the focus. */
export async function tabTo(page: Page, name: string): Promise<void> {
  for (let presses = 0; presses < MAX_TABS; presses++) {
    await page.keyboard.press('Tab');
    if (String(await page.evaluate(FOCUSED)).includes(name)) return;
  }
  throw new Error(`Tab never reached "${name}"`);
}
