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

interface Reading {
  page: Page;
  /** All that the page asked for, also what the browser then refused. */
  requested: string[];
  /** What the page complained of: scripts that failed and what its own policy forbade. */
  complaints: string[];
}

async function readDocs(view: (typeof VIEWS)[number]): Promise<Reading> {
  const { viewport, colorScheme } = view;
  const context = await browser.newContext({ viewport, colorScheme });
  const requested: string[] = [];
  const complaints: string[] = [];
  context.on('request', (request) => requested.push(request.url()));
  context.on('console', (message) => {
    if (message.type() === 'error') complaints.push(message.text());
  });
  context.on('weberror', (fault) => complaints.push(fault.error().message));
  const page = await context.newPage();
  await page.goto(`${service.url}/docs`);
  await page.getByRole('heading', { name: 'Foreword API' }).first().waitFor();
  return { page, requested, complaints };
}

const atEnd = 'scrollY + innerHeight >= document.documentElement.scrollHeight - 4';

/** All headings from top to bottom: parts below the fold are made when a reader comes near. */
async function readHeadings(page: Page): Promise<Set<string>> {
  const headings = new Set<string>();
  for (let screens = 0; screens < MAX_SCREENS; screens += 1) {
    for (const heading of await page.getByRole('heading').allInnerTexts()) headings.add(heading.trim());
    if (await page.evaluate(atEnd)) return headings;
    await page.evaluate('scrollBy(0, innerHeight)');
    await page.waitForTimeout(SCREEN_MS);
  }
  throw new Error(`the page has no end after ${MAX_SCREENS} screens`);
}

describe.each(VIEWS)('the reference on $name screen', (view) => {
  test('shows every operation, fits the width, and asks no other host for anything', async () => {
    const { page, requested, complaints } = await readDocs(view);
    const headings = await readHeadings(page);
    expect(TITLES.filter((title) => !headings.has(title))).toEqual([]);

    const hosts = new Set(requested.filter((url) => !/^(data|blob):/.test(url)).map((url) => new URL(url).origin));
    expect([...hosts]).toEqual([service.url]);
    expect(requested).toContain(`${service.url}/openapi.json`);
    expect(complaints).toEqual([]);
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(view.viewport.width);
    await page.context().close();
  });

  test(`follows the ${view.colorScheme} scheme of the system`, async () => {
    const { page } = await readDocs(view);
    const background = await page.evaluate('getComputedStyle(document.body).backgroundColor');
    const [red = Number.NaN] = (String(background).match(/\d+/g) ?? []).map(Number);
    if (view.colorScheme === 'dark') expect(red).toBeLessThan(64);
    else expect(red).toBeGreaterThan(192);
    await page.context().close();
  });
});
