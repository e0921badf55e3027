import type { Locator, Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { createIntro } from '../acceptance/support/actions.ts';
import { openIntros } from '../console/intros-fixture.ts';

import { openConsoleTests, PHONE } from './console-test-page.ts';
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

describe('on a phone', () => {
  test('cancelling an intro takes three clicks', async () => {
    const recipient = { first_name: 'Moved', last_name: 'Appointment', phone: '+14155550302' };
    const { id } = await createIntro(fixture.api, { recipient });
    const { page, click, clicks } = await openOverview();
    await click(page.getByRole('link', { name: /Moved Appointment/ }));
    await click(button(page, 'Cancel intro'));
    await click(page.getByRole('alertdialog').getByRole('button', { name: 'Cancel intro' }));
    await page.getByText('The intro is cancelled.').waitFor();
    expect(clicks()).toBeLessThanOrEqual(3);
    expect((await fixture.detail(id)).status).toBe('cancelled');
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
    await click(link(page, 'Start an intro'));
    await choose(page.getByLabel('What is it about?'), 'Project kickoff');
    await page.getByLabel('First name').fill('Hand');
    await page.getByLabel('Mobile number').fill('415 555 0177');
    await click(button(page, 'Continue'));
    await page.waitForURL(/\/r\//);
    expect(clicks()).toBeLessThanOrEqual(4);
  });
});
