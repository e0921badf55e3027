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
  declined: null,
  thumbnail_url: null,
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
  created_at: '2020-11-22T01:30:00.000Z',
  settled_at: `${new Date().getFullYear()}-08-03T19:30:00.000Z`,
  retry: { possible: false, blocked_by: null },
  request: {},
  raw: {},
  webhooks: [],
} as unknown as ConsoleEvent;

function prepare(server: FakeConsole): void {
  server.answer('GET /intros', { rows: [ROW], next: null });
  server.answer('GET /members', { members: [], next: null, counts: null });
  server.answer('GET /touchpoints', { touchpoints: [], lanes: [] });
  server.answer('GET /events/:id', EVENT);
  server.answer('GET /consent', { opted_out: null, history: [] });
}

describe.concurrent.each([['Asia/Tokyo'], ['America/Chicago']])('times in a browser in %s', (timezoneId) => {
  test('are in the time zone of the organization, and the filters name it', async ({ expect }) => {
    const browser = { timezoneId, viewport: SIZES.phone };
    const { page, errors, close } = await testConsole.visit({ role: 'manager', path: DAY, browser, prepare });
    const time = page.getByRole('list', { name: 'Intros, newest first' }).locator('time');
    expect(await time.getAttribute('title')).toBe('Saturday, November 21, 2026 at 7:30:00 PM CST');
    for (const name of ['From', 'Until']) {
      await page.getByRole('group', { name, description: /^In your organization’s time zone \(C[SD]T\)$/ }).waitFor();
    }
    expect(await findAccessibilityIssues(page)).toEqual([]);
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(SIZES.phone.width);
    expect(errors).toEqual([]);
    await close();
  });

  test('name the time zone, and the year if it is another one', async ({ expect }) => {
    const { page, close } = await testConsole.visit({
      ...{ role: 'manager', path: `/events/${EVENT.id}`, browser: { timezoneId }, prepare },
    });
    const times = page.locator('dd time');
    await times.first().waitFor();
    const shown = (await times.allTextContents()).map((text) => text.replaceAll(/\s/g, ' '));
    expect(shown).toEqual(['Sat, Nov 21, 2020, 7:30 PM CST', expect.stringMatching(/^\w+, \w+ \d+, 2:30 PM C[SD]T$/)]);
    await close();
  });

  test('are entered in the time zone of the organization', async ({ expect }) => {
    const path = '/developers/requests?since=2026-07-04T09:00&until=2026-12-04T09:00';
    const { page, server, close } = await testConsole.visit({ path, browser: { timezoneId }, prepare });
    await expect
      .poll(() => server.requests.some((request) => request.includes('since=2026-07-04T14%3A00%3A00.000Z')))
      .toBe(true);
    expect(server.requests.some((request) => request.includes('until=2026-12-04T15%3A00%3A00.000Z'))).toBe(true);
    await page.getByText('Filters (2)').waitFor();
    await close();
  });
});
