import { randomInt } from 'node:crypto';
import type { BrowserContextOptions, Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { createIntro, eventually } from '../acceptance/support/actions.ts';
import { openInbox } from '../console/inbox.ts';
import { openIntros } from '../console/intros-fixture.ts';
import { forFile } from '../harness/index.ts';
import { DESKTOP, openConsoleTests, PHONE } from './console-test-page.ts';
import { button, expectAccessible, untilHeading } from './page-actions.ts';

/** Below the tabs of the section. On a phone, also below the bar and the search. */
const FIRST_ROW_PX = { desktop: 240, phone: 290 };
const HOUR_MS = 3_600_000;

const inbox = await forFile(openInbox());
const { fixture, open } = await openConsoleTests(openIntros(inbox.environment));

async function openList(path: string, device: BrowserContextOptions = DESKTOP) {
  const opened = await open(path, { client: fixture.manager, device });
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
  for (const [device, most] of [
    [DESKTOP, FIRST_ROW_PX.desktop],
    [PHONE, FIRST_ROW_PX.phone],
  ] as const) {
    const { page } = await openList('/intros', device);
    const top = (await rows(page).first().boundingBox())?.y;
    expect(top).toBeLessThan(most);
    await box(page, 'One Top').check();
    expect((await rows(page).first().boundingBox())?.y).toBe(top);
    await expectAccessible(page);
  }
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
  await fixture.database.sql`update intros set status = 'sent' where id = ${sent}`;
  await button(page, 'Cancel 2 intros').click();
  await page.getByText(`Max ${name}: This intro was sent`).waitFor();
  await page.getByText('2 of 2').waitFor();
  await expectAccessible(page);
  await page.getByRole('dialog').getByRole('button', { name: 'Close' }).last().click();
  expect(await Promise.all([cancelled, sent, kept].map(statusOf))).toEqual(['cancelled', 'sent', 'requested']);
  await close(409);
});

test('Space selects, Shift+Space selects a range, and Escape clears the selection', async () => {
  await createFor('Keys', 'Ada', 'Bea', 'Cal', 'Dan');
  const { page } = await openList('/intros?q=Keys');
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
});

test('several intros are reassigned at once', async () => {
  const ids = await createFor('Team', 'Ian', 'Ira');
  const { page } = await openList('/intros?q=Team');
  await page.getByRole('checkbox', { name: 'Select all listed intros' }).check();
  await button(page, 'Reassign').click();
  await page.getByRole('option', { name: 'owner Team' }).click();
  await button(page, 'Reassign 2 intros').click();
  await page.getByText('2 intros reassigned.').waitFor();
  for (const id of ids) expect((await fixture.detail(id)).member.id).toBe(fixture.ownerId);
});

test('members are reminded of several intros at once, but not of one that they were just notified of', async () => {
  await fixture.database.query(`update members set notify_by = 'email'`);
  const ids = await createFor('Remind', 'Rae', 'Rex', 'Roy');
  const messagesOf = async (id: string) => (await fixture.detail(id)).messages;
  for (const id of ids) {
    await eventually(async () => (await messagesOf(id)).some(({ status }) => status === 'accepted'));
  }
  const [rae = '', rex = '', roy = ''] = ids;
  for (const id of [rae, rex]) await fixture.age(id, 2);
  const { page, close } = await openList('/intros?q=Remind');
  await page.getByRole('checkbox', { name: 'Select all listed intros' }).check();
  await button(page, 'Remind').click();
  await page.getByRole('dialog', { name: 'Send 3 reminders?' }).waitFor();
  await expectAccessible(page);
  await button(page, 'Send 3 reminders').click();
  await page.getByText('Roy Remind: The member was notified less than an hour ago.').waitFor();
  await page.getByText('3 of 3').waitFor();
  await page.getByRole('dialog').getByRole('button', { name: 'Close' }).last().click();
  const isReminder = ({ purpose }: { purpose: string }) => purpose === 'remind_by_hand';
  for (const [id, count] of [
    [rae, 1],
    [rex, 1],
    [roy, 0],
  ] as const)
    expect((await messagesOf(id)).filter(isReminder).length, id).toBe(count);

  await page.goto(`${fixture.service.url}/console/intros/${roy}`);
  await button(page, 'More').click();
  const remind = page.getByRole('menuitem', { name: 'Remind member' });
  await remind.getByText(/^Possible again .*\d:\d\d\s[AP]M/).waitFor();
  expect(await remind.getAttribute('aria-disabled')).toBe('true');
  await close(409);
});

test('a recorded intro shows the face in its video', async () => {
  const id = await fixture.make({ recipient: { first_name: 'Fay', last_name: 'Face', phone: '+14155550177' } });
  await fixture.record(id);
  const { page } = await openList('/intros?q=Face');
  await rows(page).first().locator('.avatar img').waitFor();
  await expect
    .poll(() => page.evaluate<number>("document.querySelector('.intro-row .avatar img').naturalWidth"))
    .toBeGreaterThan(0);
});

test('the order and the filters are in the URL, and survive a reload', async () => {
  const ids = await createFor('Order', 'Late', 'Soon', 'Mid');
  const deadlines = [90, 3, 30].map((hours) => new Date(Date.now() + hours * HOUR_MS));
  await Promise.all(
    ids.map((id, at) => fixture.database.sql`update intros set expires_at = ${deadlines[at]} where id = ${id}`),
  );
  const { page } = await openList('/intros?q=Order');
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
});
