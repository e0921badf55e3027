import type { NewApiKey } from '@foreword/contract';
import type { Page } from 'playwright-core';
import { describe } from 'vitest';
import { findViolations } from '../../../server/test/browser/accessibility.ts';
import { MEMBER } from './examples.ts';
import { SIZES, test } from './test-console.ts';

const SECRET = 'fw_test_0000000000000000000000000000';
const KEY: NewApiKey['key'] = {
  ...{ id: 'key_1', name: 'Reports', ending: '0000', created_at: MEMBER.created_at, last_used_at: null },
  ...{ revoked_at: null, expires_at: null, allowed_ips: [] },
  ...{ scope: 'read', recording_links: false, agent_writes: false },
};

const hasFocus = (page: Page): Promise<boolean> =>
  page.evaluate(
    `document.activeElement.closest('[role=dialog]') !== null || document.activeElement.hasAttribute('data-base-ui-focus-guard')`,
  );

describe.concurrent('keys', () => {
  test('a secret stays visible until the user confirms the copy', async ({ expect, visit }) => {
    const { page, server } = await visit({
      path: '/developers/keys',
      browser: { viewport: SIZES.phone },
      prepare(fake) {
        fake.answer('GET /keys', { keys: [] });
        fake.answer('POST /keys', { key: KEY, secret: SECRET });
      },
    });
    await page.getByRole('button', { name: 'Create key' }).first().click();
    await page.getByLabel('Name', { exact: true }).fill('CRM');
    await page.keyboard.press('Enter');
    const secret = page.getByText(SECRET);
    await secret.waitFor();
    const dialog = page.getByRole('dialog', { name: 'Your new key' });
    for (const viewport of Object.values(SIZES)) {
      await page.setViewportSize(viewport);
      expect(await findViolations(page)).toEqual([]);
    }
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
    await expect.poll(() => page.evaluate('document.activeElement.textContent')).toBe('Create key');
  });

  test('a key gets the chosen scope, the list shows it, and its dialog changes it', async ({ expect, visit }) => {
    const sent: unknown[] = [];
    const allowed_ips = ['203.0.113.0/24', '2001:db8:1234:5678::/64'];
    const { page } = await visit({
      path: '/developers/keys',
      browser: { viewport: { width: 360, height: 740 } },
      prepare(server) {
        server.answer('GET /keys', {
          keys: [KEY, { ...KEY, id: 'key_2', name: 'Acme CRM', scope: 'full', allowed_ips }],
        });
        for (const operation of ['POST /keys', 'POST /keys/{id}'] as const) {
          server.answer(operation, ({ body }) => {
            sent.push(body);
            return operation === 'POST /keys' ? { key: KEY, secret: SECRET } : KEY;
          });
        }
      },
    });
    await page.getByText('Read only').waitFor();
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(360);
    expect(await page.getByRole('columnheader').count()).toBe(5);
    await page.setViewportSize(SIZES.desktop);
    const tops = ['Change Reports', 'Revoke Reports'].map(
      async (name) => (await page.getByRole('button', { name }).boundingBox())?.y,
    );
    expect(await tops[0]).toBe(await tops[1]);
    await page.getByRole('button', { name: 'Change Reports' }).click();
    expect(await page.getByRole('radio', { name: 'Read only' }).isChecked()).toBe(true);
    expect(await page.getByRole('checkbox').count()).toBe(0);
    await page.getByRole('radio', { name: 'Full access' }).check();
    await page.getByRole('checkbox', { name: 'Allow recording links' }).check();
    await page.getByRole('checkbox', { name: 'Allow changes by AI agents' }).check();
    expect(await findViolations(page)).toEqual([]);
    await page.getByRole('button', { name: 'Save' }).click();
    await expect.poll(() => sent).toMatchObject([{ scope: 'full', recording_links: true, agent_writes: true }]);
    await page.getByRole('dialog').waitFor({ state: 'hidden' });
    await page.getByRole('button', { name: 'Create key' }).first().click();
    await page.getByLabel('Name', { exact: true }).fill('CRM');
    await page.getByRole('checkbox', { name: 'Allow recording links' }).check();
    await page.getByRole('radio', { name: 'Events only' }).check();
    await page.keyboard.press('Enter');
    await expect.poll(() => sent).toHaveLength(2);
    expect(sent[1]).toMatchObject({ name: 'CRM', scope: 'events', recording_links: false, agent_writes: false });
  });
});
