import { OPERATIONS } from '@foreword/contract';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createTestDatabase, type Service, startService, type TestDatabase } from '../harness/index.ts';
import { openChromium } from './chromium.ts';

const TITLES = Object.values(OPERATIONS).map(({ summary }) => summary);
const MAX_SCREENS = 200;
const SCREEN_MS = 100;
const PHONE = { width: 390, height: 844 };
const DESKTOP = { width: 1280, height: 800 };
const VIEWS = [
  { name: 'a phone, light', viewport: PHONE, colorScheme: 'light' },
  { name: 'a phone, dark', viewport: PHONE, colorScheme: 'dark' },
  { name: 'a desktop, light', viewport: DESKTOP, colorScheme: 'light' },
  { name: 'a desktop, dark', viewport: DESKTOP, colorScheme: 'dark' },
] as const;

let browser: Browser;
let database: TestDatabase;
let service: Service;

beforeAll(async () => {
  browser = await openChromium();
  database = await createTestDatabase();
  service = await startService({ DATABASE_URL: database.url, FOREWORD_DEMO: 'off' });
});

afterAll(async () => {
  await service?.stop();
  await database?.drop();
  await browser?.close();
});

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
  await page.goto(`${service.url}/docs`);
  await page.getByRole('heading', { name: 'Foreword API' }).first().waitFor();
  return { page, requested, errors };
}

const atEnd = 'scrollY + innerHeight >= document.documentElement.scrollHeight - 4';

/** Scrolls through the page, because it renders sections only when they come into view. */
async function readHeadings(page: Page): Promise<Set<string>> {
  const headings = new Set<string>();
  for (let screens = 0; screens < MAX_SCREENS; screens += 1) {
    for (const heading of await page.getByRole('heading').allInnerTexts()) headings.add(heading.trim());
    if (await page.evaluate(atEnd)) return headings;
    await page.evaluate('scrollBy(0, innerHeight)');
    await page.waitForTimeout(SCREEN_MS);
  }
  throw new Error(`the page did not end after ${MAX_SCREENS} screens`);
}

describe.each(VIEWS)('the API reference on $name', (view) => {
  test('shows every operation, fits the width, and sends no request to another host', async () => {
    const { page, requested, errors } = await openDocs(view);
    const headings = await readHeadings(page);
    expect(TITLES.filter((title) => !headings.has(title))).toEqual([]);

    const hosts = new Set(requested.filter((url) => !/^(data|blob):/.test(url)).map((url) => new URL(url).origin));
    expect([...hosts]).toEqual([service.url]);
    expect(requested).toContain(`${service.url}/openapi.json`);
    expect(errors).toEqual([]);
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(view.viewport.width);
    await page.context().close();
  });

  test(`follows the system's ${view.colorScheme} color scheme`, async () => {
    const { page } = await openDocs(view);
    const background = await page.evaluate('getComputedStyle(document.body).backgroundColor');
    const [red = Number.NaN] = (String(background).match(/\d+/g) ?? []).map(Number);
    if (view.colorScheme === 'dark') expect(red).toBeLessThan(64);
    else expect(red).toBeGreaterThan(192);
    await page.context().close();
  });
});
