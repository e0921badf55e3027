import { describe } from 'vitest';
import { test } from './test-console.ts';

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
