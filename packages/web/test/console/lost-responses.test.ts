import type { Page } from 'playwright-core';
import { describe } from 'vitest';
import { loseNextResponse, MEMBER, serveBrand, serveTouchpoint } from './examples.ts';
import type { FakeConsole } from './fake-console.ts';
import { test } from './test-console.ts';

const NO_RESPONSE = 'The server did not respond. Check your connection and try again.';

const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });

interface Sent {
  readonly key: string | undefined;
  readonly body: unknown;
}

describe.concurrent('a create request whose response is lost', () => {
  test('is repeated with the same key for a member; the next member gets a new key', async ({ expect, visit }) => {
    const sent: Sent[] = [];
    const prepare = (server: FakeConsole) => {
      server.answer('GET /members', { members: [], next: null, counts: { found: 0, shared_emails: 0 } });
      server.answer('GET /members/{id}', MEMBER);
      server.answer('POST /members', ({ key, body }) => {
        sent.push({ key, body });
        return MEMBER;
      });
    };
    const { page } = await visit({ path: '/members', prepare });
    const fill = async (email: string) => {
      await button(page, 'Add member').first().click();
      await page.getByLabel('First name').fill('Lou');
      await page.getByLabel('Last name').fill('Ost');
      await page.getByRole('dialog').getByLabel('Email', { exact: true }).fill(email);
    };
    await loseNextResponse(page, '/members');
    await fill('lou@acme.example');
    await page.getByRole('dialog').getByRole('button', { name: 'Add member' }).click();
    await page.getByText(NO_RESPONSE).waitFor();
    await page.getByText('The server is not responding.').waitFor({ state: 'hidden' });
    await page.getByRole('dialog').getByRole('button', { name: 'Add member' }).click();
    await page.getByText('Lou Ost was added.').waitFor();
    expect(sent).toHaveLength(2);
    expect(sent[1]).toEqual(sent[0]);
    expect(sent[0]?.key).toMatch(/^[0-9a-f]{32}$/);
    await page.getByRole('link', { name: 'Members', exact: true }).first().click();
    await fill('lou@acme.example');
    await page.getByRole('dialog').getByRole('button', { name: 'Add member' }).click();
    await expect.poll(() => sent.length).toBe(3);
    expect(sent[2]?.key).not.toBe(sent[0]?.key);
  });

  test('is repeated with the same key for a webhook endpoint and for a secret rotation', async ({ expect, visit }) => {
    const sent: Sent[] = [];
    const endpoint = {
      id: 'whk_01kahzv8e1f0rtx5m2q6n9d3bw',
      object: 'webhook_endpoint',
      url: 'https://crm.acme.example/hook',
      description: null,
      events: ['*'],
      active: true,
      disabled_reason: null,
      failing_since: null,
      created_at: MEMBER.created_at,
    } as const;
    const respond = ({ key, body }: Sent) => {
      sent.push({ key, body });
      return { ...endpoint, secret: 'whsec_shown' };
    };
    const prepare = (server: FakeConsole) => {
      server.answer('GET /webhooks', () => ({ endpoints: [endpoint], events: [], limit: 10 }));
      server.answer('GET /webhooks/{id}', () => ({
        endpoint,
        events: [],
        backlog: { waiting: 0, given_up: 0, failed_since: null, limit: 100 },
      }));
      server.answer('GET /v1/webhook_endpoints/{id}/attempts', { object: 'list', data: [], has_more: false });
      server.answer('POST /v1/webhook_endpoints', respond);
      server.answer('POST /v1/webhook_endpoints/{id}/rotate_secret', respond);
    };
    const { page } = await visit({ path: '/developers/webhooks', prepare });
    await loseNextResponse(page, '/v1/webhook_endpoints');
    await button(page, 'Add webhook').first().click();
    await page.getByLabel('Endpoint URL').fill(endpoint.url);
    await page.keyboard.press('Enter');
    await page.getByText(NO_RESPONSE).waitFor();
    await page.keyboard.press('Enter');
    await page.getByText('whsec_shown').waitFor();
    await button(page, 'I’ve copied it').click();
    expect(sent[1]).toEqual(sent[0]);

    await page.getByRole('link', { name: endpoint.url }).click();
    await loseNextResponse(page, '/v1/webhook_endpoints/*/rotate_secret');
    await button(page, 'Rotate secret').click();
    const question = page.getByRole('alertdialog');
    await question.getByRole('button', { name: 'Rotate secret' }).click();
    await question.getByText(NO_RESPONSE).waitFor();
    await question.getByRole('button', { name: 'Rotate secret' }).click();
    await page.getByText('whsec_shown').waitFor();
    expect(sent).toHaveLength(4);
    expect(sent[3]).toEqual(sent[2]);
    expect(sent[2]?.key).not.toBe(sent[0]?.key);
  });
});

describe.concurrent('an edit whose response is lost', () => {
  test('of a touchpoint is saved, and is no conflict', async ({ expect, visit }) => {
    const { page, server } = await visit({ path: '/touchpoints/kickoff', prepare: serveTouchpoint });
    await button(page, 'Rename').click();
    await page.getByLabel('Name', { exact: true }).fill('Kickoff call');
    await loseNextResponse(page, '/touchpoints/kickoff');
    await button(page, 'Save').click();
    await page.getByText(NO_RESPONSE).waitFor();
    const before = server.requests.length;
    server.publish('touchpoints');
    await expect.poll(() => server.requests.slice(before)).toContain('GET /touchpoints/kickoff');
    await page.getByText('Last changed by Ana Ng').waitFor();
    // The update has what was sent, so nothing is left to save.
    await button(page, 'Save').waitFor({ state: 'hidden' });
    expect(await page.getByText('Someone else changed').count()).toBe(0);
    expect(await page.getByRole('dialog').count()).toBe(0);
  });

  test('saves a brand that the server trimmed on the second try, without a conflict', async ({ expect, visit }) => {
    const { page, prepared: stored } = await visit({ path: '/organization/brand', prepare: serveBrand });
    await page.getByLabel('Name', { exact: true }).fill('Acme Roofing ');
    await loseNextResponse(page, '/brand');
    await button(page, 'Save').click();
    await page.getByText(NO_RESPONSE).waitFor();
    stored.now = { ...stored.now, name: stored.now.name.trim() };
    await button(page, 'Save').click();
    await page.getByText('Brand saved').waitFor();
    expect(await page.getByText('Someone else changed the brand').count()).toBe(0);
    expect(await page.getByLabel('Name', { exact: true }).inputValue()).toBe('Acme Roofing');
  });

  test('keeps the brand of someone else, and "Keep mine" overwrites only what changed here', async ({
    expect,
    visit,
  }) => {
    const { page, prepared: stored } = await visit({ path: '/organization/brand', prepare: serveBrand });
    await page.getByLabel('Name', { exact: true }).fill('Mine');
    stored.now = { ...stored.now, name: 'Theirs', license: 'CA 2', version: 2 };
    await button(page, 'Save').click();
    await page.getByText('Someone else changed the brand').waitFor();
    expect(stored.now.name).toBe('Theirs');
    await button(page, 'Keep mine').click();
    await button(page, 'Save').click();
    await page.getByText('Brand saved').waitFor();
    expect(stored.now).toMatchObject({ name: 'Mine', license: 'CA 2' });
  });
});
