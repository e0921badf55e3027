import type { NewApiKey } from '@foreword/contract';
import { afterAll, beforeAll, describe, test } from 'vitest';
import { loseNextResponse, MEMBER, serveBrand, serveTouchpoint } from './examples.ts';
import type { FakeConsole } from './fake-console.ts';
import { TestConsole, type Visit } from './test-console.ts';

const NO_RESPONSE = 'The server did not respond. Check your connection and try again.';

let testConsole: TestConsole;
beforeAll(async () => {
  testConsole = await TestConsole.open();
});
afterAll(() => testConsole?.close());

const button = ({ page }: Visit, name: string) => page.getByRole('button', { name, exact: true });

interface Sent {
  readonly key: string;
}

async function visitBrand() {
  let stored: ReturnType<typeof serveBrand> | undefined;
  const prepare = (server: FakeConsole) => {
    stored = serveBrand(server);
  };
  const visit = await testConsole.visit({ path: '/brand', prepare });
  if (stored === undefined) throw new Error('the page did not load the brand');
  return { visit, stored };
}

describe.concurrent('a create request whose response is lost', () => {
  test('is repeated with the same key for a member; the next member gets a new key', async ({ expect }) => {
    const sent: Sent[] = [];
    const prepare = (server: FakeConsole) => {
      server.answer('GET /members', { members: [], next: null, counts: { found: 0, shared_emails: 0 } });
      server.answer('GET /members/:id', MEMBER);
      server.answer('POST /members', ({ body }) => {
        sent.push(body as Sent);
        return MEMBER;
      });
    };
    const visit = await testConsole.visit({ path: '/members', prepare });
    const { page, errors, close } = visit;
    const fill = async (email: string) => {
      await button(visit, 'Add member').first().click();
      await page.getByLabel('First name').fill('Lou');
      await page.getByLabel('Last name').fill('Ost');
      await page.getByLabel('Email').first().fill(email);
    };
    await loseNextResponse(page, '/members');
    await fill('lou@acme.example');
    await page.getByRole('dialog').getByRole('button', { name: 'Add member' }).click();
    await page.getByText(NO_RESPONSE).waitFor();
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
    expect(errors).toEqual([]);
    await close();
  });

  test('is repeated with the same key for an API key; another API key with the same name gets a new key', async ({
    expect,
  }) => {
    const sent: Sent[] = [];
    const prepare = (server: FakeConsole) => {
      server.answer('GET /keys', { keys: [] });
      server.answer('POST /keys', ({ body }) => {
        sent.push(body as Sent);
        const details = { id: `key_${sent.length}`, name: 'CRM', ending: '0000', created_at: MEMBER.created_at };
        const key: NewApiKey['key'] = {
          ...details,
          ...{ last_used_at: null, revoked_at: null, expires_at: null, allowed_ips: [] },
          ...{ scope: 'full', recording_links: false, agent_writes: false },
        };
        return { key, secret: `fw_test_${sent.length}` };
      });
    };
    const visit = await testConsole.visit({ path: '/developers/keys', prepare });
    const { page, close } = visit;
    await loseNextResponse(page, '/keys');
    const createKey = async () => {
      await button(visit, 'Create key').first().click();
      await page.getByLabel('Name', { exact: true }).fill('CRM');
      await page.keyboard.press('Enter');
    };
    await createKey();
    await page.getByText(NO_RESPONSE).waitFor();
    await page.keyboard.press('Enter');
    await page.getByText('fw_test_2').waitFor();
    await button(visit, 'I’ve copied it').click();
    await createKey();
    await page.getByText('fw_test_3').waitFor();
    const [first, second, third] = sent.map(({ key }) => key);
    expect(second).toBe(first);
    expect(third).not.toBe(first);
    await close();
  });

  test('is repeated with the same key for a webhook endpoint and for a secret rotation', async ({ expect }) => {
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
    const respond = ({ body }: { body: unknown }) => {
      sent.push(body as Sent);
      return { ...endpoint, secret: 'whsec_shown' };
    };
    const prepare = (server: FakeConsole) => {
      server.answer('GET /webhooks', () => ({ endpoints: [endpoint], events: [], limit: 10 }));
      server.answer('GET /webhooks/:id', () => ({
        endpoint,
        events: [],
        backlog: { waiting: 0, given_up: 0, limit: 100 },
      }));
      server.answer('GET /webhooks/:id/attempts', { attempts: [], has_more: false });
      server.answer('POST /webhooks', respond);
      server.answer('POST /webhooks/:id/rotate-secret', respond);
    };
    const visit = await testConsole.visit({ path: '/developers/webhooks', prepare });
    const { page, close } = visit;
    await loseNextResponse(page, '/webhooks');
    await button(visit, 'Add webhook').first().click();
    await page.getByLabel('Endpoint URL').fill(endpoint.url);
    await page.keyboard.press('Enter');
    await page.getByText(NO_RESPONSE).waitFor();
    await page.keyboard.press('Enter');
    await page.getByText('whsec_shown').waitFor();
    await button(visit, 'I’ve copied it').click();
    expect(sent[1]).toEqual(sent[0]);

    await page.getByRole('link', { name: endpoint.url }).click();
    await loseNextResponse(page, '/webhooks/*/rotate-secret');
    await button(visit, 'Rotate secret').click();
    const question = page.getByRole('alertdialog');
    await question.getByRole('button', { name: 'Rotate secret' }).click();
    await question.getByText(NO_RESPONSE).waitFor();
    await question.getByRole('button', { name: 'Rotate secret' }).click();
    await page.getByText('whsec_shown').waitFor();
    expect(sent).toHaveLength(4);
    expect(sent[3]).toEqual(sent[2]);
    expect(sent[2]?.key).not.toBe(sent[0]?.key);
    await close();
  });
});

describe.concurrent('an edit whose response is lost', () => {
  test('saves a touchpoint on the second try, and reports no conflict', async ({ expect }) => {
    const visit = await testConsole.visit({ path: '/touchpoints/kickoff', prepare: serveTouchpoint });
    const { page, server, close } = visit;
    await button(visit, 'Rename').click();
    await page.getByLabel('Name', { exact: true }).fill('Kickoff call');
    await loseNextResponse(page, '/touchpoints/kickoff');
    await button(visit, 'Save').click();
    await page.getByText(NO_RESPONSE).waitFor();
    const before = server.requests.length;
    server.publish('touchpoints');
    await expect.poll(() => server.requests.slice(before)).toContain('GET /touchpoints/kickoff');
    await page.getByText('Last changed by Ana Ng').waitFor();
    expect(await page.getByText('saved another version').count()).toBe(0);
    await button(visit, 'Save').click();
    await page.getByText('Saved. Your changes are live.').waitFor();
    await button(visit, 'Save').waitFor({ state: 'hidden' });
    expect(await page.getByRole('dialog').count()).toBe(0);
    await close();
  });

  test('still reports a conflict if someone else changed the touchpoint', async () => {
    let stored: ReturnType<typeof serveTouchpoint> | undefined;
    const prepare = (server: FakeConsole) => {
      stored = serveTouchpoint(server);
    };
    const visit = await testConsole.visit({ path: '/touchpoints/kickoff', prepare });
    const { page, close } = visit;
    await button(visit, 'Rename').click();
    await page.getByLabel('Name', { exact: true }).fill('Kickoff call');
    if (stored !== undefined) stored.now = { ...stored.now, name: 'Theirs', version: 2 };
    await button(visit, 'Save').click();
    await page.getByRole('dialog', { name: 'Two versions' }).waitFor();
    await close();
  });

  test('saves the brand on the second try although the server trimmed it, and reports no conflict', async ({
    expect,
  }) => {
    const { visit, stored } = await visitBrand();
    const { page, close } = visit;
    await page.getByLabel('Name', { exact: true }).fill('Acme Roofing ');
    await loseNextResponse(page, '/brand');
    await button(visit, 'Save').click();
    await page.getByText(NO_RESPONSE).waitFor();
    stored.now = { ...stored.now, name: stored.now.name.trim() };
    await button(visit, 'Save').click();
    await page.getByText('Brand saved').waitFor();
    expect(await page.getByText('Someone else changed the brand').count()).toBe(0);
    expect(await page.getByLabel('Name', { exact: true }).inputValue()).toBe('Acme Roofing');
    await close();
  });

  test('does not overwrite a brand that someone else changed, and "Keep mine" overwrites only the fields changed here', async ({
    expect,
  }) => {
    const { visit, stored } = await visitBrand();
    const { page, close } = visit;
    await page.getByLabel('Name', { exact: true }).fill('Mine');
    stored.now = { ...stored.now, name: 'Theirs', license: 'CA 2', version: 2 };
    await button(visit, 'Save').click();
    await page.getByText('Someone else changed the brand').waitFor();
    expect(stored.now.name).toBe('Theirs');
    await button(visit, 'Keep mine').click();
    await button(visit, 'Save').click();
    await page.getByText('Brand saved').waitFor();
    expect(stored.now).toMatchObject({ name: 'Mine', license: 'CA 2' });
    await close();
  });
});
