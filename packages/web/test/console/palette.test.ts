import type { Page } from 'playwright-core';
import { describe, expect } from 'vitest';
import { findViolations } from '../../../server/test/browser/accessibility.ts';
import { serveTouchpoint } from './examples.ts';
import { Refusal } from './fake-console.ts';
import { INTRO_ROW, serveOverview, serveSearch } from './overview-data.ts';
import { SIZES, test } from './test-console.ts';

/** Contrast is checked without an animation in progress. */
const CALM = { reducedMotion: 'reduce' } as const;
const FAILURE = new Refusal(503, { code: 'service_unavailable', message: 'Try again.' });
const field = (page: Page) => page.getByRole('combobox', { name: 'Search and commands' });
const active = (page: Page) => page.getByRole('option', { selected: true });

async function openSearch(page: Page, shortcut = 'Control+k'): Promise<void> {
  await page.getByRole('heading', { level: 1 }).waitFor();
  await page.keyboard.press(shortcut);
  await field(page).waitFor();
}

describe('search and commands', () => {
  test('opens with the keyboard, loads its script only then, and returns the focus on Escape', async ({ visit }) => {
    const { page } = await visit({ path: '/account', browser: CALM });
    await page.getByRole('heading', { level: 1 }).waitFor();
    const scripts: string[] = [];
    page.on('request', (request) => request.resourceType() === 'script' && scripts.push(request.url()));
    const button = page.getByRole('button', { name: 'Search' });
    await button.focus();
    await openSearch(page);
    expect(scripts.length).toBeGreaterThan(0);
    expect(await page.evaluate('document.activeElement.getAttribute("role")')).toBe('combobox');
    expect(await findViolations(page)).toEqual([]);
    await page.keyboard.press('Escape');
    await field(page).waitFor({ state: 'detached' });
    expect(await button.evaluate((element) => element === document.activeElement)).toBe(true);
    await openSearch(page, 'Meta+k');
  });

  test('keeps what is typed while its script loads, and Escape cancels', async ({ visit }) => {
    const { page } = await visit({ path: '/account' });
    await page.getByRole('heading', { level: 1 }).waitFor();
    let release = () => {};
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    await page.route('**/*.js', async (route) => {
      await released;
      await route.continue();
    });
    await page.keyboard.press('Control+k');
    await page.keyboard.type('x');
    await page.keyboard.press('Escape');
    await page.keyboard.press('Control+k');
    await page.keyboard.type('devs');
    await page.keyboard.press('Backspace');
    release();
    await active(page).filter({ hasText: 'Developers' }).waitFor();
    expect(await field(page).inputValue()).toBe('dev');
    await page.keyboard.type('e');
    expect(await field(page).inputValue()).toBe('deve');
  });

  test('opens pages and actions with the arrow keys and Enter', async ({ visit }) => {
    const { page } = await visit({ path: '/account' });
    await openSearch(page);
    await page.keyboard.type('dev');
    await active(page).filter({ hasText: 'Developers' }).waitFor();
    await page.keyboard.press('Enter');
    await page.waitForURL('**/console/developers');
    await openSearch(page);
    await page.keyboard.type('intro');
    const first = active(page).filter({ hasText: 'New intro' });
    await first.waitFor();
    await page.keyboard.press('ArrowDown');
    await first.waitFor({ state: 'detached' });
    await page.keyboard.press('ArrowUp');
    await first.waitFor();
    await field(page).fill('add mem');
    await active(page).filter({ hasText: 'Add member' }).waitFor();
    await page.keyboard.press('Enter');
    await page.waitForURL('**/console/members#new');
    await page.getByRole('dialog', { name: 'Add a member' }).waitFor();
    await page.keyboard.press('Control+k');
    expect(await field(page).count()).toBe(0);
  });

  test('leads from common words to the page of what they mean', async ({ visit }) => {
    const { page } = await visit({
      path: '/overview',
      prepare(server) {
        serveOverview(server);
        serveTouchpoint(server);
        server.answer('GET /touchpoints', () => ({ touchpoints: [{ slug: 'kickoff', name: 'Kickoff' }], lanes: [] }));
        server.answer('POST /session/sign-out', { signed_out: true });
      },
    });
    for (const [text, name, path] of [
      ['logo', 'Logo', '/organization/brand'],
      ['quiet', 'Texting hours', '/organization/texting'],
      ['timezone', 'Time zone', '/organization/brand'],
      ['custom dom', 'Link domain', '/organization/security'],
      ['audit', 'Activity', '/organization/activity'],
      ['gdpr', 'Data', '/organization/data'],
      ['outbox', 'Messages', '/messages'],
      ['retention', 'Retention', '/organization/data'],
      ['two-factor', 'Require passkeys', '/organization/security'],
      ['kick', 'Kickoff', '/touchpoints/kickoff'],
      ['log out', 'Sign out', '/signin'],
    ] as const) {
      await openSearch(page);
      await field(page).fill(text);
      await page.getByRole('dialog').getByRole('option', { name, exact: false, selected: true }).waitFor();
      await page.keyboard.press('Enter');
      await page.waitForURL(`**/console${path}`);
      // The search ignores its shortcut until it has closed.
      await page.locator('dialog.palette').waitFor({ state: 'detached' });
    }
  });

  test('opens with a slash; a question mark lists the keys, j and k move in a list', async ({ visit }) => {
    const { page } = await visit({ path: '/overview', prepare: serveOverview, browser: CALM });
    const rows = page.getByRole('list', { name: 'Needs attention' }).locator('a.attention-link');
    await rows.first().waitFor();
    const focused = (name: string) => page.locator('a:focus').filter({ hasText: name }).waitFor();
    for (let row = 0; row < 3; row += 1) await page.keyboard.press('j');
    await focused('Owen Park');
    await page.keyboard.press('k');
    await focused('Dana Whitfield');
    await page.keyboard.press('?');
    const keys = page.getByRole('dialog', { name: 'Keyboard shortcuts' });
    await keys.getByText('Next row of a list').waitFor();
    expect(await findViolations(page)).toEqual([]);
    await page.keyboard.press('Escape');
    await keys.waitFor({ state: 'detached' });
    await page.keyboard.press('/');
    await field(page).waitFor();
    await page.keyboard.type('shortcuts/');
    expect(await field(page).inputValue()).toBe('shortcuts/');
    await field(page).fill('shortcuts');
    await page.keyboard.press('Enter');
    await keys.waitFor();
  });

  test('finds recipients and members, and opens the first on Enter', async ({ visit }) => {
    const { page, server } = await visit({ path: '/account', prepare: serveSearch });
    await openSearch(page);
    await field(page).fill('rosa');
    const recipient = page.getByRole('group', { name: 'Intros' }).getByRole('option');
    await recipient.filter({ hasText: '(415) 555-0177 · On my way · To record · job-4711' }).waitFor();
    await page.getByRole('group', { name: 'Members' }).getByText('Rosalind Ost').waitFor();
    expect(server.requests.filter((request) => request.startsWith('GET /intros?'))).toEqual(['GET /intros?q=rosa']);
    expect(server.requests.filter((request) => request.startsWith('GET /members?'))).toEqual([
      'GET /members?q=rosa&limit=6',
    ]);
    await page.keyboard.press('Enter');
    await page.waitForURL('**/console/intros/int_*');
  });

  test('finds an intro by phone, reference and id, and opens an event by its id', async ({ visit }) => {
    const { page, server } = await visit({
      path: '/account',
      prepare: (fake) => {
        serveSearch(fake);
        fake.answer('GET /intros', { rows: [INTRO_ROW], next: null });
      },
    });
    await openSearch(page);
    const group = (name: string) => page.getByRole('group', { name }).getByRole('option');
    for (const typed of ['(415) 555-0177', 'job-4711', 'int_01kahzv8e1f0rtx5m2q6n9d3b0']) {
      await field(page).fill(typed);
      await expect.poll(() => server.requests.includes(`GET /intros?${new URLSearchParams({ q: typed })}`)).toBe(true);
      await group('Intros').filter({ hasText: 'Rosa Silva' }).waitFor();
    }
    await field(page).fill('evt_01kahzv8e1f0rtx5m2q6n9d3b0');
    await group('By ID').filter({ hasText: 'Open event evt_01kahzv8e1f0rtx5m2q6n9d3b0' }).click();
    await page.waitForURL('**/console/events/evt_01kahzv8e1f0rtx5m2q6n9d3b0');
  });

  test('says that nothing was found, and offers a retry when the search fails', async ({ visit }) => {
    const { page, server } = await visit({ path: '/account', prepare: serveSearch, browser: CALM });
    await openSearch(page);
    await page.keyboard.type('zzz');
    await page.getByText('No results for “zzz”.').waitFor();
    expect(await findViolations(page)).toEqual([]);
    server.answer('GET /intros', new Refusal(422, { code: 'validation_failed', message: 'No.' }));
    await field(page).fill('rosal');
    await page.getByText('The search failed.').waitFor();
    await page.getByText('Rosalind Ost').waitFor();
    serveSearch(server);
    await page.getByRole('dialog').getByRole('button', { name: 'Try again' }).click();
    await page.getByText('(415) 555-0177', { exact: false }).waitFor();
  });

  test('opens from the bar of a phone, fits it, and offers members only what they may open', async ({ visit }) => {
    const browser = { ...CALM, viewport: SIZES.phone, hasTouch: true };
    const { page, server } = await visit({ role: 'member', browser, prepare: serveSearch });
    server.answer('GET /members', FAILURE);
    await page.getByRole('button', { name: 'Search' }).tap();
    await field(page).fill('o');
    const pages = page.getByRole('group', { name: 'Pages' });
    await field(page).fill('');
    expect(await pages.getByRole('option').allTextContents()).toEqual(['My intros', 'Account']);
    await field(page).fill('rosa');
    await page.getByText('Rosa Silva').waitFor();
    expect(server.requests.some((request) => request.startsWith('GET /members'))).toBe(false);
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(SIZES.phone.width);
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme });
      expect(await findViolations(page)).toEqual([]);
    }
    await page.getByText('Rosa Silva').tap();
    await page.waitForURL('**/console/intros/int_*');
  });
});
