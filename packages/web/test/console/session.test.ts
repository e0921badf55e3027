import type { Brand } from '@foreword/contract';
import type { Page } from 'playwright-core';
import { describe } from 'vitest';
import { findViolations } from '../../../server/test/browser/accessibility.ts';
import { BRAND, MEMBER, serveTouchpoint } from './examples.ts';
import { type FakeConsole, Refusal } from './fake-console.ts';
import { SIZES, test } from './test-console.ts';

describe.concurrent('a lost connection', () => {
  test('shows that the device is offline, until it is online again', async ({ visit }) => {
    const { page } = await visit();
    await page.getByRole('heading', { name: 'Overview' }).waitFor();
    await page.context().setOffline(true);
    await page.getByText('You are offline. This page may be out of date.').waitFor();
    await page.getByRole('link', { name: 'Overview' }).waitFor();
    await page.context().setOffline(false);
    await page.getByText('You are offline.').waitFor({ state: 'hidden' });
  });

  test('shows that the server is down, and reconnects after a restart without a reload', async ({ expect, visit }) => {
    const { page, server } = await visit();
    await expect.poll(() => server.listeners).toBe(1);
    server.goDown();
    await page.getByText('The server is not responding. Retrying.').waitFor();
    server.down = false;
    await page.getByText('The server is not responding.').waitFor({ state: 'hidden' });
    await expect.poll(() => server.listeners).toBe(1);
  });

  test('opens a page once the server is back', async ({ visit }) => {
    const { page, server } = await visit();
    await page.getByRole('heading', { name: 'Overview' }).waitFor();
    server.goDown();
    await page.getByRole('link', { name: 'Organization' }).click();
    await page.getByText('The server is not responding. Retrying.').waitFor();
    server.down = false;
    await page.getByRole('heading', { name: 'Brand', level: 1 }).waitFor();
  });

  test('loads a page again whose response broke off', async ({ visit }) => {
    const prepare = (server: FakeConsole) => {
      server.answer('GET /members', { members: [MEMBER], next: null, counts: { found: 1, shared_emails: 0 } });
      server.answer('GET /members/{id}', MEMBER);
    };
    const { page, server } = await visit({ path: '/members', prepare });
    const member = page.getByRole('main').getByRole('link', { name: /Lou Ost/ });
    await member.waitFor();
    server.breaksOff = true;
    await member.click();
    await page.getByRole('heading', { name: 'Lou Ost' }).waitFor();
  });

  test('reloads when a page script is gone because of a new version', async ({ expect, visit }) => {
    const { page } = await visit({ causes: 'dynamically imported module' });
    await page.getByRole('heading', { name: 'Overview' }).waitFor();
    const loads: string[] = [];
    page.on('request', (request) => {
      if (request.isNavigationRequest()) loads.push(new URL(request.url()).pathname);
    });
    // The new version has the script.
    await page.route('**/assets/*brand*.js', (route) =>
      loads.length === 0 ? route.fulfill({ status: 404 }) : route.continue(),
    );
    await page.getByRole('link', { name: 'Organization' }).click();
    await page.getByRole('heading', { name: 'Brand', level: 1 }).waitFor();
    expect(loads).toEqual(['/console/organization/brand']);
  });

  test('goes to the sign-in page once the session ended, and returns to the same page', async ({ expect, visit }) => {
    const { page, server } = await visit({ path: '/intros?q=dana' });
    await expect.poll(() => server.listeners).toBe(1);
    server.signedIn = false;
    server.goDown();
    server.down = false;
    await page.waitForURL('**/console/signin**');
    expect(new URL(page.url()).searchParams.get('next')).toBe('/console/intros?q=dana');
  });

  test('does not listen for live updates in a hidden tab', async ({ expect, visit }) => {
    const { page, server } = await visit();
    await expect.poll(() => server.listeners).toBe(1);
    await page.evaluate(`
      Object.defineProperty(document, 'visibilityState', { value: 'hidden', configurable: true });
      document.dispatchEvent(new Event('visibilitychange'));
    `);
    await expect.poll(() => server.listeners).toBe(0);
    await page.evaluate(`
      Object.defineProperty(document, 'visibilityState', { value: 'visible', configurable: true });
      document.dispatchEvent(new Event('visibilitychange'));
    `);
    await expect.poll(() => server.listeners).toBe(1);
  });
});

const rename = (server: FakeConsole, name: string) => {
  server.session = { ...server.session, organization: { ...server.session.organization, name } };
};

describe.concurrent('the session', () => {
  test('shows a new organization name in the sidebar and the title once it is saved', async ({ expect, visit }) => {
    const { page, server } = await visit({
      role: 'manager',
      path: '/organization/brand',
      prepare(fake) {
        fake.answer('GET /brand', BRAND);
        fake.answer('POST /brand/preview', new Refusal(422, { code: 'validation_failed', message: 'No preview.' }));
        fake.answer('POST /brand', ({ body }) => {
          rename(fake, (body as Brand).name);
          return { ...(body as Brand), version: 2, logo_url: null };
        });
      },
    });
    await page.getByRole('textbox', { name: 'Name' }).fill('Acme & Sons');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByRole('navigation', { name: 'Main' }).getByText('Acme & Sons', { exact: true }).waitFor();
    await expect.poll(() => page.title()).toBe('Brand · Acme & Sons');
    expect(server.requests.filter((request) => request === 'GET /session')).toHaveLength(1);
  });

  test('opens and closes pages when the role changes, and links to its start page', async ({ expect, visit }) => {
    const { page, server } = await visit({ role: 'manager', path: '/developers/keys' });
    await page.getByRole('heading', { name: 'Only for owners' }).waitFor();
    await expect.poll(() => server.listeners).toBe(1);
    const become = (role: 'owner' | 'member') => {
      server.session = { ...server.session, member: { ...server.session.member, role } };
      server.publish('members');
    };
    become('owner');
    await page.getByRole('heading', { name: 'Only for owners' }).waitFor({ state: 'hidden' });
    become('member');
    await page.getByRole('heading', { name: 'Only for' }).waitFor();
    await page.getByRole('link', { name: 'Go to start page' }).click();
    await page.waitForURL('**/console/home');
  });
});

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
    // A click outside.
    await page.mouse.click(2, 2);
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
