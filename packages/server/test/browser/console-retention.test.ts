import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openTeam, type Team } from '../console/team-fixture.ts';
import { openRows, type Rows } from '../retention/old-rows.ts';
import { openChromium } from './chromium.ts';
import { openConsoleAs, PHONE } from './console-test-page.ts';
import { button, expectAccessible, untilHeading } from './page-actions.ts';

let team: Team;
let browser: Browser;
let rows: Rows;
beforeAll(async () => {
  team = await openTeam();
  browser = await openChromium();
  rows = openRows(team.database, team.organization.id);
  const old = new Date(Date.now() - 100 * 86_400_000);
  for (let n = 0; n < 3; n++) await rows.event(old);
}, 180_000);
afterAll(async () => {
  await browser?.close();
  await team?.close();
});

test('an owner sees what a rule removes and why, previews a change, saves it, and changes it back', async () => {
  const url = `${team.service.url}/console/settings`;
  const { page, close } = await openConsoleAs(browser, team.owner, url, PHONE);
  await untilHeading(page, 'Data retention');
  const rules = page.getByRole('list', { name: 'Retention rules' });
  await expect.poll(() => rules.getByRole('listitem').count()).toBe(8);
  const events = rules.getByRole('listitem').filter({ hasText: 'Events' });
  expect(await events.textContent()).toContain('400 days after the event was processed');
  await expectAccessible(page);

  await button(page, 'Change Events').click();
  const dialog = page.getByRole('dialog', { name: 'Keep events' });
  await dialog.getByText('Thirteen months allow a comparison').waitFor();
  await dialog.getByLabel('Days').fill('20');
  await dialog.getByRole('button', { name: 'Save' }).click();
  await dialog.getByText('must be a whole number from 30 to 3650').waitFor();
  await page.route('**/console/api/retention/preview', (route) =>
    route.fulfill({ status: 404, json: { error: { code: 'not_found', message: 'This rule no longer exists.' } } }),
  );
  await dialog.getByLabel('Days').fill('90');
  await dialog.getByText('Couldn’t count what would be removed').waitFor();
  await dialog.getByText('This rule no longer exists.').waitFor();
  await expectAccessible(page);
  await page.unroute('**/console/api/retention/preview');
  await dialog.getByRole('button', { name: 'Try again' }).click();
  await dialog.getByText('3 events will be removed').waitFor();
  await expectAccessible(page);
  await dialog.getByRole('button', { name: 'Save' }).click();
  await page.getByText('Events: retention saved').waitFor();
  await events.getByText('Changes to 90 days on').waitFor();
  expect(await rows.list('touchpoint_events')).toHaveLength(3);

  await button(page, 'Change Events').click();
  await dialog.getByLabel('Days').fill('400');
  await dialog.getByText('Nothing is old enough').waitFor();
  await dialog.getByRole('button', { name: 'Save' }).click();
  await expect.poll(() => events.textContent()).not.toContain('Changes to');
  // The refused number of days, and the preview that failed.
  await close(422, 404);
});

test('a manager does not see the rules', async () => {
  const { page, close } = await openConsoleAs(browser, team.manager, `${team.service.url}/console/settings`);
  await untilHeading(page, 'Speaking pace');
  expect(await page.getByRole('list', { name: 'Retention rules' }).count()).toBe(0);
  await close();
});
