import { afterAll, beforeAll, expect, test } from 'vitest';
import { MEMBER } from './examples.ts';
import { findAccessibilityIssues, SIZES, TestConsole } from './test-console.ts';

let testConsole: TestConsole;
beforeAll(async () => {
  testConsole = await TestConsole.open();
});
afterAll(() => testConsole?.close());

test.each(Object.entries(SIZES))(
  'a key gets the chosen scope, the list shows it, and its dialog changes it, on a %s',
  async (_, viewport) => {
    const key = {
      ...{ id: 'key_1', name: 'Reports', ending: '0000', created_at: MEMBER.created_at, last_used_at: null },
      ...{ revoked_at: null, expires_at: null, allowed_ips: [], scope: 'read' as const, recording_links: false },
      agent_writes: false,
    };
    const sent: unknown[] = [];
    const { page, errors, close } = await testConsole.visit({
      path: '/developers/keys',
      browser: { viewport },
      prepare(server) {
        server.answer('GET /keys', { keys: [key] });
        for (const operation of ['POST /keys', 'POST /keys/:id'] as const) {
          server.answer(operation, ({ body }) => {
            sent.push(body);
            return operation === 'POST /keys' ? { key, secret: 'fw_test_0' } : key;
          });
        }
      },
    });
    await page.getByText('Read only').waitFor();
    await page.getByRole('button', { name: 'Change Reports' }).click();
    expect(await page.getByRole('radio', { name: 'Read only' }).isChecked()).toBe(true);
    expect(await page.getByRole('checkbox').count()).toBe(0);
    await page.getByRole('radio', { name: 'Full access' }).check();
    await page.getByRole('checkbox', { name: 'Allow recording links' }).check();
    await page.getByRole('checkbox', { name: 'Allow changes by AI agents' }).check();
    expect(await findAccessibilityIssues(page)).toEqual([]);
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
    expect(errors).toEqual([]);
    await close();
  },
);
