import type { NewApiKey } from '@foreword/contract';
import { afterAll, beforeAll, describe, test } from 'vitest';
import { Desk, type Visit } from './desk.ts';
import { keepBrand, keepTouchpoint, loseNextAnswer, MEMBER } from './examples.ts';
import type { FakeConsole } from './fake-console.ts';

const NO_ANSWER = 'The server did not respond. Check your connection and try again.';

let desk: Desk;
beforeAll(async () => {
  desk = await Desk.open();
});
afterAll(() => desk?.close());

const button = ({ page }: Visit, name: string) => page.getByRole('button', { name, exact: true });

interface Told {
  readonly key: string;
}

describe.concurrent('what is made, when its answer gets lost', () => {
  test('a member is sent again under the same key, and another one under another', async ({ expect }) => {
    const told: Told[] = [];
    const prepare = (server: FakeConsole) => {
      server.answer('GET /members', { members: [], next: null, counts: { found: 0, shared_emails: 0 } });
      server.answer('GET /members/:id', MEMBER);
      server.answer('POST /members', ({ body }) => {
        told.push(body as Told);
        return MEMBER;
      });
    };
    const visit = await desk.visit({ path: '/members', prepare });
    const { page, complaints, close } = visit;
    const fill = async (email: string) => {
      await button(visit, 'Add member').first().click();
      await page.getByLabel('First name').fill('Lou');
      await page.getByLabel('Last name').fill('Ost');
      await page.getByLabel('Email').first().fill(email);
    };
    await loseNextAnswer(page, '/members');
    await fill('lou@acme.example');
    await page.getByRole('dialog').getByRole('button', { name: 'Add member' }).click();
    await page.getByText(NO_ANSWER).waitFor();
    await page.getByRole('dialog').getByRole('button', { name: 'Add member' }).click();
    await page.getByText('Lou Ost was added.').waitFor();
    expect(told).toHaveLength(2);
    expect(told[1]).toEqual(told[0]);
    expect(told[0]?.key).toMatch(/^[0-9a-f]{32}$/);
    await page.getByRole('link', { name: 'Members', exact: true }).first().click();
    await fill('lou@acme.example');
    await page.getByRole('dialog').getByRole('button', { name: 'Add member' }).click();
    await expect.poll(() => told.length).toBe(3);
    expect(told[2]?.key).not.toBe(told[0]?.key);
    expect(complaints).toEqual([]);
    await close();
  });

  test('a key is sent again under the same key of the page, shown once, and another of that name is another', async ({
    expect,
  }) => {
    const told: Told[] = [];
    const prepare = (server: FakeConsole) => {
      server.answer('GET /keys', { keys: [] });
      server.answer('POST /keys', ({ body }) => {
        told.push(body as Told);
        const facts = { id: `key_${told.length}`, name: 'CRM', ending: '0000', created_at: MEMBER.created_at };
        const key: NewApiKey['key'] = { ...facts, last_used_at: null, revoked_at: null };
        return { key, secret: `fw_test_${told.length}` };
      });
    };
    const visit = await desk.visit({ path: '/developers/keys', prepare });
    const { page, close } = visit;
    await loseNextAnswer(page, '/keys');
    const ask = async () => {
      await button(visit, 'Create key').first().click();
      await page.getByLabel('Name', { exact: true }).fill('CRM');
      await page.keyboard.press('Enter');
    };
    await ask();
    await page.getByText(NO_ANSWER).waitFor();
    await page.keyboard.press('Enter');
    await page.getByText('fw_test_2').waitFor();
    await button(visit, 'I’ve copied it').click();
    await ask();
    await page.getByText('fw_test_3').waitFor();
    const [first, second, third] = told.map(({ key }) => key);
    expect(second).toBe(first);
    expect(third).not.toBe(first);
    await close();
  });

  test('a webhook endpoint and a rotation are sent again under the same key', async ({ expect }) => {
    const told: Told[] = [];
    const endpoint = {
      id: 'whk_01kahzv8e1f0rtx5m2q6n9d3bw',
      object: 'webhook_endpoint',
      url: 'https://crm.acme.example/hook',
      events: ['*'],
      active: true,
      disabled_reason: null,
      failing_since: null,
      created_at: MEMBER.created_at,
    } as const;
    const tell = ({ body }: { body: unknown }) => {
      told.push(body as Told);
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
      server.answer('POST /webhooks', tell);
      server.answer('POST /webhooks/:id/rotate-secret', tell);
    };
    const visit = await desk.visit({ path: '/developers/webhooks', prepare });
    const { page, close } = visit;
    await loseNextAnswer(page, '/webhooks');
    await button(visit, 'Add webhook').first().click();
    await page.getByLabel('Endpoint URL').fill(endpoint.url);
    await page.keyboard.press('Enter');
    await page.getByText(NO_ANSWER).waitFor();
    await page.keyboard.press('Enter');
    await page.getByText('whsec_shown').waitFor();
    await button(visit, 'I’ve copied it').click();
    expect(told[1]).toEqual(told[0]);

    await page.getByRole('link', { name: endpoint.url }).click();
    await loseNextAnswer(page, '/webhooks/*/rotate-secret');
    await button(visit, 'Rotate secret').click();
    const question = page.getByRole('alertdialog');
    await question.getByRole('button', { name: 'Rotate secret' }).click();
    await question.getByText(NO_ANSWER).waitFor();
    await question.getByRole('button', { name: 'Rotate secret' }).click();
    await page.getByText('whsec_shown').waitFor();
    expect(told).toHaveLength(4);
    expect(told[3]).toEqual(told[2]);
    expect(told[2]?.key).not.toBe(told[0]?.key);
    await close();
  });
});

describe.concurrent('what is saved, when its answer gets lost', () => {
  test('a touchpoint is saved when it is pressed again, and nobody is blamed', async ({ expect }) => {
    const visit = await desk.visit({ path: '/touchpoints/kickoff', prepare: keepTouchpoint });
    const { page, server, close } = visit;
    await page.getByLabel('Name', { exact: true }).fill('Kickoff call');
    await loseNextAnswer(page, '/touchpoints/kickoff');
    await button(visit, 'Save').click();
    await page.getByText(NO_ANSWER).waitFor();
    const before = server.asked.length;
    server.tell('touchpoints');
    await expect.poll(() => server.asked.slice(before)).toContain('GET /touchpoints/kickoff');
    await page.getByText('Last changed by Ana Ng').waitFor();
    expect(await page.getByText('saved another version').count()).toBe(0);
    await button(visit, 'Save').click();
    await page.getByText('Saved. Your changes are live.').waitFor();
    await button(visit, 'Save').waitFor({ state: 'hidden' });
    expect(await page.getByRole('dialog').count()).toBe(0);
    await close();
  });

  test('a touchpoint that somebody else changed to something else is still shown as two versions', async () => {
    let kept: ReturnType<typeof keepTouchpoint> | undefined;
    const prepare = (server: FakeConsole) => {
      kept = keepTouchpoint(server);
    };
    const visit = await desk.visit({ path: '/touchpoints/kickoff', prepare });
    const { page, close } = visit;
    await page.getByLabel('Name', { exact: true }).fill('Kickoff call');
    if (kept !== undefined) kept.now = { ...kept.now, name: 'Theirs', version: 2 };
    await button(visit, 'Save').click();
    await page.getByRole('dialog', { name: 'Two versions' }).waitFor();
    await close();
  });

  test('a brand is saved when it is pressed again, however the server tidied it, and nobody is blamed', async ({
    expect,
  }) => {
    let kept: ReturnType<typeof keepBrand> | undefined;
    const prepare = (server: FakeConsole) => {
      kept = keepBrand(server);
    };
    const visit = await desk.visit({ path: '/brand', prepare });
    const { page, close } = visit;
    await page.getByLabel('Name', { exact: true }).fill('Acme Roofing ');
    await loseNextAnswer(page, '/brand');
    await button(visit, 'Save').click();
    await page.getByText(NO_ANSWER).waitFor();
    if (kept !== undefined) kept.now = { ...kept.now, name: kept.now.name.trim() };
    await button(visit, 'Save').click();
    await page.getByText('Brand saved').waitFor();
    expect(await page.getByText('Someone else changed the brand').count()).toBe(0);
    expect(await page.getByLabel('Name', { exact: true }).inputValue()).toBe('Acme Roofing');
    await close();
  });

  test('a brand that somebody else changed to something else is not written over', async ({ expect }) => {
    let kept: ReturnType<typeof keepBrand> | undefined;
    const prepare = (server: FakeConsole) => {
      kept = keepBrand(server);
    };
    const visit = await desk.visit({ path: '/brand', prepare });
    const { page, close } = visit;
    await page.getByLabel('Name', { exact: true }).fill('Mine');
    if (kept !== undefined) kept.now = { ...kept.now, name: 'Theirs', version: 2 };
    await button(visit, 'Save').click();
    await page.getByText('Someone else changed the brand').waitFor();
    expect(kept?.now.name).toBe('Theirs');
    await close();
  });
});
