import type { Brand } from '@foreword/contract';
import { describe } from 'vitest';
import { BRAND } from './examples.ts';
import { type FakeConsole, Refusal } from './fake-console.ts';
import { test } from './test-console.ts';

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
