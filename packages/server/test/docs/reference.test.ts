import { OPERATIONS } from '@foreword/contract';
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { openChromium } from '../browser/chromium.ts';
import { forFile, isLong, openService } from '../harness/index.ts';

const TITLES = Object.values(OPERATIONS).map(({ summary }) => summary);
/** The page has more than two hundred screens of a phone, with samples in five languages. A tall window needs fewer. */
const TALL = 4_000;
const MAX_SCREENS = 100;
const SCREEN_MS = 100;
const ALL_SCREENS_MS = 240_000;
const PHONE = { width: 390, height: 844 };
const DESKTOP = { width: 1280, height: 800 };
const VIEWS = [
  { name: 'a phone, light', viewport: PHONE, colorScheme: 'light' },
  { name: 'a desktop, light', viewport: DESKTOP, colorScheme: 'light' },
  { name: 'a desktop, dark', viewport: DESKTOP, colorScheme: 'dark' },
] as const;

const browser = await forFile(openChromium());
const { service, organization } = await forFile(openService());

interface OpenedDocs {
  page: Page;
  /** All requests, including those that the browser blocked. */
  requested: string[];
  /** Script errors and violations of the page's security policy. */
  errors: string[];
}

async function openDocs(view: (typeof VIEWS)[number]): Promise<OpenedDocs> {
  const { viewport, colorScheme } = view;
  const context = await browser.newContext({ viewport, colorScheme });
  const requested: string[] = [];
  const errors: string[] = [];
  context.on('request', (request) => requested.push(request.url()));
  context.on('console', (message) => {
    if (message.type() === 'error') errors.push(message.text());
  });
  context.on('weberror', (error) => errors.push(error.error().message));
  const page = await context.newPage();
  await page.goto(`${service.url}/docs/reference`);
  await page.getByRole('heading', { name: 'Foreword API' }).first().waitFor();
  return { page, requested, errors };
}

const atEnd = 'scrollY + innerHeight >= document.documentElement.scrollHeight - 4';

/** Scrolls through the page, because it renders sections only when they come into view. */
async function readHeadings(page: Page): Promise<Set<string>> {
  const headings = new Set<string>();
  for (let screens = 0; screens < MAX_SCREENS; screens += 1) {
    const shown: string[] = await page.evaluate(
      "[...document.querySelectorAll('h1, h2, h3')].map((h) => h.textContent)",
    );
    for (const heading of shown) headings.add(heading.trim());
    if (await page.evaluate(atEnd)) return headings;
    await page.evaluate('scrollBy(0, innerHeight)');
    await page.waitForTimeout(SCREEN_MS);
  }
  throw new Error(`the page did not end after ${MAX_SCREENS} screens`);
}

// Colors do not change what is shown, so one run through the long page per width is enough. The narrow one is checked always.
test.each([{ name: 'a phone', view: VIEWS[0] }, ...(isLong ? [{ name: 'a desktop', view: VIEWS[2] }] : [])])(
  'the API reference on $name shows every operation, fits the width, and sends no request to another host',
  {
    timeout: ALL_SCREENS_MS,
  },
  async ({ view }) => {
    const { page, requested, errors } = await openDocs(view);
    await page.setViewportSize({ width: view.viewport.width, height: TALL });
    const headings = await readHeadings(page);
    expect(TITLES.filter((title) => !headings.has(title))).toEqual([]);

    const hosts = new Set(requested.filter((url) => !/^(data|blob):/.test(url)).map((url) => new URL(url).origin));
    expect([...hosts]).toEqual([service.url]);
    expect(requested).toContain(`${service.url}/openapi.json`);
    expect(errors).toEqual([]);
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(view.viewport.width);
  },
);

test.each([VIEWS[0], VIEWS[2]])('the API reference on $name has the color scheme of the system', async (view) => {
  const { page } = await openDocs(view);
  const background = await page.evaluate('getComputedStyle(document.body).backgroundColor');
  const [red = Number.NaN] = (String(background).match(/\d+/g) ?? []).map(Number);
  if (view.colorScheme === 'dark') expect(red).toBeLessThan(64);
  else expect(red).toBeGreaterThan(192);
});

test('a reader tries an operation with their key, which the page does not store', async () => {
  const { key } = organization;
  const { page, requested, errors } = await openDocs(VIEWS[1]);
  await page.getByPlaceholder('Token').first().fill(key);
  await page.evaluate("location.hash = '#tag/touchpoints/GET/v1/touchpoints'");
  await page.getByRole('button', { name: /Test Request.*\/v1\/touchpoints\)?$/ }).click();
  const answer = page.waitForResponse((response) => response.url() === `${service.url}/v1/touchpoints`);
  await page.getByRole('button', { name: /^Send get request/i }).click();
  expect((await answer).status()).toBe(200);

  const hosts = new Set(requested.filter((url) => !/^(data|blob):/.test(url)).map((url) => new URL(url).origin));
  expect([...hosts]).toEqual([service.url]);
  expect(errors).toEqual([]);
  const stored = 'JSON.stringify([Object.entries(localStorage), Object.entries(sessionStorage), document.cookie])';
  expect(await page.evaluate(stored)).not.toContain(key);
  expect(await page.evaluate('indexedDB.databases()')).toEqual([]);
});
