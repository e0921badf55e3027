import { expect, test } from 'vitest';
import { openIntros } from '../console/intros-fixture.ts';
import { DESKTOP, openConsoleTests, openTestPage, PHONE } from './console-test-page.ts';

/** Longer than a page needs to show its placeholders. */
const HELD_MS = 700;
/** A fifth of the limit for a good page, as published on web.dev. */
const MAX_SHIFT = 0.02;

/** Chromium's measure of how much the content moves, without what follows a click. */
const OBSERVE = `
  window.shifts = [];
  new PerformanceObserver((list) => {
    for (const { value, hadRecentInput, sources } of list.getEntries())
      if (!hadRecentInput) window.shifts.push([value, sources.map(({ node, previousRect, currentRect }) => (node?.className || node?.nodeName) + ' ' + previousRect.y + '-' + currentRect.y + ' h' + previousRect.height + '-' + currentRect.height).join()]);
  }).observe({ type: 'layout-shift', buffered: true });`;

const { fixture, browser } = await openConsoleTests(openIntros());
const recorded = await fixture.make({ recipient: { first_name: 'Pia', phone: '+14155550861' } }, { recorded: true });
for (const first_name of ['Pam', 'Per', 'Pol'])
  await fixture.make({ recipient: { first_name, phone: '+14155550862' } });

const SCREENS = [
  ['overview', () => '/overview', 'Overview'],
  ['intros', () => '/intros', 'Intros'],
  ['an intro', () => `/intros/${recorded}`, 'For Pia'],
  ['home', () => '/home', 'My intros'],
  ['touchpoints', () => '/touchpoints', 'Touchpoints'],
  ['the script of a touchpoint', () => '/touchpoints/project_update', 'Project update'],
  ['the page of a touchpoint', () => '/touchpoints/project_update#page', 'Project update'],
  ['members', () => '/members', 'Members'],
  ['outbox', () => '/messages', 'Messages'],
  ['the account', () => '/account', 'Account'],
  ['texting', () => '/organization/texting', 'Texting'],
] as const;

for (const [device, options] of [
  ['a desktop', DESKTOP],
  ['a phone', PHONE],
] as const) {
  for (const [name, path, heading] of SCREENS) {
    test(`${name} on ${device}: the content takes the place of its placeholders`, async () => {
      const { page } = await openTestPage(browser, options);
      const [cookie = '', value = ''] = fixture.owner.cookie.split('=');
      await page.context().addCookies([{ name: cookie, value, url: fixture.service.url }]);
      await page.addInitScript(OBSERVE);
      await page.route('**/console/api/**', async (route) => {
        await new Promise((resolve) => setTimeout(resolve, HELD_MS));
        await route.continue();
      });
      await page.goto(`${fixture.service.url}/console${path()}`);
      await page.getByRole('heading', { name: heading, level: 1 }).waitFor();
      await expect.poll(() => page.locator('.skeleton, .skeleton-line').count()).toBe(0);
      await page.waitForTimeout(400);
      const shifts = await page.evaluate<[number, string][]>('window.shifts');
      const total = shifts.reduce((sum, [shift]) => sum + shift, 0);
      expect(total, JSON.stringify(shifts)).toBeLessThan(MAX_SHIFT);
      await page.unrouteAll({ behavior: 'ignoreErrors' });
    });
  }
}
