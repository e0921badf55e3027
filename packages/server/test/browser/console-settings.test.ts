import { expect, test } from 'vitest';
import { openIntros } from '../console/intros-fixture.ts';
import { completeErasure } from '../erasure/traces.ts';
import { openRows } from '../retention/old-rows.ts';
import { openConsoleTests, PHONE } from './console-test-page.ts';
import { button, expectAccessible, expectAccessibleInBothModes, untilHeading } from './page-actions.ts';

const { fixture, open } = await openConsoleTests(openIntros());

const HOST = 'go.acme.test';

test('an owner adds a domain, sees what to publish and why a check failed, and removes it', async () => {
  const { page, close } = await open('/organization/security', { device: PHONE });
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
  const [row] = await fixture.database.sql<{ challenge: string }>`select challenge from link_domains
    where host = ${HOST}`;
  for (const text of ['_foreword.go.acme.test', `foreword-domain=${row?.challenge}`]) {
    await item.getByText(text, { exact: true }).waitFor();
  }
  await expectAccessibleInBothModes(page);

  // Arrange: as after failed and successful checks, which this machine has no domain for.
  const set = (changes: string) =>
    fixture.database.query(
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
      const [{ is_due: isDue } = { is_due: false }] = await fixture.database.sql<{ is_due: boolean }>`
        select check_at < now() + interval '5 minutes' as is_due from link_domains where host = ${HOST}`;
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

test('an owner sees what a rule removes and why, previews a change, saves it, and changes it back', async () => {
  const rows = openRows(fixture.database, fixture.organization.id);
  const old = new Date(Date.now() - 100 * 86_400_000);
  for (let n = 0; n < 3; n++) await rows.event(old);
  const { page, close } = await open('/organization/data', { device: PHONE });
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

const newestErasure = async (): Promise<string> => {
  const rows = await fixture.database.query<{ id: string }>(
    'select id from recipient_erasures order by id desc limit 1',
  );
  return rows[0]?.id ?? '';
};

test('an owner erases the recipient of an intro, and sees the receipt', async () => {
  const recipient = { first_name: 'Ursula', phone: '+14155550885' };
  const id = await fixture.make({ recipient });
  await fixture.make({ recipient }, { recorded: true });
  const { page } = await open(`/intros/${id}`);
  await untilHeading(page, 'For Ursula');
  await button(page, 'More').click();
  await page.getByRole('menuitem', { name: 'Erase recipient' }).click();
  const dialog = page.getByRole('dialog', { name: 'Erase (415) 555-0885?' });
  await dialog.getByText('2 intros to this number.').waitFor();
  await expectAccessible(page);
  await dialog.getByRole('button', { name: 'Erase' }).click();
  await page.getByText('Erasing. This takes up to a minute.').waitFor();
  await untilHeading(page, 'For an erased recipient');
  expect(await page.locator('a[href="tel:"]').count()).toBe(0);
  expect(await fixture.detail(id)).toMatchObject({ status: 'cancelled', recipient: { phone: '' } });

  await page.goto(`${fixture.service.url}/console/organization/data`);
  const receipts = page.getByRole('list', { name: 'Erased recipients' });
  const receipt = receipts.getByRole('listitem').filter({ hasText: await newestErasure() });
  await receipt.getByText('2 intros').waitFor();
  await completeErasure(fixture.database.query, await newestErasure());
  await receipt.getByText('Complete').waitFor();
});

test('an owner types a number that no intro has, on a phone', async () => {
  const { page, close } = await open('/organization/data', { device: PHONE });
  await untilHeading(page, 'Erase a recipient');
  await button(page, 'Erase a recipient').click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Their phone number').fill('555');
  await dialog.getByRole('button', { name: 'Continue' }).click();
  await expect.poll(() => dialog.getByLabel('Their phone number').getAttribute('aria-invalid')).toBe('true');
  await dialog.getByLabel('Their phone number').fill('(415) 555-0886');
  await dialog.getByRole('button', { name: 'Continue' }).click();
  await dialog.getByText('No intro uses this number.').waitFor();
  await expectAccessible(page);
  const before = await newestErasure();
  await dialog.getByRole('button', { name: 'Cancel' }).click();
  await dialog.waitFor({ state: 'hidden' });
  expect(await newestErasure()).toBe(before);
  // The number that was rejected.
  await close(422);
});

test('an owner turns the weekly summary off and on in the settings; a manager has no such setting', async () => {
  const isOff = async () =>
    (
      await fixture.database.sql<{ off: boolean }>`select weekly_summary_off_at is not null as off from members
        where id = ${fixture.ownerId}`
    )[0]?.off;
  const { page } = await open('/account', { device: PHONE });
  const summary = page.getByRole('checkbox', { name: 'Email me the weekly summary' });
  expect(await summary.isChecked()).toBe(true);
  await summary.click();
  await button(page, 'Save').click();
  await page.getByText('Saved', { exact: true }).waitFor();
  expect(await isOff()).toBe(true);
  await page.reload();
  expect(await summary.isChecked()).toBe(false);
  await expectAccessible(page);
  await summary.click();
  await button(page, 'Save').click();
  await page.getByText('Saved', { exact: true }).waitFor();
  expect(await isOff()).toBe(false);
});

test('a manager is offered none of this', async () => {
  const id = await fixture.make({ recipient: { first_name: 'Vera', phone: '+14155550887' } });
  const { page } = await open('/account', { client: fixture.manager });
  await untilHeading(page, 'Speaking pace');
  expect(await page.getByRole('checkbox', { name: 'Email me the weekly summary' }).count()).toBe(0);
  for (const section of ['data', 'security']) {
    await page.goto(`${fixture.service.url}/console/organization/${section}`);
    await untilHeading(page, 'Only for owners');
  }
  await page.goto(`${fixture.service.url}/console/organization/texting`);
  await untilHeading(page, 'Today');
  expect(await page.getByRole('heading', { name: 'Link domain' }).count()).toBe(0);
  expect((await fixture.manager.call('POST /home/settings', { body: { weekly_summary: false } })).status).toBe(403);
  await page.goto(`${fixture.service.url}/console/intros/${id}`);
  await untilHeading(page, 'For Vera');
  await button(page, 'Reassign').waitFor();
  await button(page, 'More').click();
  await page.getByRole('menuitem', { name: 'Cancel intro' }).waitFor();
  expect(await page.getByRole('menuitem', { name: 'Erase recipient' }).count()).toBe(0);
});
