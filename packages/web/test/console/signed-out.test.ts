import type { Page } from 'playwright-core';
import { describe } from 'vitest';
import { findViolations } from '../../../server/test/browser/accessibility.ts';
import { MEMBER, serveTouchpoint } from './examples.ts';
import type { FakeConsole } from './fake-console.ts';
import { SIZES, test } from './test-console.ts';

const SIGNED_OUT = 'You are signed out. Sign in in another tab, then save again.';

const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });

function countLeaveDialogs(page: Page): { count: number } {
  const seen = { count: 0 };
  page.on('dialog', (dialog) => {
    seen.count += 1;
    void dialog.dismiss();
  });
  return seen;
}

describe.concurrent('a session that ends during an edit', () => {
  test('is reported on save, and saving works after signing in again', async ({ expect, visit }) => {
    const { page, server } = await visit({
      path: '/touchpoints/kickoff',
      prepare: serveTouchpoint,
      browser: { viewport: SIZES.phone },
    });
    const leaveDialogs = countLeaveDialogs(page);
    await button(page, 'Rename').click();
    const name = page.getByLabel('Name', { exact: true });
    await name.fill('Kickoff call');
    server.signedIn = false;
    await button(page, 'Save').click();
    await page.getByText(SIGNED_OUT).waitFor();
    await expect.poll(() => button(page, 'Save').getAttribute('aria-busy')).not.toBe('true');
    expect(await findViolations(page)).toEqual([]);
    server.signedIn = true;
    await button(page, 'Save').click();
    await page.getByText('Saved. Your changes are live.').waitFor();
    expect(await name.inputValue()).toBe('Kickoff call');
    expect(leaveDialogs.count).toBe(0);
  });

  test('does not leave the page when live updates break, until nothing is unsaved', async ({ expect, visit }) => {
    const { page, server } = await visit({ path: '/touchpoints/kickoff', prepare: serveTouchpoint });
    const leaveDialogs = countLeaveDialogs(page);
    await expect.poll(() => server.listeners).toBe(1);
    await button(page, 'Rename').click();
    const name = page.getByLabel('Name', { exact: true });
    await name.fill('Kickoff call');
    server.signedIn = false;
    server.goDown();
    server.down = false;
    const before = server.requests.length;
    await expect
      .poll(() => server.requests.slice(before).filter((request) => request === 'GET /session').length)
      .toBeGreaterThan(1);
    expect(await name.inputValue()).toBe('Kickoff call');
    expect(new URL(page.url()).pathname).toBe('/console/touchpoints/kickoff');
    expect(leaveDialogs.count).toBe(0);
    await button(page, 'Discard').click();
    await page.waitForURL('**/console/signin**');
  });

  test('keeps what was typed in a dialog', async ({ expect, visit }) => {
    const prepare = (server: FakeConsole) => {
      server.answer('GET /members', { members: [MEMBER], next: null, counts: { found: 1, shared_emails: 0 } });
    };
    const { page, server } = await visit({ path: '/members', prepare });
    await button(page, 'Add member').click();
    await page.getByLabel('First name').fill('Lou');
    await page.getByLabel('Last name').fill('Roe');
    await page.getByRole('textbox', { name: 'Email' }).fill('lou@acme.example');
    server.signedIn = false;
    const before = server.requests.length;
    server.publish('members');
    await expect.poll(() => server.requests.length).toBeGreaterThan(before);
    await page.getByRole('dialog').getByRole('button', { name: 'Add member' }).click();
    await page.getByText(SIGNED_OUT).waitFor();
    expect(await page.getByLabel('First name').inputValue()).toBe('Lou');
  });

  test('counts as a successful sign-out', async ({ visit }) => {
    const { page, server } = await visit();
    // Just before the request, so that the page does not notice it earlier.
    await page.route('**/session/sign-out', (route) => {
      server.signedIn = false;
      return route.continue();
    });
    await button(page, 'Sign out').click();
    await page.waitForURL('**/console/signin**');
  });
});
