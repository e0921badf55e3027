import type { ConsoleEvent, ConsoleIntroRow } from '@foreword/contract';
import { afterAll, beforeAll, describe, test } from 'vitest';
import type { FakeConsole } from './fake-console.ts';
import { findAccessibilityIssues, SIZES, TestConsole } from './test-console.ts';

let testConsole: TestConsole;
beforeAll(async () => {
  testConsole = await TestConsole.open();
});
afterAll(() => testConsole?.close());

/** Late on November 21 in Chicago, the organization's time zone; already November 22 in Tokyo. */
const AT = '2026-11-22T01:30:00.000Z';
const DAY = '/intros?from=2026-11-21&to=2026-11-21';

const ROW: ConsoleIntroRow = {
  id: 'int_01kahzv8e1f0rtx5m2q6n9d3bw',
  status: 'requested',
  responsibility: 'service',
  touchpoint: null,
  member: { id: 'mem_01kahzv8e1f0rtx5m2q6n9d3bw', first_name: 'Ana', last_name: 'Ng' },
  recipient: { first_name: 'Dana', last_name: null, phone: '+14155550123' },
  reference_id: null,
  created_at: AT,
  recorded_at: null,
  expires_at: null,
  sent_at: null,
  opened_at: null,
  watched_percent: 0,
  delivery_error: null,
  cancelled_at: null,
};

const EVENT = {
  id: 'evt_01kahzv8e1f0rtx5m2q6n9d3bw',
  status: 'processed',
  touchpoint: { slug: 'hello', name: 'Hello' },
  member: ROW.member,
  recipient: ROW.recipient,
  reference_id: null,
  intro_id: null,
  error: null,
  created_at: AT,
  settled_at: AT,
  request: {},
  raw: {},
  webhooks: [],
} as unknown as ConsoleEvent;

function prepare(server: FakeConsole): void {
  server.answer('GET /intros', { rows: [ROW], next: null });
  server.answer('GET /members', { members: [], next: null, counts: null });
  server.answer('GET /touchpoints', { touchpoints: [], lanes: [] });
  server.answer('GET /events/:id', EVENT);
}

const HINT = 'Your organization’s time zone: Chicago, America';

describe.concurrent('days of intros', () => {
  test('use the time zone of the organization, and the filters say so in another time zone', async ({ expect }) => {
    const browser = { timezoneId: 'Asia/Tokyo', viewport: SIZES.phone };
    const { page, errors, close } = await testConsole.visit({ role: 'manager', path: DAY, browser, prepare });
    const time = page.getByRole('list', { name: 'Intros, newest first' }).locator('time');
    expect(await time.getAttribute('title')).toBe('Saturday, November 21, 2026 at 7:30:00 PM CST');
    for (const name of ['From', 'Until']) {
      await page.getByRole('group', { name, description: HINT }).waitFor();
    }
    expect(await findAccessibilityIssues(page)).toEqual([]);
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(SIZES.phone.width);
    expect(errors).toEqual([]);
    await close();
  });

  test('name the time zone in another time zone', async ({ expect }) => {
    const browser = { timezoneId: 'Asia/Tokyo' };
    const { page, close } = await testConsole.visit({ role: 'manager', path: `/events/${EVENT.id}`, browser, prepare });
    const times = page.locator('dd time');
    await times.first().waitFor();
    expect(await times.allTextContents()).toEqual(Array(2).fill('Nov 21, 2026, 7:30 PM CST'));
    await close();
  });

  test('name no time zone in the same time zone', async ({ expect }) => {
    const browser = { timezoneId: 'America/Chicago' };
    const { page, close } = await testConsole.visit({ role: 'manager', path: DAY, browser, prepare });
    await page.getByRole('group', { name: 'From' }).waitFor();
    expect(await page.getByText(HINT).count()).toBe(0);
    await page.goto(new URL(`/console/events/${EVENT.id}`, page.url()).href);
    const times = page.locator('dd time');
    await times.first().waitFor();
    expect(await times.allTextContents()).toEqual(Array(2).fill('Nov 21, 2026, 7:30 PM'));
    await close();
  });
});
