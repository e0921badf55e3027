import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type IntrosFixture, openIntros } from '../console/intros-fixture.ts';
import { openChromium } from './chromium.ts';
import { DESKTOP, openConsoleAs } from './console-test-page.ts';
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

test('an owner sees the reply, and takes the page down in three clicks', async () => {
  const id = await fixture.make({ recipient: { first_name: 'Tara', phone: '+14155550884' } }, { recorded: true });
  await fixture.api.post(`/v1/test_helpers/intros/${id}/reply`);
  const { recipient_url: url } = await fixture.detail(id);
  const { page, close } = await openConsoleAs(
    browser,
    fixture.owner,
    `${fixture.service.url}/console/intros/${id}`,
    DESKTOP,
  );
  await untilHeading(page, 'For Tara');
  await page.getByText('Tara replied: “See you then”').waitFor();
  await expectAccessible(page);
  await button(page, 'More').click();
  await page.getByRole('menuitem', { name: 'Take down page' }).click();
  await page.getByText('You can’t undo this').waitFor();
  await expectAccessible(page);
  await button(page, 'Take down page').click();
  await page.getByText('The page is taken down.').waitFor();
  await page.getByText('The page was taken down', { exact: true }).waitFor();
  const shown = await fetch(fixture.service.url + new URL(url ?? '').pathname);
  expect(await shown.text()).toContain('took this video down');
  await close();
});
