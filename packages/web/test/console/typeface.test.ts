import type { Page } from 'playwright-core';
import { describe, expect } from 'vitest';
import { test } from './test-console.ts';

const FONT = '**/assets/figtree-*.woff2';
const isLoaded = `document.fonts.check('600 16px Figtree')`;

/** The boxes of all texts on the page. */
const boxes = (page: Page) =>
  page
    .locator('main h1, main h2, main p, .nav-item')
    .evaluateAll((elements) => elements.map((element) => element.getBoundingClientRect().toJSON()));

describe('the typeface', () => {
  test('loads once, with the page, and the file for other alphabets not at all', async ({ visit }) => {
    const fonts: string[] = [];
    const { page } = await visit({ path: '/no-such-page' });
    page.on('request', (request) => request.url().endsWith('.woff2') && fonts.push(new URL(request.url()).pathname));
    await page.reload();
    await page.getByRole('heading', { level: 1 }).waitFor();
    await expect.poll(() => page.evaluate(isLoaded)).toBe(true);
    expect(fonts).toEqual([expect.stringMatching(/^\/assets\/figtree-[\w-]{8}\.woff2$/)]);
    expect(await page.locator('link[rel=preload][as=font]').getAttribute('href')).toBe(fonts[0]);
  });

  test('shows text before it arrives, and moves no line when it does', async ({ visit }) => {
    const { page } = await visit({ path: '/no-such-page' });
    let release = () => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    await page.route(FONT, async (route) => {
      await held;
      await route.continue();
    });
    // A preload delays the page's load event, but not its scripts.
    await page.reload({ waitUntil: 'commit' });
    await page.getByRole('heading', { level: 1 }).waitFor();
    expect(await page.evaluate(isLoaded)).toBe(false);
    const before = await boxes(page);
    expect(before.length).toBeGreaterThan(5);
    release();
    await expect.poll(() => page.evaluate(isLoaded)).toBe(true);
    const after = await boxes(page);
    expect(after.map(({ y, height }) => [y, height])).toEqual(before.map(({ y, height }) => [y, height]));
  });
});
