import { OPERATIONS, WEBHOOK_EVENTS } from '@foreword/contract';
import { expect, test } from 'vitest';
import { findViolations } from '../browser/accessibility.ts';
import { openChromium } from '../browser/chromium.ts';
import { watch } from '../browser/page-actions.ts';
import { forFile, openService } from '../harness/index.ts';

/** For a phone on slow 4G; the whole page is 35 KB. */
const MAX_BYTES = 350_000;
const PHONE = { width: 390, height: 844 };
const DESKTOP = { width: 1280, height: 800 };
const VIEWS = [
  { name: 'a phone, light', viewport: PHONE, colorScheme: 'light' },
  { name: 'a desktop, light', viewport: DESKTOP, colorScheme: 'light' },
  { name: 'a desktop, dark', viewport: DESKTOP, colorScheme: 'dark' },
] as const;

const browser = await forFile(openChromium());
const { service, organization } = await forFile(openService());

async function openDocs(view: (typeof VIEWS)[number], { javaScriptEnabled = true } = {}) {
  const { viewport, colorScheme } = view;
  const context = await browser.newContext({ viewport, colorScheme, javaScriptEnabled });
  const seen = watch(context);
  const page = await context.newPage();
  await page.goto(`${service.url}/docs/reference`);
  return { page, ...seen };
}

const listHosts = (requested: readonly string[]): string[] => [
  ...new Set(requested.filter((url) => !/^(data|blob):/.test(url)).map((url) => new URL(url).origin)),
];

test.each(VIEWS)(
  'the reference on $name needs no JavaScript: it shows every operation and event, fits the width, and axe finds nothing',
  async (view) => {
    const { page, requested, errors } = await openDocs(view, { javaScriptEnabled: false });
    const ids = await page.locator('article').evaluateAll((articles) => articles.map(({ id }) => id));
    expect(ids).toEqual(expect.arrayContaining([...Object.keys(OPERATIONS), ...Object.keys(WEBHOOK_EVENTS)]));
    expect(new Set(ids).size).toBe(ids.length);
    const targets = await page
      .locator('a[href^="#"]')
      .evaluateAll((links) => links.map((link) => link.getAttribute('href')));
    expect(targets.filter((target) => !ids.includes(target?.slice(1) ?? ''))).toEqual([]);
    const create = page.locator('#createIntro');
    for (const text of [
      '/v1/intros',
      'Idempotency-Key',
      'recipient',
      '201',
      'member_not_found',
      'curl "$FOREWORD_URL',
      'foreword.intros.create(',
    ])
      expect(await create.textContent()).toContain(text);
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(view.viewport.width);
    const background = await page.evaluate('getComputedStyle(document.body).backgroundColor');
    const [red = Number.NaN] = (String(background).match(/\d+/g) ?? []).map(Number);
    expect(red < 64).toBe(view.colorScheme === 'dark');
    // The timers of axe do not run without JavaScript.
    expect(await findViolations((await openDocs(view)).page)).toEqual([]);
    expect(listHosts(requested)).toEqual([service.url]);
    expect(errors).toEqual([]);
  },
);

test('the reference with everything that it loads has at most 350 KB, and a search shows what matches', async () => {
  const { page, errors } = await openDocs(VIEWS[0]);
  const sizes: number[] = [];
  page.on('response', (response) => {
    void response
      .request()
      .sizes()
      .then(({ responseBodySize }) => sizes.push(responseBodySize));
  });
  await page.reload({ waitUntil: 'networkidle' });
  await expect.poll(() => sizes.length).toBeGreaterThan(0);
  expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThan(MAX_BYTES);

  await page.getByRole('searchbox', { name: 'Search the reference' }).fill('erase recipient');
  const shown = page.locator('article:visible h3');
  await expect.poll(() => shown.allTextContents()).toContain('Erase a recipient');
  expect(await shown.allTextContents()).not.toContain('Create an intro');
  await page.getByRole('searchbox').fill('no such thing');
  await page.getByText('Nothing matches.').waitFor();
  expect(errors).toEqual([]);
});

test('a reader tries an operation with their key, which the page does not store', async () => {
  const { key } = organization;
  const { page, requested, errors } = await openDocs(VIEWS[1]);
  await page.locator('#listTouchpoints').getByRole('link', { name: 'Try it' }).click();
  await page.getByPlaceholder('Token').first().fill(key);
  await page.getByRole('button', { name: /Test Request.*\/v1\/touchpoints\)?$/ }).click();
  const answer = page.waitForResponse((response) => response.url() === `${service.url}/v1/touchpoints`);
  await page.getByRole('button', { name: /^Send get request/i }).click();
  expect((await answer).status()).toBe(200);

  expect(requested).toContain(`${service.url}/openapi.json`);
  expect(listHosts(requested)).toEqual([service.url]);
  expect(errors).toEqual([]);
  const stored = 'JSON.stringify([Object.entries(localStorage), Object.entries(sessionStorage), document.cookie])';
  expect(await page.evaluate(stored)).not.toContain(key);
  expect(await page.evaluate('indexedDB.databases()')).toEqual([]);
});
