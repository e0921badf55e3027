import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { MEMBER } from './examples.ts';
import type { FakeConsole } from './fake-console.ts';
import { findAccessibilityIssues, SIZES, TestConsole } from './test-console.ts';

const SECRET = 'fw_test_0000000000000000000000000000';
const KEY = { id: 'key_1', name: 'CRM', ending: '0000', created_at: MEMBER.created_at };

let testConsole: TestConsole;
beforeAll(async () => {
  testConsole = await TestConsole.open();
});
afterAll(() => testConsole?.close());

const hasFocus = (page: Page): Promise<boolean> =>
  page.evaluate(
    `document.activeElement.closest('[role=dialog]') !== null || document.activeElement.hasAttribute('data-base-ui-focus-guard')`,
  );

const prepare = (server: FakeConsole) => {
  server.answer('GET /keys', { keys: [] });
  server.answer('POST /keys', {
    key: {
      ...KEY,
      ...{ last_used_at: null, revoked_at: null, expires_at: null, allowed_ips: [] },
      ...{ scope: 'full', recording_links: false, agent_writes: false },
    },
    secret: SECRET,
  });
};

test.each(Object.entries(SIZES))(
  'a secret stays visible until the user confirms the copy, on a %s',
  async (_, viewport) => {
    const { page, server, errors, close } = await testConsole.visit({
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
    expect(await findAccessibilityIssues(page)).toEqual([]);
    await expect.poll(() => hasFocus(page)).toBe(true);
    await page.mouse.click(5, 5);
    await page.keyboard.press('Escape');
    await page.keyboard.press('Escape');
    for (let presses = 0; presses < 6; presses += 1) {
      await page.keyboard.press('Tab');
      // The browser may leave the dialog for a moment, until its focus guard returns the focus.
      await expect.poll(() => hasFocus(page)).toBe(true);
    }
    // A session that ends does not hide it either: the page refetches its keys every five seconds.
    server.signedIn = false;
    const before = server.requests.length;
    await expect.poll(() => server.requests.slice(before)).toContain('GET /keys');
    expect(await secret.isVisible()).toBe(true);
    expect(await dialog.getByRole('button').allTextContents()).toEqual(['Copy', 'I’ve copied it']);
    server.signedIn = true;
    await dialog.getByRole('button', { name: 'I’ve copied it' }).click();
    await dialog.waitFor({ state: 'hidden' });
    expect(await page.getByText(SECRET).count()).toBe(0);
    expect(errors).toEqual([]);
    await close();
  },
);
