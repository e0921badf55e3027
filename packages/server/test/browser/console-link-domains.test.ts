import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openTeam, type Team } from '../console/team-fixture.ts';
import { openChromium } from './chromium.ts';
import { openConsoleAs, PHONE } from './console-test-page.ts';
import { button, expectAccessible, expectAccessibleInBothModes, untilHeading } from './page-actions.ts';

let team: Team;
let browser: Browser;
beforeAll(async () => {
  team = await openTeam();
  browser = await openChromium();
}, 180_000);
afterAll(async () => {
  await browser?.close();
  await team?.close();
});

const HOST = 'go.acme.test';

test('an owner adds a domain, sees what to publish and why a check failed, and removes it', async () => {
  const url = `${team.service.url}/console/settings`;
  const { page, close } = await openConsoleAs(browser, team.owner, url, PHONE);
  await untilHeading(page, 'Link domain');
  await page.getByText('No domain yet.').waitFor();
  await button(page, 'Add domain').click();
  const dialog = page.getByRole('dialog', { name: 'Add a link domain' });
  await dialog.getByLabel('Domain').fill('https://go.acme.test/');
  await dialog.getByRole('button', { name: 'Add domain' }).click();
  await dialog.getByText('Must be a host name only').waitFor();
  await expectAccessible(page);
  await dialog.getByLabel('Domain').fill(HOST);
  await dialog.getByRole('button', { name: 'Add domain' }).click();
  const item = page.getByRole('list', { name: 'Link domains' }).getByRole('listitem');
  await item.getByText('Not verified').waitFor();
  const [row] = await team.database.query<{ challenge: string }>('select challenge from link_domains where host = $1', [
    HOST,
  ]);
  for (const text of ['_foreword.go.acme.test', `foreword-domain=${row?.challenge}`]) {
    await item.getByText(text, { exact: true }).waitFor();
  }
  await expectAccessibleInBothModes(page);

  // Arrange: as after failed and successful checks, which this machine has no domain for.
  const set = (changes: string) =>
    team.database.query(
      `update link_domains set checked_at = now(), check_at = now() + interval '1 hour', ${changes} where host = $1`,
      [HOST],
    );
  await set(
    "state = 'verified', verified_at = now(), failure_code = 'connection', failure_message = 'The connection was refused.'",
  );
  await item.getByText('Not reachable yet').waitFor();
  await item.getByText('The connection was refused.').waitFor();
  expect(await item.getByText('foreword-domain=').count()).toBe(0);
  await set("state = 'active', active_at = now(), failure_code = null, failure_message = null");
  await item.getByText('New links use this domain.').waitFor();
  await item.getByText('No problems found').waitFor();

  await button(page, `Check now: ${HOST}`).click();
  await expect
    .poll(async () => {
      const [{ is_due: isDue } = { is_due: false }] = await team.database.query<{ is_due: boolean }>(
        "select check_at < now() + interval '5 minutes' as is_due from link_domains where host = $1",
        [HOST],
      );
      return isDue;
    })
    .toBe(true);

  await button(page, `Remove ${HOST}`).click();
  const question = page.getByRole('alertdialog', { name: `Remove ${HOST}?` });
  await question.getByText('Links that you already sent keep working').waitFor();
  await question.getByRole('button', { name: 'Remove' }).click();
  await page.getByText('No domain yet.').waitFor();
  await close(422);
});

test('a manager does not see the domains', async () => {
  const { page, close } = await openConsoleAs(browser, team.manager, `${team.service.url}/console/settings`);
  await untilHeading(page, 'Speaking pace');
  expect(await page.getByRole('heading', { name: 'Link domain' }).count()).toBe(0);
  await close();
});
