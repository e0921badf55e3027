import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openPhone, untilRecording } from '../acceptance/support/recorder.ts';
import { type IntrosFixture, openIntros } from '../console/intros-fixture.ts';
import { openChromium } from './chromium.ts';
import { DESKTOP, openConsoleAs, PHONE } from './console-test-page.ts';
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

/** An intro whose last take failed because of the service, which a second try finds to be no video. */
async function makeFailedTake(firstName: string) {
  const id = await fixture.make({ recipient: { first_name: firstName, phone: '+14155550882' } });
  const phone = await openPhone(fixture, id);
  await phone.send(Buffer.from('no video'.repeat(50)));
  await untilRecording(phone, 'refused');
  await fixture.database.query("update recordings set refusal_code = 'processing_failed' where intro_id = $1", [id]);
  return { id, phone };
}

test('a member tries a failed take again: offline with a message, and online with a new result', async () => {
  const { phone } = await makeFailedTake('Nora');
  const context = await browser.newContext(PHONE);
  const page = await context.newPage();
  await page.goto(phone.url);
  await untilHeading(page, 'That video didn’t work');
  await expectAccessible(page);

  await context.setOffline(true);
  await button(page, 'Try again').click();
  await page.getByRole('status').getByText('Couldn’t reach the server.').waitFor();
  await context.setOffline(false);

  const loaded = page.waitForEvent('load');
  await button(page, 'Try again').click();
  await loaded;
  await page.getByText('not a video').waitFor();
  expect(await button(page, 'Try again').count()).toBe(0);
  await context.close();
});

test('a manager tries a failed take again, and sees the new result without a reload', async () => {
  const { id } = await makeFailedTake('Vera');
  const { page, close } = await openConsoleAs(
    browser,
    fixture.manager,
    `${fixture.service.url}/console/intros/${id}`,
    DESKTOP,
  );
  await untilHeading(page, 'For Vera');
  await button(page, 'Try again').click();
  await page.getByText('The take is being processed again.').waitFor();
  await page.getByText('not a video').first().waitFor();
  await expectAccessible(page);
  await close();
});
