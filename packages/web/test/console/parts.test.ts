import type { TeamMember, WebhookAttempt } from '@foreword/contract';
import { describe } from 'vitest';
import { findViolations } from '../../../server/test/browser/accessibility.ts';
import { serveSettings } from './editable-data.ts';
import { MEMBER, serveTouchpoint } from './examples.ts';
import { type FakeConsole, Refusal } from './fake-console.ts';
import { SIZES, test } from './test-console.ts';

const MANY = Array.from(
  { length: 5_000 },
  (_, at): TeamMember => ({ ...MEMBER, id: `mem_${at}`, last_name: `Number ${at + 1}` }),
);

const serveMembers = (server: FakeConsole, members: TeamMember[] = MANY) =>
  server.answer('GET /members', { members, next: null, counts: { found: members.length, shared_emails: 0 } });

/** The labels of buttons that a toast covers. */
const COVERED = `[...document.querySelectorAll('button, [role="button"]')]
  .filter((control) => control.closest('.toasts') === null)
  .filter((control) => [...document.querySelectorAll('.toast')].some((toast) => {
    const [a, b] = [control.getBoundingClientRect(), toast.getBoundingClientRect()];
    return a.width > 0 && a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom;
  }))
  .map((control) => control.ariaLabel ?? control.textContent)`;

describe.concurrent('a list', () => {
  test('has thousands of rows, of which the browser renders those near the window', async ({ expect, visit }) => {
    const { page } = await visit({ path: '/members', prepare: serveMembers });
    const rows = page.getByRole('main').getByRole('listitem');
    await rows.first().waitFor();
    expect(await rows.count()).toBe(MANY.length);
    const isRendered = () =>
      page
        .getByText('Lou Number 5000', { exact: true })
        .evaluate((name) => name.checkVisibility({ contentVisibilityAuto: true }));
    expect(await isRendered()).toBe(false);
    await rows.last().scrollIntoViewIfNeeded();
    await expect.poll(isRendered).toBe(true);
  });

  test('is searched with one request for text typed without a pause', async ({ expect, visit }) => {
    const { page, server } = await visit({ path: '/members', prepare: (fake) => serveMembers(fake, [MEMBER]) });
    await page.getByText('Lou Ost').first().waitFor();
    // Stops the page's clock while typing, so that a slow machine does not matter.
    await page.clock.install();
    await page.clock.pauseAt(4_102_444_800_000);
    await page.getByRole('searchbox').pressSequentially('dana');
    await page.clock.runFor(300);
    const searches = () => server.requests.filter((request) => request.includes('q='));
    await expect.poll(() => searches().length).toBeGreaterThan(0);
    expect(searches()).toEqual([expect.stringContaining('q=dana')]);
  });

  test('is fetched again after updates of its topic only, and not for each of many', async ({ expect, visit }) => {
    const { page, server } = await visit({ path: '/members', prepare: (fake) => serveMembers(fake, [MEMBER]) });
    await page.getByText('Lou Ost').first().waitFor();
    await expect.poll(() => server.listeners).toBe(1);
    const fetches = () => server.requests.filter((request) => request.startsWith('GET /members')).length;
    const before = fetches();
    server.publish('webhooks');
    serveMembers(server, [{ ...MEMBER, first_name: 'Louisa' }]);
    await page.waitForTimeout(1_000);
    expect(fetches()).toBe(before);
    for (let times = 0; times < 20; times += 1) server.publish('members');
    await page.getByText('Louisa Ost').first().waitFor();
    expect(fetches() - before).toBeLessThan(5);
  });
});

describe.concurrent('a message about a failure', () => {
  test('is announced once, covers no button on a phone and a desktop, and can be dismissed', async ({
    expect,
    visit,
  }) => {
    const { page } = await visit({
      role: 'member',
      path: '/account',
      browser: { viewport: SIZES.phone },
      prepare(server) {
        serveSettings(server);
        server.answer('POST /sessions/revoke-others', new Refusal(503, { code: 'unavailable', message: 'Busy.' }));
        const others = ['This one', 'Phone', 'Laptop'].map((device, at) => ({
          ...{ id: `ses_${at}`, device, is_this: at === 0, last_seen_at: MEMBER.created_at },
        }));
        server.answer('GET /sessions', { sessions: others });
      },
    });
    const signOut = page.getByRole('button', { name: 'Sign out everywhere else' });
    for (let times = 0; times < 3; times += 1) await signOut.click();
    await page.locator('[aria-live]').getByText('Busy.').waitFor();
    expect(await page.locator('.toast').count()).toBe(1);
    expect(await findViolations(page)).toEqual([]);
    await page.mouse.move(0, 0);
    for (const viewport of Object.values(SIZES)) {
      await page.setViewportSize(viewport);
      for (let top = 0; top < 2_000; top += 400) {
        await page.evaluate(`scrollTo(0, ${top})`);
        await expect.poll(() => page.evaluate(COVERED), { message: `at ${top}` }).toEqual([]);
      }
    }
    await page.getByRole('button', { name: 'Dismiss' }).click();
    await expect.poll(() => page.getByRole('button', { name: 'Dismiss' }).count()).toBe(0);
  });
});

const ATTEMPT: WebhookAttempt = {
  ...{ id: 'att_1', object: 'webhook_attempt', message: 'msg_1', type: 'intro.ready', succeeded: false, status: 500 },
  ...{ error: 'Responded with 500.', duration_ms: 20, answer: 'No.\n'.repeat(60), next_attempt_at: null },
  ...{ environment: 'test', created_at: MEMBER.created_at },
};

test('a dialog without fields opens at its title on a phone, although it has buttons between its texts', async ({
  expect,
  visit,
}) => {
  const { page } = await visit({
    path: '/developers/webhooks/whk_1',
    browser: { viewport: SIZES.phone },
    prepare(server) {
      const state = { active: true, disabled_reason: null, failing_since: null };
      const endpoint = { id: 'whk_1', url: 'https://crm.example', description: null, events: ['*'], ...state };
      const backlog = { waiting: 0, retrying: 0, given_up: 1, failed_since: '2026-03-01T09:00:00.000Z', limit: 1_000 };
      server.answer('GET /webhooks/{id}', () => ({
        events: [],
        backlog,
        endpoint: { ...endpoint, created_at: MEMBER.created_at },
      }));
      server.answer('GET /v1/webhook_endpoints/{id}/attempts', { object: 'list', data: [ATTEMPT], has_more: false });
      server.answer('GET /v1/webhook_messages/{id}', () => ({ payload: '{}' }));
    },
  });
  await page.getByRole('button', { name: /intro\.ready/ }).click();
  const dialog = page.getByRole('dialog', { name: 'intro.ready' });
  await dialog.getByRole('region', { name: 'Response (first KB)' }).waitFor();
  await expect.poll(() => page.evaluate('document.activeElement.textContent')).toBe('Resend');
  expect(await dialog.evaluate((element) => element.scrollTop)).toBe(0);
  await page.keyboard.press('Escape');
  // The oldest failed message is older than a day.
  await page.getByRole('button', { name: 'Resend failed messages' }).click();
  await expect.poll(() => page.getByLabel('From').inputValue()).toBe('2026-03-01T03:00');
});

const LINK = 'https://go.acme.example/i/xxxxxxxxxxxx';
const BODY = `Zoë, Jane’s video is ready. Reply STOP to opt out. ${LINK}`;

test('a phone shows the size of a text with its cost and the characters behind it', async ({ expect, visit }) => {
  const { page } = await visit({
    path: '/touchpoints/kickoff',
    browser: { viewport: SIZES.phone, hasTouch: true },
    prepare(server) {
      serveTouchpoint(server);
      const names = { people: 'typical', recipient: 'Sarah', member: 'Jane' } as const;
      server.answer('POST /touchpoint-preview', {
        ...{ problems: [], warnings: [], max_words: 37, segment_price: { amount: 0.0083, currency: 'USD' } },
        renderings: [
          { ...names, page_title: null, page_path: null, script: 'Hi', words: 1, seconds: 1, text: { body: BODY } },
        ],
      });
    },
  });
  const shown = page.getByRole('figure', { name: 'Preview of the text' });
  await shown.getByText('2 segments, 89 characters (UCS-2). About $0.0166 per recipient.').waitFor();
  await shown.getByText('Not in the standard text alphabet: ë ’ Each segment holds 67 characters').waitFor();
  expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(SIZES.phone.width);
  expect(await findViolations(page)).toEqual([]);
});
