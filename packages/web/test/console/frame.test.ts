import type { Page } from 'playwright-core';
import { describe, expect } from 'vitest';
import { findViolations } from '../../../server/test/browser/accessibility.ts';
import { SIZES, SMALL_TARGETS, test } from './test-console.ts';

const focused = async (page: Page): Promise<string> =>
  String(await page.evaluate('document.activeElement.ariaLabel ?? document.activeElement.textContent'));

const heading = (page: Page) => page.locator('main h1');

describe.concurrent('the frame', () => {
  test('hides the pages of higher roles', async ({ visit }) => {
    for (const [role, heading, paths] of [
      [
        'member',
        /^Only for/,
        ['/members', '/touchpoints', '/developers/keys', '/overview', '/messages', '/organization/brand', '/intros'],
      ],
      ['manager', 'Only for owners', ['/developers/keys']],
    ] as const) {
      const { page, server } = await visit({ role });
      for (const path of paths) {
        await page.goto(`${server.origin}/console${path}`);
        await page.getByRole('heading', { name: heading }).waitFor();
      }
    }
  });

  test.for([
    ['member', '/console/home', ['My intros']],
    ['manager', '/console/overview', ['Overview', 'Intros', 'Touchpoints', 'Members', 'Organization']],
    ['owner', '/console/overview', ['Overview', 'Intros', 'Touchpoints', 'Members', 'Organization', 'Developers']],
  ] as const)(
    'sends a %s to %s, fits a phone in light and dark mode, and shows %j and their name',
    async ([role, path, names], { expect, visit }) => {
      const { page } = await visit({ role, browser: { viewport: SIZES.phone, hasTouch: true } });
      await heading(page).waitFor();
      expect(new URL(page.url()).pathname).toBe(path);
      for (const colorScheme of ['light', 'dark'] as const) {
        await page.emulateMedia({ colorScheme });
        expect(await findViolations(page)).toEqual([]);
      }
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(SIZES.phone.width);
      expect(await page.evaluate(SMALL_TARGETS)).toEqual([]);
      await page.setViewportSize(SIZES.desktop);
      const links = page.getByRole('navigation', { name: 'Main' }).getByRole('link');
      const shown = ['Acme Exteriors', ...names, expect.stringContaining('Ana Ng')];
      await expect.poll(() => links.allTextContents()).toEqual(shown);
    },
  );

  test('leads from old addresses to those of today', async ({ visit }) => {
    const { page, server } = await visit();
    for (const [from, to] of [
      ['/brand', '/organization/brand'],
      ['/outbox', '/messages'],
      ['/outbox/limits', '/organization/texting'],
      ['/activity', '/organization/activity'],
      ['/settings', '/account'],
      ['/home/new', '/intros/new'],
      ['/intros?view=events&status=failed', '/events?status=failed'],
      ['/organization', '/organization/brand'],
    ]) {
      await page.goto(`${server.origin}/console${from}`);
      await page.waitForURL(`**/console${to}`);
    }
  });

  test('marks a tab for the old address of sent intros', async ({ expect, visit }) => {
    const { page } = await visit({ path: '/intros?status=sent' });
    const current = page.getByRole('navigation', { name: 'Status' }).locator('[aria-current]');
    await expect.poll(() => current.allTextContents()).toEqual(['Sent']);
  });

  test('signs out and goes to the sign-in page', async ({ expect, visit }) => {
    const { page, server } = await visit({
      prepare: (fake) => fake.answer('POST /session/sign-out', { signed_out: true }),
    });
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.waitForURL('**/console/signin');
    expect(server.requests).toContain('POST /session/sign-out');
  });

  test('opens the phone menu by keyboard, and closes it on Escape and on a new page', async ({ expect, visit }) => {
    const { page } = await visit({ browser: { viewport: SIZES.phone } });
    const button = page.getByRole('button', { name: 'Menu' });
    const sheet = page.getByRole('dialog');
    await button.focus();
    await page.keyboard.press('Enter');
    await sheet.waitFor();
    expect(await findViolations(page)).toEqual([]);
    for (let presses = 0; presses < 14; presses += 1) {
      await page.keyboard.press('Tab');
      expect(
        await page.evaluate(
          `document.activeElement === document.body || document.activeElement.closest('dialog') !== null`,
        ),
      ).toBe(true);
    }
    await page.keyboard.press('Escape');
    await sheet.waitFor({ state: 'hidden' });
    expect(await focused(page)).toBe('Menu');
    await page.keyboard.press('Enter');
    await sheet.getByRole('link', { name: 'Developers' }).click();
    await page.getByRole('heading', { name: 'First steps', level: 1 }).waitFor();
    await sheet.waitFor({ state: 'hidden' });
    // The link of the current page is in view, although the row of links is wider than the phone.
    await page.getByRole('link', { name: 'Dry run' }).click();
    await page.getByRole('heading', { name: 'Dry run', level: 1 }).waitFor();
    await page.reload();
    await page.getByRole('heading', { name: 'Dry run', level: 1 }).waitFor();
    const { x = -1, width = 0 } = (await page.getByRole('link', { name: 'Dry run' }).boundingBox()) ?? {};
    expect(x).toBeGreaterThanOrEqual(0);
    expect(x + width).toBeLessThanOrEqual(SIZES.phone.width);
  });

  test('focuses the heading of a new page, and skips the navigation on request', async ({ expect, visit }) => {
    const { page } = await visit({ path: '/overview' });
    await heading(page).waitFor();
    await page.keyboard.press('Tab');
    expect(await focused(page)).toBe('Skip to content');
    await page.keyboard.press('Enter');
    expect(await page.evaluate('document.activeElement.id')).toBe('main');
    await page.getByRole('link', { name: 'Touchpoints' }).click();
    const focusedHeading = page.locator('h1:focus');
    await focusedHeading.filter({ hasText: 'Touchpoints' }).waitFor();
    expect(await page.title()).toBe('Touchpoints · Acme Exteriors');
    await page.goBack();
    await focusedHeading.filter({ hasText: 'Overview' }).waitFor();
  });

  test('shows a not-found page with a way back', async ({ visit }) => {
    const { page } = await visit({ path: '/nowhere/at/all' });
    await page.getByRole('heading', { name: 'Page not found' }).waitFor();
    await page.getByRole('link', { name: 'Go to start page' }).click();
    await page.getByRole('heading', { name: 'Overview' }).waitFor();
  });
});

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
