import fs from 'node:fs';
import path from 'node:path';
import { DELIVERY_FAILURES, ERRORS, EVENT_FAILURES } from '@foreword/contract';
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { findViolations } from '../browser/accessibility.ts';
import { openChromium } from '../browser/chromium.ts';
import { forFile, openService } from '../harness/index.ts';

const DIST = path.join(import.meta.dirname, '../../../../docs/site/dist');
/** The addresses of all built pages. */
const PAGES = fs
  .readdirSync(DIST, { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('index.html'))
  .map((file) => `/docs/${file}`.replace(/\/index\.html$/, ''))
  .sort();
/** One page of each kind. */
const KINDS = ['/docs', '/docs/guides/quickstart', '/docs/self-hosting/reference', '/docs/errors'];
/** For a visit to each of the more than forty pages on a busy machine. */
const ALL_PAGES_MS = 1_200_000;
const PHONE = { width: 390, height: 844 };
const DESKTOP = { width: 1280, height: 800 };
interface View {
  readonly viewport: { readonly width: number; readonly height: number };
  readonly colorScheme: 'light' | 'dark';
}
const DAY: View = { viewport: DESKTOP, colorScheme: 'light' };

const browser = await forFile(openChromium());
const fixture = await forFile(openService({ DOCS_SITE: 'on' }));
const url = fixture.service.url;

async function openVisit(view: View) {
  const context = await browser.newContext(view);
  // Requests to other hosts, script errors, and violations of the policy.
  const problems: string[] = [];
  context.on('request', (request) => {
    if (!/^(data|blob):/.test(request.url()) && new URL(request.url()).origin !== url) problems.push(request.url());
  });
  context.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warning') problems.push(message.text());
  });
  context.on('weberror', (error) => problems.push(error.error().message));
  return { context, page: await context.newPage(), problems };
}

async function expectAccessible(page: Page, address: string, part = 'html'): Promise<void> {
  expect({ address, found: await findViolations(page, { part }) }).toEqual({ address, found: [] });
}

test('every page answers, fits a desktop and a phone, obeys the policy, and asks no other host; axe finds nothing', {
  timeout: ALL_PAGES_MS,
}, async () => {
  expect(PAGES).toEqual(expect.arrayContaining(KINDS));
  const { context, page, problems } = await openVisit(DAY);
  for (const address of PAGES) {
    await page.setViewportSize(DESKTOP);
    expect({ address, status: (await page.goto(url + address))?.status() }).toEqual({ address, status: 200 });
    // The header and the list of pages are the same everywhere.
    await expectAccessible(page, address, KINDS.includes(address) ? 'html' : 'main');
    for (const viewport of [DESKTOP, PHONE]) {
      await page.setViewportSize(viewport);
      const width = await page.evaluate('document.documentElement.scrollWidth');
      expect({ address, width }).toEqual({ address, width: viewport.width });
    }
    if (!KINDS.includes(address)) continue;
    // As a phone loads it.
    await page.goto(url + address);
    await expectAccessible(page, address);
    await page.emulateMedia({ colorScheme: 'dark' });
    await expect.poll(() => page.locator('html').getAttribute('data-theme')).toBe('dark');
    await expectAccessible(page, address);
    await page.emulateMedia({ colorScheme: 'light' });
  }
  expect(problems).toEqual([]);
  await context.close();
});

test.each<[string, View]>([
  ['a phone, light', { viewport: PHONE, colorScheme: 'light' }],
  ['a desktop, dark', { viewport: DESKTOP, colorScheme: 'dark' }],
])('on %s, the search finds a term and leads to it', async (_name, view) => {
  const { context, page, problems } = await openVisit(view);
  await page.goto(`${url}/docs`);
  await page.getByRole('button', { name: 'Search' }).click();
  await page.locator('.pagefind-ui__search-input').fill('idempotency');
  const result = page.locator('.pagefind-ui__result-link').first();
  await result.waitFor();
  await expectAccessible(page, 'the results');
  await result.click();
  await page.locator('main h1').waitFor();
  expect(new URL(page.url()).pathname).toMatch(/^\/docs\/./);
  expect(await page.locator('main').textContent()).toMatch(/idempotency/i);
  expect(problems).toEqual([]);
  await context.close();
});

test('the Link of an error leads to its explanation, and every code has one', async () => {
  const { headers } = await fetch(`${url}/v1/intros`);
  const [, help = ''] = /^<(.*)>; rel="help"$/.exec(headers.get('link') ?? '') ?? [];
  const { context, page } = await openVisit({ viewport: PHONE, colorScheme: 'light' });
  await page.goto(help);
  const entry = page.locator('.error', { has: page.locator(':target') });
  expect(await entry.textContent()).toContain(ERRORS.unauthorized.action.replaceAll('`', ''));
  const box = await entry.boundingBox();
  expect(box !== null && box.y > 0 && box.y < PHONE.height).toBe(true);
  const codes = [...Object.keys(ERRORS), ...Object.keys(EVENT_FAILURES), ...Object.keys(DELIVERY_FAILURES)];
  const shown = await page.locator('.error h3 code').allTextContents();
  expect(codes.filter((code) => !shown.includes(code))).toEqual([]);
  await context.close();
});

test('a page that does not exist is a 404 with a way back; programs get the error body', async () => {
  const { context, page } = await openVisit(DAY);
  expect((await page.goto(`${url}/docs/guides/nothing`))?.status()).toBe(404);
  await expectAccessible(page, 'a page that does not exist');
  await page.locator('main').getByRole('link', { name: 'overview' }).click();
  await page.getByRole('heading', { name: 'Foreword documentation' }).waitFor();
  await context.close();
  const answer = await fetch(`${url}/docs/guides/nothing`);
  expect([answer.status, ((await answer.json()) as { error: { code: string } }).error.code]).toEqual([
    404,
    'not_found',
  ]);
  for (const outside of [
    '/docs/policy.json',
    '/docs/404.html',
    '/docs/..%2f..%2fpackage.json',
    '/docs/%2e%2e/package.json',
  ])
    expect({ outside, status: (await fetch(url + outside)).status }).toEqual({ outside, status: 404 });
});
