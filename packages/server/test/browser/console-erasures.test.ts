import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type IntrosFixture, openIntros } from '../console/intros-fixture.ts';
import { completeErasure } from '../erasure/traces.ts';
import { openChromium } from './chromium.ts';
import { openConsoleAs, PHONE } from './console-test-page.ts';
import { button, expectAccessible, untilHeading } from './page-actions.ts';

let fixture: IntrosFixture;
let browser: Browser;
beforeAll(async () => {
  fixture = await openIntros();
  browser = await openChromium();
}, 180_000);
afterAll(async () => {
  await browser?.close();
  await fixture?.close();
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
  const { page, close } = await openConsoleAs(browser, fixture.owner, `${fixture.service.url}/console/intros/${id}`);
  await untilHeading(page, 'For Ursula');
  await button(page, 'More').click();
  await page.getByRole('menuitem', { name: 'Erase recipient' }).click();
  const dialog = page.getByRole('dialog', { name: 'Erase (415) 555-0885?' });
  await dialog.getByText('2 intros to this number.').waitFor();
  await expectAccessible(page);
  await dialog.getByRole('button', { name: 'Erase' }).click();
  await page.getByText('Erasing. This takes up to a minute.').waitFor();
  await untilHeading(page, 'For an erased recipient');
  expect(await fixture.detail(id)).toMatchObject({ status: 'cancelled', recipient: { phone: '' } });

  await page.goto(`${fixture.service.url}/console/settings`);
  const receipts = page.getByRole('list', { name: 'Erased recipients' });
  const receipt = receipts.getByRole('listitem').filter({ hasText: await newestErasure() });
  await receipt.getByText('2 intros').waitFor();
  await completeErasure(fixture.database.query, await newestErasure());
  await receipt.getByText('Complete').waitFor();
  await close();
});

test('an owner types a number that no intro has, on a phone', async () => {
  const { page, close } = await openConsoleAs(browser, fixture.owner, `${fixture.service.url}/console/settings`, PHONE);
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

test('a manager is not offered to erase anyone', async () => {
  const id = await fixture.make({ recipient: { first_name: 'Vera', phone: '+14155550887' } });
  const { page, close } = await openConsoleAs(browser, fixture.manager, `${fixture.service.url}/console/intros/${id}`);
  await untilHeading(page, 'For Vera');
  await button(page, 'More').click();
  await page.getByRole('menuitem', { name: 'Reassign' }).waitFor();
  expect(await page.getByRole('menuitem', { name: 'Erase recipient' }).count()).toBe(0);
  await close();
});
