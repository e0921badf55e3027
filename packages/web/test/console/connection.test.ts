import { afterAll, beforeAll, describe, test } from 'vitest';
import { Desk } from './desk.ts';

let desk: Desk;
beforeAll(async () => {
  desk = await Desk.open();
});
afterAll(() => desk?.close());

describe.concurrent('a connection that fails', () => {
  test('offline is said, and goes away by itself', async ({ expect }) => {
    const { page, complaints, close } = await desk.visit();
    await page.getByRole('heading', { name: 'Overview' }).waitFor();
    await page.context().setOffline(true);
    await page.getByText('You are offline. This page may be out of date.').waitFor();
    await page.getByRole('link', { name: 'Overview' }).waitFor();
    await page.context().setOffline(false);
    await page.getByText('You are offline.').waitFor({ state: 'hidden' });
    expect(complaints).toEqual([]);
    await close();
  });

  test('a server that is started again is said, and found again without a reload', async ({ expect }) => {
    const { page, server, complaints, close } = await desk.visit();
    await expect.poll(() => server.listeners).toBe(1);
    server.goDown();
    await page.getByText('The server is not responding. Retrying.').waitFor();
    server.down = false;
    await page.getByText('The server is not responding.').waitFor({ state: 'hidden' });
    await expect.poll(() => server.listeners).toBe(1);
    expect(complaints).toEqual([]);
    await close();
  });

  test('a page that was opened meanwhile comes when the server is back', async ({ expect }) => {
    const { page, server, complaints, close } = await desk.visit();
    await page.getByRole('heading', { name: 'Overview' }).waitFor();
    server.goDown();
    await page.getByRole('link', { name: 'Brand' }).click();
    await page.getByText('The server is not responding. Retrying.').waitFor();
    server.down = false;
    await page.getByRole('heading', { name: 'Brand', level: 1 }).waitFor();
    expect(complaints).toEqual([]);
    await close();
  });

  test('a page whose file is gone, because another version was installed, is asked for anew', async ({ expect }) => {
    const { page, close } = await desk.visit();
    await page.getByRole('heading', { name: 'Overview' }).waitFor();
    const loads: string[] = [];
    page.on('load', () => loads.push(page.url()));
    await page.route('**/assets/*brand*.js', (route) => route.fulfill({ status: 404 }));
    await page.getByRole('link', { name: 'Brand' }).click();
    await expect.poll(() => loads.length).toBe(1);
    expect(new URL(loads[0] ?? '').pathname).toBe('/console/brand');
    await close();
  });

  test('who was signed out meanwhile is led to the sign-in, and from there back to the same page', async ({
    expect,
  }) => {
    const { page, server, close } = await desk.visit({ path: '/intros?q=dana' });
    await expect.poll(() => server.listeners).toBe(1);
    server.signedIn = false;
    server.goDown();
    server.down = false;
    await page.waitForURL('**/console/signin**');
    expect(new URL(page.url()).searchParams.get('next')).toBe('/console/intros?q=dana');
    await close();
  });

  test('a tab that nobody looks at does not listen', async ({ expect }) => {
    const { page, server, close } = await desk.visit();
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
    await close();
  });
});
