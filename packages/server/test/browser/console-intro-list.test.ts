import { randomInt } from 'node:crypto';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createIntro, eventually } from '../acceptance/support/actions.ts';
import { type Inbox, openInbox } from '../console/inbox.ts';
import { type IntrosFixture, openIntros } from '../console/intros-fixture.ts';
import { openChromium } from './chromium.ts';
import { DESKTOP, openConsoleAs, PHONE } from './console-test-page.ts';
import { button, expectAccessible, untilHeading } from './page-actions.ts';

const FIRST_ROW_PX = 200;
const HOUR_MS = 3_600_000;

let fixture: IntrosFixture;
let inbox: Inbox;
let browser: Browser;
beforeAll(async () => {
  inbox = await openInbox();
  fixture = await openIntros(inbox.environment);
  browser = await openChromium();
}, 180_000);
afterAll(async () => {
  await browser?.close();
  await fixture?.close();
  await inbox?.close();
});

async function openList(path: string, device: BrowserContextOptions = DESKTOP) {
  const opened = await openConsoleAs(browser, fixture.manager, `${fixture.service.url}/console${path}`, device);
  await untilHeading(opened.page, 'Intros');
  await rows(opened.page).first().waitFor();
  return opened;
}

const rows = (page: Page) => page.getByRole('list', { name: /^Intros, / }).getByRole('listitem');
const box = (page: Page, name: string) => page.getByRole('checkbox', { name: `Select the intro for ${name}` });

/** One intro for each first name, all with this last name. The first is the newest. */
async function createFor(lastName: string, ...names: string[]): Promise<string[]> {
  const ids: string[] = [];
  for (const first_name of names.toReversed()) {
    const recipient = { first_name, last_name: lastName, phone: '+14155550901' };
    ids.unshift((await createIntro(fixture.organization.api, { recipient })).id);
  }
  return ids;
}

const statusOf = async (id: string) => (await fixture.detail(id)).status;

test('the first row is near the top on a desktop and on a phone', async () => {
  await createFor('Top', 'One', 'Two');
  for (const device of [DESKTOP, PHONE]) {
    const { page, close } = await openList('/intros', device);
    const top = (await rows(page).first().boundingBox())?.y;
    expect(top).toBeLessThan(FIRST_ROW_PX);
    await box(page, 'One Top').check();
    expect((await rows(page).first().boundingBox())?.y).toBe(top);
    await expectAccessible(page);
    await close();
  }
});

test('an intro is cancelled in three clicks', async () => {
  const [id = ''] = await createFor('Clicks', 'Clio');
  const { page, close } = await openList('/intros?q=Clicks');
  await box(page, 'Clio Clicks').click();
  await button(page, 'Cancel').click();
  await button(page, 'Cancel 1 intro').click();
  await page.getByText('1 intro cancelled.').waitFor();
  expect(await statusOf(id)).toBe('cancelled');
  expect(await button(page, 'Remind').count()).toBe(0);
  await close();
});

test('several intros are cancelled, and the summary names the one that could not be', async () => {
  // A second try of this test must not find the intros of the first.
  const name = `Many${randomInt(1e9)}`;
  const [cancelled = '', sent = '', kept = ''] = await createFor(name, 'Mia', 'Max', 'Moe');
  // Cancelled intros leave this list, but the summary stays.
  const { page, close } = await openList(`/intros?q=${name}&status=requested`);
  await box(page, `Mia ${name}`).check();
  await box(page, `Max ${name}`).check();
  await button(page, 'Cancel').click();
  // Escape before the dialog is there clears the selection.
  await page.getByText('You can’t undo this').waitFor();
  await page.keyboard.press('Escape');
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  await button(page, 'Cancel').click();
  await page.getByText('You can’t undo this').waitFor();
  await fixture.database.query(`update intros set status = 'sent' where id = $1`, [sent]);
  await button(page, 'Cancel 2 intros').click();
  await page.getByText(`Max ${name}: This intro was sent`).waitFor();
  await page.getByText('2 of 2').waitFor();
  await expectAccessible(page);
  await page.getByRole('dialog').getByRole('button', { name: 'Close' }).last().click();
  expect(await Promise.all([cancelled, sent, kept].map(statusOf))).toEqual(['cancelled', 'sent', 'requested']);
  await close();
});

test('Space selects, Shift+Space selects a range, and Escape clears the selection', async () => {
  await createFor('Keys', 'Ada', 'Bea', 'Cal', 'Dan');
  const { page, close } = await openList('/intros?q=Keys');
  await box(page, 'Ada Keys').focus();
  await page.keyboard.press('Space');
  await box(page, 'Cal Keys').focus();
  await page.keyboard.press('Shift+Space');
  const status = page.getByRole('region', { name: 'Selected intros' }).getByRole('status');
  await status.getByText('3').waitFor();
  expect(await box(page, 'Bea Keys').isChecked()).toBe(true);
  expect(await box(page, 'Dan Keys').isChecked()).toBe(false);
  await page.keyboard.press('Escape');
  await status.waitFor({ state: 'detached' });
  await box(page, 'Dan Keys').click();
  await box(page, 'Bea Keys').click({ modifiers: ['Shift'] });
  await status.getByText('3').waitFor();
  await page.getByRole('checkbox', { name: 'Select all listed intros' }).check();
  await status.getByText('4').waitFor();
  await close();
});

test('several intros are reassigned at once', async () => {
  const ids = await createFor('Team', 'Ian', 'Ira');
  const { page, close } = await openList('/intros?q=Team');
  await page.getByRole('checkbox', { name: 'Select all listed intros' }).check();
  await button(page, 'Reassign').click();
  await page.getByRole('dialog').getByLabel('New member').click();
  await page.getByRole('option', { name: 'owner Team' }).click();
  await button(page, 'Reassign 2 intros').click();
  await page.getByText('2 intros reassigned.').waitFor();
  for (const id of ids) expect((await fixture.detail(id)).member.id).toBe(fixture.ownerId);
  await close();
});

test('members are reminded of several intros at once, but not of one that they were just notified of', async () => {
  await fixture.database.query(`update members set notify_by = 'email'`);
  const ids = await createFor('Remind', 'Rae', 'Rex', 'Roy');
  const messagesOf = async (id: string) => (await fixture.detail(id)).messages;
  for (const id of ids) {
    await eventually(
      () => messagesOf(id),
      (messages) => messages.some(({ status }) => status === 'accepted'),
    );
  }
  const [rae = '', rex = '', roy = ''] = ids;
  for (const id of [rae, rex]) await fixture.age(id, 2);
  const { page, close } = await openList('/intros?q=Remind');
  await page.getByRole('checkbox', { name: 'Select all listed intros' }).check();
  await button(page, 'Remind').click();
  await page.getByRole('dialog', { name: 'Send 3 reminders?' }).waitFor();
  await expectAccessible(page);
  await button(page, 'Send 3 reminders').click();
  await page.getByText('1 member was notified less than an hour ago.').waitFor();
  await page.getByText('3 of 3').waitFor();
  await page.getByRole('dialog').getByRole('button', { name: 'Close' }).last().click();
  const isReminder = ({ purpose }: { purpose: string }) => purpose === 'remind_by_hand';
  for (const [id, count] of [
    [rae, 1],
    [rex, 1],
    [roy, 0],
  ] as const)
    expect((await messagesOf(id)).filter(isReminder).length, id).toBe(count);
  await close();
});

test('each status has a color of its own, light and dark', async () => {
  const statuses = ['requested', 'ready', 'sent', 'cancelled', 'expired'];
  const ids = await createFor('Colors', ...statuses.map((_, at) => `Number${at}`));
  await Promise.all(
    ids.map((id, at) =>
      fixture.database.query('update intros set status = $2, recipient_phone = $3 where id = $1', [
        ...[id, statuses[at], `+1415555091${at}`],
      ]),
    ),
  );
  for (const colorScheme of ['light', 'dark'] as const) {
    const { page, close } = await openList('/intros?q=Colors', { ...DESKTOP, colorScheme });
    await expect.poll(() => rows(page).count()).toBe(statuses.length);
    const looks = await page.evaluate<string[]>(
      `[...document.querySelectorAll('.status')].map((one) => getComputedStyle(one)).map(({ color, backgroundColor }) => color + backgroundColor)`,
    );
    // Cancelled and expired share theirs: both are over, and the text tells them apart.
    expect(new Set(looks.slice(0, 4)).size).toBe(4);
    await close();
  }
});

test('a recorded intro shows the face in its video', async () => {
  const id = await fixture.make({ recipient: { first_name: 'Fay', last_name: 'Face', phone: '+14155550177' } });
  await fixture.record(id);
  const { page, close } = await openList('/intros?q=Face');
  await rows(page).first().locator('.avatar img').waitFor();
  await expect
    .poll(() => page.evaluate<number>("document.querySelector('.intro-row .avatar img').naturalWidth"))
    .toBeGreaterThan(0);
  await close();
});

test('while the list loads, its placeholder has the place and height of the rows', async () => {
  await createFor('Slow', 'Sue', 'Sid');
  const { page, close } = await openList('/intros?q=Slow');
  const row = await rows(page).first().boundingBox();
  let release = () => {};
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  await page.route('**/console/api/intros?*', async (route) => {
    await held;
    await route.continue();
  });
  await page.goto(`${fixture.service.url}/console/intros?q=Slow`);
  const line = page.locator('.skeleton-line').first();
  await line.waitFor();
  const placeholder = await line.boundingBox();
  expect(Math.abs((placeholder?.y ?? 0) - (row?.y ?? 0))).toBeLessThanOrEqual(16);
  expect(Math.abs((placeholder?.height ?? 0) - (row?.height ?? 0))).toBeLessThanOrEqual(16);
  release();
  await rows(page).first().waitFor();
  await close();
});

test('the order and the filters are in the URL, and survive a reload', async () => {
  const ids = await createFor('Order', 'Late', 'Soon', 'Mid');
  const deadlines = [90, 3, 30].map((hours) => new Date(Date.now() + hours * HOUR_MS));
  await Promise.all(
    ids.map((id, at) => fixture.database.query('update intros set expires_at = $2 where id = $1', [id, deadlines[at]])),
  );
  const { page, close } = await openList('/intros?q=Order');
  const firstNames = async () =>
    (await rows(page).allTextContents()).map((text) => /(Late|Soon|Mid) Order/.exec(text)?.[1]);
  await expect.poll(firstNames).toEqual(['Late', 'Soon', 'Mid']);
  await page.getByRole('link', { name: 'Sort by Due' }).click();
  await expect.poll(firstNames).toEqual(['Soon', 'Mid', 'Late']);
  await rows(page).first().getByText('in 3 hours').waitFor();
  await button(page, 'Filters').click();
  await page.getByRole('combobox', { name: 'Touchpoint' }).selectOption('-');
  await expect.poll(() => new URL(page.url()).search).toContain('touchpoint=-');
  await page.reload();
  await button(page, 'Filters (1)').waitFor();
  await expect.poll(firstNames).toEqual(['Soon', 'Mid', 'Late']);
  await expectAccessible(page);
  await close();
});
