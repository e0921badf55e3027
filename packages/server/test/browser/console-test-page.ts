import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { expect, onTestFinished } from 'vitest';
import type { ConsoleClient } from '../console/console-client.ts';
import type { Team } from '../console/team-fixture.ts';
import { forFile } from '../harness/index.ts';
import { openChromium } from './chromium.ts';

export const PHONE = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true };
export const DESKTOP = { viewport: { width: 1280, height: 800 } };
const TIMEOUT_MS = 30_000;
const MAX_TABS = 60;

export interface OpenedPage {
  readonly page: Page;
  /** The browser's errors so far; for a failed request, its status. */
  readonly errors: string[];
}

export interface TestPage extends OpenedPage {
  /** Closes the page before the test ends. It must have logged no errors but failed requests with these statuses. */
  close(...expectedStatuses: number[]): Promise<void>;
}

/** Opens a page in a new browser context. */
async function openPage(browser: Browser, options: BrowserContextOptions = DESKTOP): Promise<OpenedPage> {
  const page = await (await browser.newContext(options)).newPage();
  page.setDefaultTimeout(TIMEOUT_MS);
  const errors: string[] = [];
  page.on('console', (message) => {
    if (message.type() === 'error') errors.push(/status of (\d+)/.exec(message.text())?.[1] ?? message.text());
  });
  page.on('pageerror', (error) => errors.push(String(error)));
  return { page, errors };
}

/** Opens a page that closes with the test, which fails if the page logged errors. Requests may fail with `mayFail`. */
export async function openTestPage(
  browser: Browser,
  options: BrowserContextOptions = DESKTOP,
  mayFail: readonly number[] = [],
): Promise<TestPage> {
  const { page, errors } = await openPage(browser, options);
  let isOpen = true;
  const close: TestPage['close'] = async (...expectedStatuses) => {
    if (!isOpen) return;
    isOpen = false;
    await page.context().close();
    expect(errors.filter((error) => !mayFail.includes(Number(error)))).toEqual(expectedStatuses.map(String));
  };
  onTestFinished(() => close());
  return { page, errors, close };
}

async function goAs({ page }: OpenedPage, client: ConsoleClient, url: string): Promise<void> {
  const [name = '', value = ''] = client.cookie.split('=');
  await page.context().addCookies([{ name, value, url: new URL(url).origin }]);
  await page.goto(url);
}

/** Opens a console page as a client that is already signed in. */
export async function openConsoleAs(
  browser: Browser,
  client: ConsoleClient,
  url: string,
  device: BrowserContextOptions = DESKTOP,
  mayFail: readonly number[] = [],
): Promise<TestPage> {
  const opened = await openTestPage(browser, device, mayFail);
  await goAs(opened, client, url);
  return opened;
}

/** A service with a team and a browser, for the tests of a file. */
export async function openConsoleTests<Fixture extends Team>(opening: Promise<Fixture>) {
  const fixture = await forFile(opening);
  const browser = await forFile(openChromium());
  return {
    fixture,
    browser,
    /** Opens a page of the console, as the owner unless another member of the team is given. */
    open: (
      path: string,
      { client = fixture.owner, device = DESKTOP as BrowserContextOptions, mayFail = [] as readonly number[] } = {},
    ) => openConsoleAs(browser, client, `${fixture.service.url}/console${path}`, device, mayFail),
    /** Opens a page that all tests of the file continue to use. */
    async openShared(path: string): Promise<OpenedPage> {
      const opened = await openPage(browser);
      await goAs(opened, fixture.owner, `${fixture.service.url}/console${path}`);
      return opened;
    },
  };
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
