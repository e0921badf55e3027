import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { Desk, findFaults, SIZES } from './desk.ts';
import { MEMBER } from './examples.ts';
import type { FakeConsole } from './fake-console.ts';

const SECRET = 'fw_test_0000000000000000000000000000';
const KEY = { id: 'key_1', name: 'CRM', ending: '0000', created_at: MEMBER.created_at };

let desk: Desk;
beforeAll(async () => {
  desk = await Desk.open();
});
afterAll(() => desk?.close());

const hasFocus = (page: Page): Promise<boolean> =>
  page.evaluate(
    `document.activeElement.closest('[role=dialog]') !== null || document.activeElement.hasAttribute('data-base-ui-focus-guard')`,
  );

const prepare = (server: FakeConsole) => {
  server.answer('GET /keys', { keys: [] });
  server.answer('POST /keys', { key: { ...KEY, last_used_at: null, revoked_at: null }, secret: SECRET });
};

test.each(Object.entries(SIZES))(
  'what is shown only once stays until its reader has copied it, at %s',
  async (_, viewport) => {
    const { page, server, complaints, close } = await desk.visit({
      path: '/developers/keys',
      prepare,
      browser: { viewport },
    });
    await page.getByRole('button', { name: 'Create key' }).first().click();
    await page.getByLabel('Name', { exact: true }).fill('CRM');
    await page.keyboard.press('Enter');
    const secret = page.getByText(SECRET);
    await secret.waitFor();
    const dialog = page.getByRole('dialog', { name: 'Your new key' });
    expect(await findFaults(page)).toEqual([]);
    await expect.poll(() => hasFocus(page)).toBe(true);
    await page.mouse.click(5, 5);
    await page.keyboard.press('Escape');
    await page.keyboard.press('Escape');
    for (let presses = 0; presses < 6; presses += 1) {
      await page.keyboard.press('Tab');
      expect(await hasFocus(page)).toBe(true);
    }
    // Nor does a session that ends take it away: the page asks for its keys every five seconds.
    server.signedIn = false;
    const asked = server.asked.length;
    await expect.poll(() => server.asked.slice(asked)).toContain('GET /keys');
    expect(await secret.isVisible()).toBe(true);
    expect(await dialog.getByRole('button').allTextContents()).toEqual(['Copy', 'I’ve copied it']);
    server.signedIn = true;
    await dialog.getByRole('button', { name: 'I’ve copied it' }).click();
    await dialog.waitFor({ state: 'hidden' });
    expect(await page.getByText(SECRET).count()).toBe(0);
    expect(complaints).toEqual([]);
    await close();
  },
);
