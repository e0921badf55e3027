import { randomUUID } from 'node:crypto';
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { eventually } from '../acceptance/support/actions.ts';
import { openIntros } from '../console/intros-fixture.ts';

import { openConsoleTests, openTestPage, PHONE } from './console-test-page.ts';
import { button, expectAccessible, untilHeading } from './page-actions.ts';

const { fixture, browser, open } = await openConsoleTests(openIntros());

const DANA = { first_name: 'Dana', phone: '+15005550123' };
const dialogOf = (page: Page) => page.getByRole('dialog');
const confirm = (page: Page) => dialogOf(page).getByRole('button', { name: 'Withdraw consent' });

test('a member reads the consent in the recorder, withdraws it in the settings, and can give it again', async () => {
  const member = await fixture.add();
  const client = await fixture.signIn(fixture.organization.id, member.email);
  const sentId = await fixture.make({ member: { id: member.id }, recipient: DANA }, { recorded: true });
  const sent = await eventually(async () => (await fixture.api.get(`/v1/intros/${sentId}`)).body, { status: 'sent' });
  const id = await fixture.make({ member: { id: member.id }, recipient: DANA });
  const { url } = await fixture.run('intro', 'link', id);
  const recorder = await openTestPage(browser, PHONE, [410]);
  await recorder.page.goto(fixture.service.url + new URL(url).pathname);
  const sentence = recorder.page.getByText('By recording, you agree that');
  await sentence.waitFor();
  await sentence.click();
  await recorder.page.getByText('This consent covers no other use.').waitFor();
  await expectAccessible(recorder.page);

  const settings = await open('/account', { client, device: PHONE });
  const { page } = settings;
  await page.getByText('What this covers').click();
  await button(page, 'Withdraw consent').click();
  await dialogOf(page).getByText('1 live page will close.').waitFor();
  await expectAccessible(page);
  await confirm(page).click();
  await page.getByText('Removed 1 video and 1 page. Closed 1 open intro.').waitFor({ timeout: 60_000 });
  await expectAccessible(page);
  await recorder.page.reload();
  await untilHeading(recorder.page, 'Nothing can be recorded here');
  await recorder.page.goto(fixture.service.url + new URL(sent.delivery.recipient_url).pathname);
  await recorder.page.getByText('This video is no longer available').waitFor();
  await expectAccessible(recorder.page);

  await button(page, 'Give consent again').click();
  await expectAccessible(page);
  await button(page, 'I agree').click();
  await page.getByText('You agreed to the use of your face and voice.').waitFor();
});

test('an owner withdraws on behalf of a member, and reassigns the open intros with the keyboard', async () => {
  const zoe = { first_name: 'Zoe', last_name: randomUUID() };
  const [member, colleague] = [await fixture.add(), await fixture.add(zoe)];
  const id = await fixture.make({ member: { id: member.id }, recipient: DANA });
  const { page } = await open(`/members/${member.id}`);
  await page.getByText('They give this consent with their first video.').waitFor();
  await page.getByText('What this covers').click();
  await button(page, 'Withdraw consent').click();
  await page.getByRole('radio', { name: 'Reassign' }).check();
  await confirm(page).click();
  await dialogOf(page).getByText('Choose a member.').waitFor();
  await expectAccessible(page);
  await page.getByLabel('Reassign to').click();
  await page.keyboard.type(zoe.last_name);
  // Otherwise the arrow key could still choose from the whole list.
  await eventually(
    () => page.getByRole('option').allTextContents(),
    (names) => names.length === 1 && names[0] === `Zoe ${zoe.last_name}`,
  );
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
  await confirm(page).click();
  await page.getByText('Removed 0 videos and 0 pages. Reassigned 1 open intro.').waitFor({ timeout: 60_000 });
  await expectAccessible(page);
  expect((await fixture.api.get(`/v1/intros/${id}`)).body.member.id).toBe(colleague.id);
});
