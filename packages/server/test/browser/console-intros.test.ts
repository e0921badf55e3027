import type { BrowserContextOptions, Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { createIntro, eventually } from '../acceptance/support/actions.ts';
import { openPhone, untilRecording } from '../acceptance/support/recorder.ts';
import { openIntros } from '../console/intros-fixture.ts';

import { DESKTOP, openConsoleTests, PHONE, tabTo } from './console-test-page.ts';
import { button, expectAccessible, untilHeading } from './page-actions.ts';

const { fixture, browser, open: openAs } = await openConsoleTests(openIntros());

const open = (path: string, { client = fixture.manager, device = DESKTOP as BrowserContextOptions } = {}) =>
  openAs(path, { client, device });

const rows = (page: Page) => page.getByRole('list', { name: /, newest first/ }).getByRole('listitem');

test('an intro is found by phone number, reassigned and cancelled, and each step appears immediately', async () => {
  const recipient = { first_name: 'Nora', last_name: 'Fields', phone: '+14155550881' };
  const id = await fixture.make({ recipient });
  const { page } = await open('/intros');
  await untilHeading(page, 'Intros');
  await expectAccessible(page);
  await page.getByRole('searchbox').fill('(415) 555-0881');
  await expect.poll(() => new URL(page.url()).searchParams.get('q')).toContain('555-0881');
  await expect.poll(() => rows(page).getByText('Nora Fields').count()).toBeGreaterThan(0);
  await expect.poll(() => rows(page).filter({ hasNotText: 'Nora Fields' }).count()).toBe(0);
  await rows(page).getByRole('link').first().click();
  await untilHeading(page, 'For Nora Fields');
  await expectAccessible(page);

  await button(page, 'Reassign').click();
  await page.getByRole('combobox', { name: 'Search members' }).fill('owner');
  await expect.poll(() => page.getByRole('option').count()).toBe(1);
  // The options open below the field, and leave the title of the dialog readable.
  const [options, trigger] = [page.getByRole('listbox'), page.getByRole('dialog').locator('.combobox')];
  expect((await options.boundingBox())?.y).toBeGreaterThan((await trigger.boundingBox())?.y ?? 0);
  await expectAccessible(page);
  // The only option is highlighted, so Enter chooses it.
  await page.keyboard.press('Enter');
  await page.getByRole('dialog').getByRole('button', { name: 'Reassign' }).click();
  await page.getByText('Reassigned to owner Team.').waitFor();
  await page.getByText('Reassigned', { exact: true }).waitFor();
  expect((await fixture.detail(id)).member.id).toBe(fixture.ownerId);

  await button(page, 'More').click();
  await page.getByRole('menuitem', { name: 'Cancel intro' }).click();
  await page.getByText('You can’t undo this').waitFor();
  await page.getByRole('alertdialog').getByRole('button', { name: 'Cancel intro' }).click();
  await page.getByText('The intro is cancelled.').waitFor();
  const cancelled = page
    .getByRole('region', { name: 'Timeline' })
    .getByRole('listitem')
    .filter({ hasText: 'Cancelled' });
  await cancelled.getByText('manager Team').waitFor();
  await page.getByText('Not recorded by owner Team').waitFor();
  expect(await page.getByText(/Recorded by/).count()).toBe(0);
});

test('the list updates without a reload, and does not move the rows of a user who has scrolled down', async () => {
  await Promise.all(Array.from({ length: 30 }, () => createIntro(fixture.api)));
  const { page } = await open('/intros?status=requested');
  await untilHeading(page, 'Intros');
  await rows(page).first().waitFor();
  // Its updates arrive before the user scrolls.
  const { id } = await createIntro(fixture.api, {
    recipient: { first_name: 'Live', last_name: 'One', phone: '+14155550001' },
  });
  await rows(page).first().getByText('Live One').waitFor();
  await page.waitForTimeout(1_500);
  await page.evaluate('window.scrollTo(0, 900)');
  const seen = () => page.evaluate(`document.elementFromPoint(600, 400).closest('a').getAttribute('href')`);
  await page.waitForTimeout(500);
  const before = await seen();
  await createIntro(fixture.api, { recipient: { first_name: 'Live', last_name: 'Two', phone: '+14155550002' } });
  await fixture.api.post(`/v1/intros/${id}/cancel`);
  // The row that was already in the list changed, so the update has arrived.
  await expect.poll(() => page.getByText('Live One').count()).toBe(0);
  expect(await page.getByText('Live Two').count()).toBe(0);
  // The browser restores the position in the next frame.
  await expect.poll(seen).toBe(before);
  await page.evaluate('window.scrollTo(0, 0)');
  await page.getByText('Live Two').waitFor();
});

test('a recorded intro plays its video and shows the recipient’s page without counting a view', async () => {
  const id = await fixture.make({ recipient: { first_name: 'Vera', phone: '+14155550882' } }, { recorded: true });
  const { page } = await open(`/intros/${id}`, { device: PHONE });
  await untilHeading(page, 'For Vera');
  await page.getByText('Video ready').waitFor();
  await page.evaluate(`document.querySelector('video').play()`);
  await expect.poll(() => page.evaluate(`document.querySelector('video').currentTime > 0.2`)).toBe(true);
  await button(page, 'Show page').click();
  await page.frameLocator('iframe').getByText('Vera', { exact: false }).first().waitFor();
  await expectAccessible(page);
  expect((await fixture.detail(id)).opened_at).toBeNull();
});

test('an intro shows one next step, and the keyboard opens what only developers need', async () => {
  const id = await fixture.make({ recipient: { first_name: 'Dev', phone: '+14155550884' } });
  for (const device of [DESKTOP, PHONE]) {
    const { page } = await open(`/intros/${id}`, { device });
    await untilHeading(page, 'For Dev');
    await page.getByRole('region', { name: 'Next step' }).getByText('Waiting for Ana').waitFor();
    expect(await page.getByText('API object').isVisible()).toBe(false);
    expect(await page.evaluate('document.documentElement.scrollHeight')).toBeLessThan(1_300);
    // Without a video, the cards end where the actions above them do.
    const ends = await page
      .locator('.page-header, .intro-page > *')
      .evaluateAll((parts) => parts.map((part) => Math.round(part.getBoundingClientRect().right)));
    expect(new Set(ends).size, ends.join()).toBe(1);
    await page.locator('summary').filter({ hasText: 'Developer' }).focus();
    await page.keyboard.press('Enter');
    for (const name of ['Details', 'Webhooks', 'Original request', 'API object']) await untilHeading(page, name);
    await expectAccessible(page);
  }
});

test('a failed event is opened from the list and retried with only the keyboard', async () => {
  const id = await fixture.make({
    touchpoint: 'project_update',
    recipient: { first_name: 'Kay', phone: '+14155550883' },
  });
  const { event_id: event } = await fixture.detail(id);
  await fixture.database.sql`delete from intros where id = ${id}`;
  await fixture.database
    .sql`update touchpoint_events set status = 'failed', intro_id = null, error_code = 'processing_failed',
       error_message = 'The event could not be processed.' where id = ${event}`;
  const { page } = await open('/events?status=failed');
  await untilHeading(page, 'Events');
  await rows(page).first().waitFor();
  await expectAccessible(page);
  await tabTo(page, 'Kay');
  await page.keyboard.press('Enter');
  await untilHeading(page, 'Event: Project update');
  await expectAccessible(page);
  await tabTo(page, 'Retry');
  await page.keyboard.press('Enter');
  await page.getByRole('link', { name: 'Open intro' }).waitFor();
});

test('the outbox shows the full text of messages and that they were not sent', async () => {
  const { page } = await open('/messages');
  await untilHeading(page, 'Messages');
  await page.getByText('Texts are not being sent').waitFor();
  await page.getByText('has a short personal video for you', { exact: false }).first().waitFor();
  await expectAccessible(page);
  await page.getByRole('radio', { name: 'To members' }).check({ force: true });
  await expect.poll(() => page.getByText('Text to recipient').count()).toBe(0);
});

test('an owner sees the reply, and takes the page down in three clicks', async () => {
  const id = await fixture.make({ recipient: { first_name: 'Tara', phone: '+14155550884' } }, { recorded: true });
  // Once the text failed, opening the page counts as sending.
  await eventually(async () => (await fixture.detail(id)).delivery_error !== null);
  expect((await fixture.api.post(`/v1/test_helpers/intros/${id}/reply`)).status).toBe(200);
  const { recipient_url: url } = await fixture.detail(id);
  const { page } = await openAs(`/intros/${id}`);
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
});

/** An intro whose last take failed because of the service, which a second try finds to be no video. */
async function makeFailedTake(firstName: string) {
  const id = await fixture.make({ recipient: { first_name: firstName, phone: '+14155550882' } });
  const phone = await openPhone(fixture, id);
  await phone.send(Buffer.from('no video'.repeat(50)));
  await untilRecording(phone, 'refused');
  await fixture.database.sql`update recordings set refusal_code = 'processing_failed' where intro_id = ${id}`;
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
  const { page } = await openAs(`/intros/${id}`, { client: fixture.manager });
  await untilHeading(page, 'For Vera');
  await button(page, 'Try again').click();
  await page.getByText('The take is being processed again.').waitFor();
  await page.getByText('not a video').first().waitFor();
  await expectAccessible(page);
});
