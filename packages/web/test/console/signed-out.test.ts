import { afterAll, beforeAll, describe, test } from 'vitest';
import { MEMBER, serveTouchpoint } from './examples.ts';
import type { FakeConsole } from './fake-console.ts';
import { findAccessibilityIssues, SIZES, TestConsole, type Visit } from './test-console.ts';

const SIGNED_OUT = 'You are signed out. Sign in in another tab, then save again.';

let testConsole: TestConsole;
beforeAll(async () => {
  testConsole = await TestConsole.open();
});
afterAll(() => testConsole?.close());

const button = ({ page }: Visit, name: string) => page.getByRole('button', { name, exact: true });

function countLeaveDialogs({ page }: Visit): { count: number } {
  const seen = { count: 0 };
  page.on('dialog', (dialog) => {
    seen.count += 1;
    void dialog.dismiss();
  });
  return seen;
}

describe.concurrent('a session that ends during an edit', () => {
  test('is reported on save, and saving works after signing in again', async ({ expect }) => {
    const visit = await testConsole.visit({
      path: '/touchpoints/kickoff',
      prepare: serveTouchpoint,
      browser: { viewport: SIZES.phone },
    });
    const { page, server, errors, close } = visit;
    const leaveDialogs = countLeaveDialogs(visit);
    await button(visit, 'Rename').click();
    const name = page.getByLabel('Name', { exact: true });
    await name.fill('Kickoff call');
    server.signedIn = false;
    await button(visit, 'Save').click();
    await page.getByText(SIGNED_OUT).waitFor();
    await expect.poll(() => button(visit, 'Save').getAttribute('aria-busy')).not.toBe('true');
    expect(await findAccessibilityIssues(page)).toEqual([]);
    server.signedIn = true;
    await button(visit, 'Save').click();
    await page.getByText('Saved. Your changes are live.').waitFor();
    expect(await name.inputValue()).toBe('Kickoff call');
    expect(leaveDialogs.count).toBe(0);
    expect(errors).toEqual([]);
    await close();
  });

  test('does not leave the page when live updates break, until nothing is unsaved', async ({ expect }) => {
    const visit = await testConsole.visit({ path: '/touchpoints/kickoff', prepare: serveTouchpoint });
    const { page, server, close } = visit;
    const leaveDialogs = countLeaveDialogs(visit);
    await expect.poll(() => server.listeners).toBe(1);
    await button(visit, 'Rename').click();
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
    await button(visit, 'Discard').click();
    await page.waitForURL('**/console/signin**');
    await close();
  });

  test('keeps what was typed in a dialog', async ({ expect }) => {
    const prepare = (server: FakeConsole) => {
      server.answer('GET /members', { members: [MEMBER], next: null, counts: { found: 1, shared_emails: 0 } });
    };
    const visit = await testConsole.visit({ path: '/members', prepare });
    const { page, server, close } = visit;
    await button(visit, 'Add member').click();
    await page.getByLabel('First name').fill('Lou');
    server.signedIn = false;
    const before = server.requests.length;
    server.publish('members');
    await expect.poll(() => server.requests.length).toBeGreaterThan(before);
    await page.getByRole('dialog').getByRole('button', { name: 'Add member' }).click();
    await page.getByText(SIGNED_OUT).waitFor();
    expect(await page.getByLabel('First name').inputValue()).toBe('Lou');
    await close();
  });

  test('counts as a successful sign-out', async () => {
    const visit = await testConsole.visit();
    const { page, server, close } = visit;
    await button(visit, 'Sign out').waitFor();
    server.signedIn = false;
    await button(visit, 'Sign out').click();
    await page.waitForURL('**/console/signin**');
    await close();
  });
});
