import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createIntro } from '../acceptance/support/actions.ts';
import { type IntrosFixture, openIntros } from '../console/intros-fixture.ts';
import { openChromium } from './chromium.ts';
import { DESKTOP, openConsoleAs, PHONE, tabTo } from './console-test-page.ts';
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

const open = (path: string, { client = fixture.manager, device = DESKTOP as BrowserContextOptions } = {}) =>
  openConsoleAs(browser, client, `${fixture.service.url}/console${path}`, device);

const rows = (page: Page) => page.getByRole('list', { name: /, newest first/ }).getByRole('listitem');

test('an intro is found by phone number, reassigned and cancelled, and each step appears immediately', async () => {
  const recipient = { first_name: 'Nora', last_name: 'Fields', phone: '+14155550881' };
  const id = await fixture.make({ recipient });
  const { page, close } = await open('/intros');
  await untilHeading(page, 'Intros');
  await expectAccessible(page);
  await page.getByRole('searchbox').fill('(415) 555-0881');
  await expect.poll(() => new URL(page.url()).searchParams.get('q')).toContain('555-0881');
  await expect.poll(() => rows(page).getByText('Nora Fields').count()).toBeGreaterThan(0);
  await expect.poll(() => rows(page).filter({ hasNotText: 'Nora Fields' }).count()).toBe(0);
  await rows(page).getByRole('link').first().click();
  await untilHeading(page, 'For Nora Fields');
  await expectAccessible(page);

  await button(page, 'More').click();
  await page.getByRole('menuitem', { name: 'Reassign' }).click();
  await expectAccessible(page);
  await page.getByRole('dialog').getByLabel('New member').click();
  await page.getByRole('option', { name: 'owner Team' }).click();
  await button(page, 'Reassign').click();
  await page.getByText('Reassigned to owner Team.').waitFor();
  await page.getByText('Reassigned', { exact: true }).waitFor();
  expect((await fixture.detail(id)).member.id).toBe(fixture.ownerId);

  await button(page, 'Cancel intro').click();
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
  await close();
});

test('the list updates without a reload, and does not move the rows of a user who has scrolled down', async () => {
  await Promise.all(Array.from({ length: 30 }, () => createIntro(fixture.api)));
  const { page, close } = await open('/intros?status=requested');
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
  await close();
});

test('a recorded intro plays its video and shows the recipient’s page without counting a view', async () => {
  const id = await fixture.make({ recipient: { first_name: 'Vera', phone: '+14155550882' } }, { recorded: true });
  const { page, close } = await open(`/intros/${id}`, { device: PHONE });
  await untilHeading(page, 'For Vera');
  await page.getByText('Video ready').waitFor();
  await page.evaluate(`document.querySelector('video').play()`);
  await expect.poll(() => page.evaluate(`document.querySelector('video').currentTime > 0.2`)).toBe(true);
  await button(page, 'Show page').click();
  await page.frameLocator('iframe').getByText('Vera', { exact: false }).first().waitFor();
  await expectAccessible(page);
  expect((await fixture.detail(id)).opened_at).toBeNull();
  await close();
});

test('an intro shows one next step, and the keyboard opens what only developers need', async () => {
  const id = await fixture.make({ recipient: { first_name: 'Dev', phone: '+14155550884' } });
  for (const device of [DESKTOP, PHONE]) {
    const { page, close } = await open(`/intros/${id}`, { device });
    await untilHeading(page, 'For Dev');
    await page.getByRole('region', { name: 'Next step' }).getByText('Waiting for Ana').waitFor();
    expect(await page.getByText('API object').isVisible()).toBe(false);
    expect(await page.evaluate('document.documentElement.scrollHeight')).toBeLessThan(1_300);
    await page.locator('summary').filter({ hasText: 'Developer' }).focus();
    await page.keyboard.press('Enter');
    for (const name of ['Details', 'Webhooks', 'Original request', 'API object']) await untilHeading(page, name);
    await expectAccessible(page);
    await close();
  }
});

test('a failed event is opened from the list and retried with only the keyboard', async () => {
  const id = await fixture.make({
    touchpoint: 'project_update',
    recipient: { first_name: 'Kay', phone: '+14155550883' },
  });
  const { event_id: event } = await fixture.detail(id);
  await fixture.database.query('delete from intros where id = $1', [id]);
  await fixture.database.query(
    `update touchpoint_events set status = 'failed', intro_id = null, error_code = 'processing_failed',
       error_message = 'The event could not be processed.' where id = $1`,
    [event],
  );
  const { page, close } = await open('/intros?view=events&status=failed');
  await untilHeading(page, 'Intros');
  await rows(page).first().waitFor();
  await expectAccessible(page);
  await tabTo(page, 'Kay');
  await page.keyboard.press('Enter');
  await untilHeading(page, 'Event: Project update');
  await expectAccessible(page);
  await tabTo(page, 'Retry');
  await page.keyboard.press('Enter');
  await page.getByRole('link', { name: 'Open intro' }).waitFor();
  await close();
});

test('the outbox shows the full text of messages and that they were not sent', async () => {
  const { page, close } = await open('/outbox');
  await untilHeading(page, 'Outbox');
  await page.getByText('Texts are not being sent').waitFor();
  await page.getByText('has a short personal video for you', { exact: false }).first().waitFor();
  await expectAccessible(page);
  await page.getByRole('radio', { name: 'To members' }).check({ force: true });
  await expect.poll(() => page.getByText('Text to recipient').count()).toBe(0);
  await close();
});
