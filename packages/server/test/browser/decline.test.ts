import type { TeamMemberDetail } from '@foreword/contract';
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { openIntros } from '../console/intros-fixture.ts';

import { openConsoleTests, openTestPage, PHONE } from './console-test-page.ts';
import { button, expectAccessible, untilHeading } from './page-actions.ts';

const { fixture, browser, open } = await openConsoleTests(openIntros());

const makeFor = (member: TeamMemberDetail, firstName: string) =>
  fixture.make({ member: { id: member.id }, recipient: { first_name: firstName, phone: '+14155550884' } });

async function openRecorder(introId: string) {
  const { url } = await fixture.run('intro', 'link', introId);
  const opened = await openTestPage(browser, PHONE);
  await opened.page.goto(fixture.service.url + new URL(url).pathname);
  return opened;
}

async function chooseUnable(page: Page, choice: string): Promise<void> {
  await button(page, 'Can’t record this one?').click();
  await page.getByRole('button', { name: choice }).click();
}

test('a member declines on a phone; an owner finds it on the overview and reassigns it', async () => {
  const [ana, ben] = [await fixture.add({ first_name: 'Ana', last_name: 'Ng' }), await fixture.add()];
  const id = await makeFor(ana, 'Tara');
  const recorder = await openRecorder(id);
  await chooseUnable(recorder.page, 'Decline');
  await recorder.page.getByLabel('I’m away').check();
  await expectAccessible(recorder.page);
  await button(recorder.page, 'Decline').click();
  await untilHeading(recorder.page, 'You declined this one');

  const overview = await open('/overview', { device: PHONE });
  await overview.page.getByText('Ana Ng declined to record for Tara').waitFor();
  await expectAccessible(overview.page);
  // Three clicks, because the row's button opens the dialog.
  await overview.page.getByRole('link', { name: 'Reassign' }).click();
  await overview.page.getByRole('heading', { name: 'Reassign this intro' }).waitFor();
  await overview.page.getByText('Declined by Ana Ng: away').waitFor();
  await overview.page.getByText('Declined: away').waitFor();
  await expectAccessible(overview.page);
  await overview.page.getByRole('option', { name: `${ben.first_name} ${ben.last_name}` }).click();
  await overview.page.getByRole('dialog').getByRole('button', { name: 'Reassign' }).click();
  await overview.page.getByText(`Reassigned to ${ben.first_name} ${ben.last_name}.`).waitFor();
  await overview.page.getByText(`Waiting for ${ben.first_name} ${ben.last_name} to record`).waitFor();
  expect(await fixture.detail(id)).toMatchObject({ declined: null, member: { id: ben.id } });
});

test('a member hands it over on a phone, and the old link says who has it', async () => {
  const [eve, finn] = [await fixture.add(), await fixture.add({ first_name: 'Finn', last_name: 'Berg' })];
  const id = await makeFor(eve, 'Uma');
  const recorder = await openRecorder(id);
  const link = recorder.page.url();
  await chooseUnable(recorder.page, 'Hand it over');
  await recorder.page.getByLabel('Finn Berg').check();
  await button(recorder.page, 'Hand over').click();
  await untilHeading(recorder.page, 'Finn Berg records this one now');
  await recorder.page.goto(link);
  await untilHeading(recorder.page, 'Finn Berg records this one now');
  await expectAccessible(recorder.page);
  await recorder.close(410);
  expect((await fixture.detail(id)).member.id).toBe(finn.id);
});

test('a member does both in the console', async () => {
  const gia = await fixture.add({ first_name: 'Gia', last_name: 'Russo' });
  const client = await fixture.signIn(fixture.organization.id, gia.email);
  const id = await makeFor(gia, 'Vic');
  const { page } = await open(`/intros/${id}`, { client, device: PHONE, mayFail: [404] });
  await untilHeading(page, 'For Vic');
  await button(page, 'More').click();
  await page.getByRole('menuitem', { name: 'Decline' }).click();
  await page.getByLabel('Other').check();
  await page.getByLabel('In your words').fill('I moved to another branch');
  await expectAccessible(page);
  await page.getByRole('dialog').getByRole('button', { name: 'Decline' }).click();
  await page.getByText('You declined: another reason').waitFor();
  await expectAccessible(page);
  await button(page, 'More').click();
  await page.getByRole('menu').waitFor();
  expect(await page.getByRole('menuitem', { name: 'Decline' }).count()).toBe(0);
  await page.keyboard.press('Escape');
  await button(page, 'Reassign').click();
  await page.getByLabel('Search members').last().fill('manager');
  await page.getByRole('option', { name: 'manager Team' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Reassign' }).click();
  await page.waitForURL('**/console/home');
  expect((await fixture.detail(id)).member.id).toBe(fixture.managerId);
});
