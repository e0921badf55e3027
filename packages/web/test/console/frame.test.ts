import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { findAccessibilityIssues, SIZES, SMALL_TARGETS, TestConsole } from './test-console.ts';

let testConsole: TestConsole;
beforeAll(async () => {
  testConsole = await TestConsole.open();
});
afterAll(() => testConsole?.close());

const PAGES = [
  ['/home', 'member'],
  ['/home/new', 'member'],
  ['/settings', 'member'],
  ['/intros/int_1', 'member'],
  ['/overview', 'manager'],
  ['/intros', 'manager'],
  ['/events/evt_1', 'manager'],
  ['/touchpoints', 'manager'],
  ['/touchpoints/new_appointment', 'manager'],
  ['/members', 'manager'],
  ['/members/import', 'manager'],
  ['/members/mem_1', 'manager'],
  ['/brand', 'manager'],
  ['/developers', 'manager'],
  ['/developers/webhooks', 'manager'],
  ['/developers/webhooks/whk_1', 'manager'],
  ['/developers/requests', 'manager'],
  ['/developers/requests/req_1', 'manager'],
  ['/developers/try', 'manager'],
  ['/outbox', 'manager'],
  ['/activity', 'manager'],
  ['/developers/keys', 'owner'],
] as const;

const focused = async (page: Page): Promise<string> =>
  String(await page.evaluate('document.activeElement.ariaLabel ?? document.activeElement.textContent'));

const heading = (page: Page) => page.locator('main h1');
const pathOf = (page: Page): string => new URL(page.url()).pathname;

describe.concurrent('every page', () => {
  test.each(PAGES)('%s opens for a %s with one heading, its title, and no errors', async (path, role) => {
    const { page, errors, close } = await testConsole.visit({ role, path });
    await heading(page).waitFor();
    const title = (await heading(page).textContent()) ?? '';
    expect(title).not.toMatch(/^(Only for|This page failed|Page not found)/);
    expect(await heading(page).count()).toBe(1);
    expect(await page.title()).toBe(`${title} · Acme Exteriors`);
    expect(errors).toEqual([]);
    await close();
  });

  test.each(PAGES.filter(([, role]) => role !== 'member'))(
    '%s is hidden from users below the role %s',
    async (path, role) => {
      const { page, errors, close } = await testConsole.visit({ role: role === 'owner' ? 'manager' : 'member', path });
      await page
        .getByRole('heading', { name: role === 'owner' ? 'Only for owners' : 'Only for owners and managers' })
        .waitFor();
      expect(errors).toEqual([]);
      await close();
    },
  );
});

describe.concurrent('the frame', () => {
  test.each([
    ['member', '/console/home'],
    ['manager', '/console/overview'],
    ['owner', '/console/overview'],
  ] as const)('sends a %s to %s', async (role, path) => {
    const { page, close } = await testConsole.visit({ role });
    await heading(page).waitFor();
    expect(pathOf(page)).toBe(path);
    await close();
  });

  test('shows a member only two links', async ({ expect }) => {
    const { page, close } = await testConsole.visit({ role: 'member' });
    await heading(page).waitFor();
    const links = page.getByRole('navigation').getByRole('link');
    expect(await links.allTextContents()).toEqual(['Home', 'Settings']);
    await close();
  });

  test.each(
    Object.entries(SIZES).flatMap(([size, viewport]) =>
      (['owner', 'member'] as const).map((role) => ({ size, viewport, role })),
    ),
  )('has no accessibility issues on a $size for a $role, in light and dark mode', async ({ viewport, role }) => {
    const { page, close } = await testConsole.visit({ role, browser: { viewport, hasTouch: viewport.width < 800 } });
    await heading(page).waitFor();
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme });
      expect(await findAccessibilityIssues(page)).toEqual([]);
    }
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(viewport.width);
    expect(await page.evaluate(SMALL_TARGETS)).toEqual([]);
    await close();
  });

  test('fits tables on the narrowest phone', async ({ expect }) => {
    const { page, close } = await testConsole.visit({
      path: '/developers/keys',
      browser: { viewport: { width: 360, height: 740 } },
      prepare: (server) =>
        server.answer('GET /keys', {
          keys: ['one', 'two'].map((id) => ({
            id,
            name: 'Acme CRM',
            ending: 'w3Xz',
            created_at: '2026-01-05T10:00:00.000Z',
            last_used_at: null,
            revoked_at: null,
            expires_at: '2026-12-05T10:00:00.000Z',
            allowed_ips: ['203.0.113.0/24', '2001:db8:1234:5678::/64'],
            scope: 'full' as const,
            recording_links: true,
            agent_writes: false,
          })),
        }),
    });
    await page.getByRole('table').waitFor();
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(360);
    expect(await page.getByRole('columnheader').count()).toBe(5);
    await close();
  });

  test('opens the phone menu by keyboard, traps the focus, and closes it on Escape and on a new page', async ({
    expect,
  }) => {
    const { page, errors, close } = await testConsole.visit({ browser: { viewport: SIZES.phone } });
    const button = page.getByRole('button', { name: 'Menu' });
    const sheet = page.getByRole('dialog');
    await button.focus();
    await page.keyboard.press('Enter');
    await sheet.waitFor();
    expect(await findAccessibilityIssues(page)).toEqual([]);
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
    await sheet.getByRole('link', { name: 'Members' }).click();
    await page.getByRole('heading', { name: 'Members', level: 1 }).waitFor();
    await sheet.waitFor({ state: 'hidden' });
    expect(errors).toEqual([]);
    await close();
  });

  test('moves the focus to the heading of a new page, and skips the navigation on request', async ({ expect }) => {
    const { page, close } = await testConsole.visit({ path: '/overview' });
    await heading(page).waitFor();
    await page.keyboard.press('Tab');
    expect(await focused(page)).toBe('Skip to content');
    await page.keyboard.press('Enter');
    expect(await page.evaluate('document.activeElement.id')).toBe('main');
    await page.getByRole('link', { name: 'Touchpoints' }).click();
    const focusedHeading = page.locator('h1:focus');
    await focusedHeading.filter({ hasText: 'Touchpoints' }).waitFor();
    await page.goBack();
    await focusedHeading.filter({ hasText: 'Overview' }).waitFor();
    await close();
  });

  test('shows a not-found page with a way back', async ({ expect }) => {
    const { page, errors, close } = await testConsole.visit({ path: '/nowhere/at/all' });
    await page.getByRole('heading', { name: 'Page not found' }).waitFor();
    await page.getByRole('link', { name: 'Go to start page' }).click();
    await page.getByRole('heading', { name: 'Overview' }).waitFor();
    expect(errors).toEqual([]);
    await close();
  });

  test('signs out and goes to the sign-in page', async ({ expect }) => {
    const { page, server, close } = await testConsole.visit({
      prepare: (fake) => fake.answer('POST /session/sign-out', { signed_out: true }),
    });
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.waitForURL('**/console/signin');
    expect(server.requests).toContain('POST /session/sign-out');
    await close();
  });
});
