import type { Locator, Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { createIntro } from '../acceptance/support/actions.ts';
import { openIntros } from '../console/intros-fixture.ts';

import { openConsoleTests, PHONE, tabTo } from './console-test-page.ts';
import { button, untilHeading } from './page-actions.ts';

// How many clicks or taps frequent jobs take from the overview. Typing into a field is not counted.

const { fixture, open } = await openConsoleTests(openIntros());

async function openOverview() {
  const { page } = await open('/overview', { device: PHONE });
  await untilHeading(page, 'Overview');
  let clicks = 0;
  const click = async (control: Locator) => {
    clicks += 1;
    await control.click();
  };
  const choose = async (list: Locator, label: string) => {
    clicks += 1;
    await list.selectOption({ label });
  };
  return { page, click, choose, clicks: () => clicks };
}

/** A page in the sidebar, the tab bar, or the phone's menu. */
const link = (page: Page, name: string) => page.getByRole('link', { name, exact: true }).first();

test('retention is two clicks from any page', async () => {
  const { page } = await open('/overview');
  for (const path of ['/overview', '/members', '/intros', '/account']) {
    await page.goto(`${fixture.service.url}/console${path}`);
    await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Organization' }).click();
    await page.getByRole('navigation', { name: 'Organization' }).getByRole('link', { name: 'Data' }).click();
    await untilHeading(page, 'Data retention');
  }
});

test('the search finds every setting by the title of its card', async () => {
  const { page } = await open('/overview');
  const titles: string[] = [];
  for (const path of ['brand', 'texting', 'security', 'data'].map((tab) => `organization/${tab}`).concat('account')) {
    await page.goto(`${fixture.service.url}/console/${path}`);
    await page.locator('main .card h2').first().waitFor();
    await expect.poll(() => page.locator('.skeleton').count()).toBe(0);
    titles.push(...(await page.locator('main .card h2').allTextContents()));
  }
  expect(titles.length).toBeGreaterThan(15);
  await page.keyboard.press('Control+k');
  for (const title of titles) {
    await page.getByRole('dialog').getByRole('combobox').fill(title);
    await page.getByRole('group', { name: 'Settings' }).getByRole('option').first().waitFor();
  }
});

test('with only the keyboard, retention and an intro are found, another member is asked, and a number is corrected', async () => {
  const { id } = await createIntro(fixture.api, { recipient: { first_name: 'Kay', phone: '+14155557318' } });
  const { page } = await open('/overview');
  await untilHeading(page, 'Overview');
  const enter = async (text: string, expected: Locator) => {
    await page.keyboard.type(text);
    await expected.waitFor();
    await page.keyboard.press('Enter');
  };
  const press = async (control: string, expected: Locator) => {
    await tabTo(page, control);
    await page.keyboard.press('Enter');
    await expected.first().waitFor();
  };
  await enter('/retention', page.getByRole('option', { name: 'Data retention', selected: true }));
  await untilHeading(page, 'Data retention');
  await enter('/7318', page.getByRole('option', { name: /Kay/, selected: true }));
  await untilHeading(page, 'For Kay');
  await press('Reassign', page.locator('input[role=combobox]:focus'));
  await enter('owner', page.locator('[data-highlighted]', { hasText: 'owner Team' }));
  await press('Reassign', page.getByText('Reassigned to owner Team.'));
  await press('More', page.getByRole('menu'));
  await enter('Corr', page.getByRole('menu'));
  await page.locator('input[type=tel]:focus').waitFor();
  await page.keyboard.press('Control+A');
  await enter('415 555 7319', page.getByRole('dialog'));
  await page.getByText('The number is corrected.').waitFor();
  expect(await fixture.detail(id)).toMatchObject({
    member: { id: fixture.ownerId },
    recipient: { phone: '+14155557319' },
  });
});

describe('on a phone', () => {
  test('cancelling an intro takes five clicks', async () => {
    const recipient = { first_name: 'Moved', last_name: 'Appointment', phone: '+14155550302' };
    const { id } = await createIntro(fixture.api, { recipient });
    const { page, click, clicks } = await openOverview();
    await click(page.getByRole('list', { name: 'Key figures' }).getByRole('link', { name: 'To record' }));
    await click(page.getByRole('link', { name: /Moved Appointment/ }));
    await click(button(page, 'More'));
    await click(page.getByRole('menuitem', { name: 'Cancel intro' }));
    await click(page.getByRole('alertdialog').getByRole('button', { name: 'Cancel intro' }));
    await page.getByText('The intro is cancelled.').waitFor();
    expect(clicks()).toBeLessThanOrEqual(5);
    expect((await fixture.detail(id)).status).toBe('cancelled');
  });

  test('an intro is found by the last four digits of its number in two clicks', async () => {
    const recipient = { first_name: 'Lucía', last_name: 'O’Shaughnessy', phone: '+14155557316' };
    await createIntro(fixture.api, { recipient });
    const { page, click, clicks } = await openOverview();
    await page.keyboard.press('Control+k');
    for (const typed of ['7316', 'lucia', 'OSHAUGHNESSY']) {
      await page.getByRole('combobox').fill(typed);
      await page.getByRole('option', { name: /Lucía O’Shaughnessy/ }).waitFor();
    }
    await page.keyboard.press('Escape');
    await click(link(page, 'Intros'));
    await page.getByRole('searchbox').fill('7316');
    await click(page.getByRole('link', { name: /Lucía O’Shaughnessy/ }));
    await untilHeading(page, 'For Lucía O’Shaughnessy');
    expect(clicks()).toBeLessThanOrEqual(2);
  });

  test('a wrong number is corrected, and the text sent again, in three clicks from the list', async () => {
    const recipient = { first_name: 'Wrong', last_name: 'Digit', phone: '+15005550006' };
    const id = await fixture.make({ recipient, touchpoint: 'project_kickoff' }, { recorded: true });
    await fixture.database.sql`update intros set status = 'ready', delivery_error_code = 'invalid_number',
      delivery_error_message = 'This number cannot receive texts.', sent_at = null where id = ${id}`;
    const { page } = await open('/intros?problem=any', { device: PHONE });
    await page.getByRole('link', { name: /Wrong Digit/ }).click();
    await page.getByRole('button', { name: 'Correct number' }).click();
    await expect.poll(() => page.evaluate('document.activeElement.type')).toBe('tel');
    await page.getByLabel('Mobile number').fill('500 555 0007');
    await page.getByRole('button', { name: 'Save and resend' }).click();
    await page.getByText('The number is corrected.').waitFor();
    await expect.poll(async () => (await fixture.detail(id)).delivery_status).toBe('simulated');
    const { recipient: corrected, timeline } = await fixture.detail(id);
    expect(corrected.phone).toBe('+15005550007');
    expect(timeline.find(({ type }) => type === 'phone_corrected')).toMatchObject({ cause: 'member' });
  });

  test('the first webhook takes four clicks', async () => {
    const { page, click, clicks } = await openOverview();
    await click(button(page, 'Menu'));
    await click(page.getByRole('dialog').getByRole('link', { name: 'Developers' }));
    await click(link(page, 'Add webhook'));
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('URL').fill(`http://127.0.0.1:9/phone`);
    await click(dialog.getByRole('button', { name: 'Add webhook' }));
    await page.getByText('whsec_').first().waitFor();
    expect(clicks()).toBeLessThanOrEqual(4);
  });

  test('a new intro by hand reaches the recorder in four clicks', async () => {
    const { page, click, choose, clicks } = await openOverview();
    await click(link(page, 'New intro'));
    await choose(page.getByLabel('What is it about?'), 'Project kickoff');
    await page.getByLabel('First name').fill('Hand');
    await page.getByLabel('Mobile number').fill('415 555 0177');
    await click(button(page, 'Continue'));
    await page.waitForURL(/\/r\//);
    expect(clicks()).toBeLessThanOrEqual(4);
  });
});
