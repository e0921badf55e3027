import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createIntro } from '../acceptance/support/actions.ts';
import { type IntrosStage, openIntrosStage } from '../console/intros-stage.ts';
import { openChromium } from './chromium.ts';
import { DESK, PHONE, tabTo, visitAs } from './console-visit.ts';
import { button, expectAccessible, untilHeading } from './studio.ts';

let stage: IntrosStage;
let browser: Browser;

beforeAll(async () => {
  stage = await openIntrosStage();
  browser = await openChromium();
}, 180_000);
afterAll(async () => {
  await browser?.close();
  await stage?.close();
});

const visit = (path: string, { who = stage.manager, device = DESK as BrowserContextOptions } = {}) =>
  visitAs(browser, who, `${stage.service.url}/console${path}`, device);

const rows = (page: Page) => page.getByRole('list', { name: /, newest first/ }).getByRole('listitem');
test('an intro is found by a number, opened, given to somebody else and cancelled, each step seen at once', async () => {
  const recipient = { first_name: 'Nora', last_name: 'Fields', phone: '+14155550881' };
  const id = await stage.make({ recipient });
  const { page, leave } = await visit('/intros');
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
  expect((await stage.detail(id)).member.id).toBe(stage.ownerId);

  await button(page, 'More').click();
  await page.getByRole('menuitem', { name: 'Cancel intro' }).click();
  await page.getByText('You can’t undo this').waitFor();
  await button(page, 'Cancel intro').click();
  await page.getByText('The intro is cancelled.').waitFor();
  await page.getByRole('region', { name: 'Timeline' }).getByText('Cancelled').waitFor();
  await leave();
});

test('what happens elsewhere shows without a reload, and moves nothing under who has scrolled down', async () => {
  await Promise.all(Array.from({ length: 30 }, () => createIntro(stage.org.api)));
  const { page, leave } = await visit('/intros?status=requested');
  await untilHeading(page, 'Intros');
  await rows(page).first().waitFor();
  // Its news is over before somebody scrolls.
  const { id } = await createIntro(stage.org.api, {
    recipient: { first_name: 'Live', last_name: 'One', phone: '+14155550001' },
  });
  await rows(page).first().getByText('Live One').waitFor();
  await page.waitForTimeout(1_500);
  await page.evaluate('window.scrollTo(0, 900)');
  const seen = () => page.evaluate(`document.elementFromPoint(600, 400).closest('a').getAttribute('href')`);
  await page.waitForTimeout(500);
  const before = await seen();
  await createIntro(stage.org.api, { recipient: { first_name: 'Live', last_name: 'Two', phone: '+14155550002' } });
  await stage.org.api.post(`/v1/intros/${id}/cancel`);
  // Of what was in the list, the change is shown; so the news has come by now.
  await expect.poll(() => page.getByText('Live One').count()).toBe(0);
  expect(await page.getByText('Live Two').count()).toBe(0);
  // The browser keeps the place with the next frame.
  await expect.poll(seen).toBe(before);
  await page.evaluate('window.scrollTo(0, 0)');
  await page.getByText('Live Two').waitFor();
  await leave();
});

test('a recorded intro plays its video, and shows the page as its recipient sees it', async () => {
  const id = await stage.make({ recipient: { first_name: 'Vera', phone: '+14155550882' } }, { recorded: true });
  const { page, leave } = await visit(`/intros/${id}`, { device: PHONE });
  await untilHeading(page, 'For Vera');
  await page.getByText('Video ready').waitFor();
  await page.evaluate(`document.querySelector('video').play()`);
  await expect.poll(() => page.evaluate(`document.querySelector('video').currentTime > 0.2`)).toBe(true);
  await button(page, 'Show page').click();
  await page.frameLocator('iframe').getByText('Vera', { exact: false }).first().waitFor();
  await expectAccessible(page);
  expect((await stage.detail(id)).opened_at).toBeNull();
  await leave();
});

test('by keyboard alone: from the list to a failed event, which is tried again', async () => {
  const id = await stage.make({
    touchpoint: 'project_update',
    recipient: { first_name: 'Kay', phone: '+14155550883' },
  });
  const { event_id: event } = await stage.detail(id);
  await stage.database.query('delete from intros where id = $1', [id]);
  await stage.database.query(
    `update touchpoint_events set status = 'failed', intro_id = null, error_code = 'processing_failed',
       error_message = 'The event could not be processed.' where id = $1`,
    [event],
  );
  const { page, leave } = await visit('/intros?view=events&status=failed');
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
  await leave();
});

test('the outbox shows messages word for word, and says that nobody got them', async () => {
  const { page, leave } = await visit('/outbox');
  await untilHeading(page, 'Outbox');
  await page.getByText('Texts are not being sent').waitFor();
  await page.getByText('has a short personal video for you', { exact: false }).first().waitFor();
  await expectAccessible(page);
  await page.getByRole('radio', { name: 'To members' }).check({ force: true });
  await expect.poll(() => page.getByText('Text to recipient').count()).toBe(0);
  await leave();
});
