import type { ConsoleEvent } from '@foreword/contract';
import type { Page } from 'playwright-core';
import { describe, expect } from 'vitest';
import { findViolations } from '../../../server/test/browser/accessibility.ts';
import type { FakeConsole } from './fake-console.ts';
import { expectFits, SIZES, test } from './test-console.ts';

type Code = NonNullable<ConsoleEvent['error']>['code'];

function failedEvent(code: Code, retry: ConsoleEvent['retry']): ConsoleEvent {
  return {
    id: 'evt_01kahzv8e1f0rtx5m2q6n9d3bw',
    status: 'failed',
    touchpoint: { slug: 'hello', name: 'Hello' },
    member: { id: 'mem_01kahzv8e1f0rtx5m2q6n9d3bw', first_name: 'Ana', last_name: 'Ng' },
    recipient: { first_name: 'Dana', last_name: null, phone: '+14155550123' },
    reference_id: null,
    intro_id: null,
    error: { code, message: 'No intro.' },
    retry,
    created_at: '2026-11-22T01:30:00.000Z',
    settled_at: '2026-11-22T01:30:00.000Z',
    request: {},
    raw: {},
    webhooks: [],
  } as unknown as ConsoleEvent;
}

const blockedBy = (code: Code) => failedEvent(code, { possible: false, blocked_by: code });

const serve = (event: ConsoleEvent) => (server: FakeConsole) => {
  server.answer('GET /events', { rows: [event], next: null });
  server.answer('GET /events/{id}', event);
  server.answer('GET /members', { members: [], next: null, counts: null });
  server.answer('GET /touchpoints', { touchpoints: [], lanes: [] });
  server.answer('GET /intro-counts', {
    intros: { problems: 0, requested: 0, ready: 0 },
    events: { accepted: 0, failed: 1 },
  });
  server.answer('GET /intros', { rows: [], next: null });
  server.answer('GET /consent', { opted_out: null, history: [] });
};

const header = (page: Page) => page.locator('.page-header');
const nameOfMainAction = async (page: Page) => (await header(page).locator('.button').allTextContents()).join();

describe('a failed event', () => {
  test('offers Retry only once its cause is fixed', async ({ visit }) => {
    const path = '/events/evt_01kahzv8e1f0rtx5m2q6n9d3bw';
    const { page, server } = await visit({ role: 'manager', path, prepare: serve(blockedBy('recipient_opted_out')) });
    for (const [code, action] of [
      ['recipient_opted_out', ''],
      ['member_not_found', 'Open member'],
      ['touchpoint_not_found', 'Open touchpoint'],
      ['template_invalid', 'Open touchpoint'],
    ] as const) {
      server.answer('GET /events/{id}', blockedBy(code));
      await page.reload();
      await page.getByText('No intro was created').waitFor();
      expect(await nameOfMainAction(page)).toBe(action);
      expect(await page.getByRole('button', { name: 'Retry' }).count()).toBe(0);
      expect(await findViolations(page)).toEqual([]);
    }
    server.answer('GET /events/{id}', failedEvent('touchpoint_not_found', { possible: true, blocked_by: null }));
    await page.reload();
    await page.getByText('The touchpoint is on now.').waitFor();
    expect(await nameOfMainAction(page)).toBe('Retry');
  });

  test('shows its reason in the list on a phone and on a desktop', async ({ visit }) => {
    const prepare = serve(blockedBy('recipient_opted_out'));
    const { page } = await visit({ role: 'manager', path: '/events', prepare });
    for (const viewport of Object.values(SIZES)) {
      await page.setViewportSize(viewport);
      await page.getByRole('link', { name: /Dana.*Failed\s*Recipient opted out/ }).waitFor();
    }
    await expectFits(page);
  });
});

test('the tabs and filters above the list mark one tab', async ({ visit }) => {
  const { page, server } = await visit({ role: 'manager', prepare: serve(blockedBy('recipient_opted_out')) });
  for (const [path, name] of [
    ['/intros?delivery=sent%2Cdelivered&q=Dana', 'Sent'],
    ['/intros?problem=any', 'Problems'],
    ['/events', 'All'],
    ['/events?status=failed', 'Failed'],
  ] as const) {
    await page.goto(`${server.origin}/console${path}`);
    await page.getByRole('navigation', { name: 'Status' }).waitFor();
    const current = page.getByRole('navigation', { name: 'Status' }).locator('[aria-current]');
    expect((await current.allTextContents()).map((text) => text.replace(/\s*\d+$/, ''))).toEqual([name]);
    const menu = page.getByRole('navigation', { name: 'Main' }).locator('[aria-current]');
    expect(await menu.allTextContents()).toEqual(['Intros']);
  }
});

test('the tabs show counts only of the lists that they open', async ({ visit }) => {
  const { page, server } = await visit({ role: 'manager', prepare: serve(blockedBy('recipient_opted_out')) });
  const failed = page.getByRole('navigation', { name: 'Status' }).getByRole('link', { name: /^Failed/ });
  for (const [path, text] of [
    ['/events', 'Failed 1'],
    ['/events?member=mem_1', 'Failed 1'],
    ['/events?touchpoint=on_my_way', 'Failed'],
    ['/events?q=Dana', 'Failed'],
  ] as const) {
    await page.goto(`${server.origin}/console${path}`);
    await page.getByRole('link', { name: /Dana.*Failed/ }).waitFor();
    await expect.poll(() => failed.textContent()).toBe(text);
  }
});

describe('a recipient who opted out', () => {
  const path = '/events/evt_01kahzv8e1f0rtx5m2q6n9d3bw';
  const optOut = (source: 'page' | 'text') => ({
    opted_out: { source, at: '2026-03-03T20:30:00.000Z', can_be_undone: source === 'page' },
    history: [{ kind: 'opt_out' as const, source, said: null, by: null, at: '2026-03-03T20:30:00.000Z' }],
  });
  const optIn = {
    ...{ kind: 'opt_in', source: 'team', said: 'Dana, on the phone' },
    by: { id: 'mem_1', first_name: 'Olive', last_name: 'Brandt' },
    at: '2026-03-04T20:30:00.000Z',
  };

  test('by mistake can be allowed again', async ({ visit }) => {
    const bodies: unknown[] = [];
    const { page } = await visit({
      ...{ role: 'manager', path, browser: { viewport: SIZES.phone } },
      prepare(server) {
        serve(blockedBy('recipient_opted_out'))(server);
        let consent: object = optOut('page');
        server.answer('GET /consent', () => consent);
        server.answer('POST /v1/recipients/opt_in', ({ body }) => {
          bodies.push(body);
          consent = { opted_out: null, history: [optIn, ...optOut('page').history] };
          return {};
        });
      },
    });
    await page.getByRole('button', { name: 'Allow texts again' }).click();
    const dialog = page.getByRole('dialog', { name: 'Allow texts to Dana again?' });
    await dialog.getByRole('button', { name: 'Allow texts' }).click();
    await dialog.getByText('Enter who asked for texts again.').waitFor();
    expect(await findViolations(page)).toEqual([]);
    await dialog.getByLabel('Who asked, and how?').fill('Dana, on the phone');
    await dialog.getByRole('button', { name: 'Allow texts' }).click();
    await page.getByText('Dana can be texted again.').waitFor();
    // It fades out, which lowers its contrast.
    await dialog.waitFor({ state: 'detached' });
    const history = page.getByRole('region', { name: 'Consent to texts' });
    await history.getByText('Texts allowed again').waitFor();
    await history.getByText('by Olive Brandt · “Dana, on the phone”').waitFor();
    expect(bodies).toEqual([{ phone: '+14155550123', reason: 'Dana, on the phone' }]);
    await expectFits(page);
  });

  test('with STOP is explained, and cannot be allowed by the team', async ({ visit }) => {
    const prepare = (server: FakeConsole) => {
      serve(blockedBy('recipient_opted_out'))(server);
      server.answer('GET /consent', optOut('text'));
    };
    const { page } = await visit({ role: 'manager', path, prepare });
    await page.getByText('Carriers block texts until Dana replies START.').waitFor();
    expect(await page.getByRole('button', { name: 'Allow texts again' }).count()).toBe(0);
    expect(await findViolations(page)).toEqual([]);
  });
});
