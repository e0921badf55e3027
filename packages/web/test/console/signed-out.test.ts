import { afterAll, beforeAll, describe, test } from 'vitest';
import { Desk, findFaults, SIZES, type Visit } from './desk.ts';
import { keepTouchpoint, MEMBER } from './examples.ts';
import type { FakeConsole } from './fake-console.ts';

const SIGNED_OUT = 'You are signed out. Sign in in another tab, then save again.';

let desk: Desk;
beforeAll(async () => {
  desk = await Desk.open();
});
afterAll(() => desk?.close());

const button = ({ page }: Visit, name: string) => page.getByRole('button', { name, exact: true });

function countLeavings({ page }: Visit): { dialogs: number } {
  const seen = { dialogs: 0 };
  page.on('dialog', (dialog) => {
    seen.dialogs += 1;
    void dialog.dismiss();
  });
  return seen;
}

describe.concurrent('a session that ended while somebody edits', () => {
  test('is said at the save, which works once they are signed in again, with what was typed', async ({ expect }) => {
    const visit = await desk.visit({
      path: '/touchpoints/kickoff',
      prepare: keepTouchpoint,
      browser: { viewport: SIZES.phone },
    });
    const { page, server, complaints, close } = visit;
    const leavings = countLeavings(visit);
    const name = page.getByLabel('Name', { exact: true });
    await name.fill('Kickoff call');
    server.signedIn = false;
    await button(visit, 'Save').click();
    await page.getByText(SIGNED_OUT).waitFor();
    await expect.poll(() => button(visit, 'Save').getAttribute('aria-busy')).not.toBe('true');
    expect(await findFaults(page)).toEqual([]);
    server.signedIn = true;
    await button(visit, 'Save').click();
    await page.getByText('Saved. Your changes are live.').waitFor();
    expect(await name.inputValue()).toBe('Kickoff call');
    expect(leavings.dialogs).toBe(0);
    expect(complaints).toEqual([]);
    await close();
  });

  test('does not lead away in the middle of typing when the live stream breaks, but once nothing is unsaved', async ({
    expect,
  }) => {
    const visit = await desk.visit({ path: '/touchpoints/kickoff', prepare: keepTouchpoint });
    const { page, server, close } = visit;
    const leavings = countLeavings(visit);
    await expect.poll(() => server.listeners).toBe(1);
    const name = page.getByLabel('Name', { exact: true });
    await name.fill('Kickoff call');
    server.signedIn = false;
    server.goDown();
    server.down = false;
    const asked = server.asked.length;
    await expect
      .poll(() => server.asked.slice(asked).filter((one) => one === 'GET /session').length)
      .toBeGreaterThan(1);
    expect(await name.inputValue()).toBe('Kickoff call');
    expect(new URL(page.url()).pathname).toBe('/console/touchpoints/kickoff');
    expect(leavings.dialogs).toBe(0);
    await button(visit, 'Discard').click();
    await page.waitForURL('**/console/signin**');
    await close();
  });

  test('takes nothing from who fills in a dialog', async ({ expect }) => {
    const prepare = (server: FakeConsole) => {
      server.answer('GET /members', { members: [MEMBER], next: null, counts: { found: 1, shared_emails: 0 } });
    };
    const visit = await desk.visit({ path: '/members', prepare });
    const { page, server, close } = visit;
    await button(visit, 'Add member').click();
    await page.getByLabel('First name').fill('Lou');
    server.signedIn = false;
    const asked = server.asked.length;
    server.tell('members');
    await expect.poll(() => server.asked.length).toBeGreaterThan(asked);
    await page.getByRole('dialog').getByRole('button', { name: 'Add member' }).click();
    await page.getByText(SIGNED_OUT).waitFor();
    expect(await page.getByLabel('First name').inputValue()).toBe('Lou');
    await close();
  });

  test('is what signing out asks for, so that it leads to the sign-in', async () => {
    const visit = await desk.visit();
    const { page, server, close } = visit;
    await button(visit, 'Sign out').waitFor();
    server.signedIn = false;
    await button(visit, 'Sign out').click();
    await page.waitForURL('**/console/signin**');
    await close();
  });
});
