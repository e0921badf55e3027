import type { ConsoleEvent, ConsoleIntroRow } from '@foreword/contract';
import { describe } from 'vitest';
import { findViolations } from '../../../server/test/browser/accessibility.ts';
import { type FakeConsole, Refusal } from './fake-console.ts';
import { INTRO_ROW } from './overview-data.ts';
import { SIZES, test } from './test-console.ts';

const ROWS = Array.from({ length: 14 }, (_, n): ConsoleIntroRow => {
  const recipient = { first_name: `Dana ${n}`, last_name: null, phone: '+14155550123' };
  return { ...INTRO_ROW, id: `int_01kahzv8e1f0rtx5m2q6n9d${String(100 + n)}`, recipient };
});

test('an action on several intros that fails on the way keeps its results, and continues with the rest', async ({
  expect,
  visit,
}) => {
  const sent: string[] = [];
  let fails = true;
  const prepare = (server: FakeConsole) => {
    server.answer('GET /intros', { rows: ROWS, next: null });
    server.answer('GET /intro-counts', {
      intros: { problems: 0, requested: 14, ready: 0 },
      events: { accepted: 0, failed: 0 },
    });
    server.answer('POST /v1/intros/{id}/cancel', ({ params: { id = '' } }) => {
      sent.push(id);
      if (id === ROWS[3]?.id) return new Refusal(409, { code: 'intro_closed', message: 'It was sent.' });
      const isLast = id === ROWS.at(-1)?.id;
      return isLast && fails ? new Refusal(503, { code: 'unavailable', message: 'Try again in a moment.' }) : {};
    });
  };
  const { page } = await visit({
    role: 'manager',
    path: '/intros',
    browser: { viewport: SIZES.phone },
    prepare,
  });
  await page.getByRole('checkbox', { name: 'Select the intro for Dana 0' }).check();
  await page.getByRole('checkbox', { name: 'Select the intro for Dana 13' }).click({ modifiers: ['Shift'] });
  await page.getByRole('button', { name: 'Cancel', exact: true }).click();
  await page.getByRole('button', { name: 'Cancel 14 intros' }).click();
  await page.getByText('12 intros cancelled.').waitFor();
  await page.getByText('Dana 3: It was sent.').waitFor();
  await page.getByText('1 intro not changed yet.').waitFor();
  await page.getByText('Try again in a moment.').waitFor();
  expect(await page.getByText('13 of 14').count()).toBe(1);
  expect(await findViolations(page)).toEqual([]);
  fails = false;
  await page.getByRole('button', { name: 'Continue with 1' }).click();
  await page.getByText('13 intros cancelled.').waitFor();
  expect(sent).toHaveLength(15);
  expect(new Set(sent).size).toBe(14);
});

test('a filter below the top of a phone starts a list of its own', async ({ expect, visit }) => {
  const prepare = (server: FakeConsole) => {
    server.answer('GET /intros', { rows: ROWS, next: null });
    server.answer('GET /touchpoints', { touchpoints: [], lanes: [] });
  };
  const browser = { viewport: { width: 390, height: 664 } };
  const { page, server } = await visit({ role: 'manager', path: '/intros', browser, prepare });
  await page.getByRole('button', { name: 'Filters' }).click();
  await page.getByText('Dana 13').waitFor();
  await page.evaluate('scrollTo(0, 320)');
  await page.getByRole('combobox', { name: 'Sort by' }).selectOption('due');
  await page.waitForURL('**/intros?sort=due');
  await expect.poll(() => server.requests.at(-1)).toMatch(/^GET \/intros\?.*sort=due/);
  expect(server.requests.at(-1)).not.toContain('after=');
  expect(await page.evaluate('scrollY')).toBe(320);
});

/** Late on November 21 in Chicago, the organization's time zone; already November 22 in Tokyo, where the browser is. */
const AT = '2026-11-22T01:30:00.000Z';
const DAY = '/intros?from=2026-11-21&to=2026-11-21';

const ROW: ConsoleIntroRow = { ...INTRO_ROW, created_at: AT };

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
  server.answer('GET /events/{id}', EVENT);
  server.answer('GET /consent', { opted_out: null, history: [] });
}

const timezoneId = 'Asia/Tokyo';

describe.concurrent('times in a browser in another time zone', () => {
  test('are in the time zone of the organization', async ({ expect, visit }) => {
    const browser = { timezoneId, viewport: SIZES.phone };
    const { page } = await visit({ role: 'manager', path: DAY, browser, prepare });
    const time = page.getByRole('list', { name: 'Intros, newest first' }).locator('time');
    expect(await time.getAttribute('title')).toBe('Saturday, November 21, 2026 at 7:30:00 PM CST');
    expect(await findViolations(page)).toEqual([]);
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(SIZES.phone.width);
  });

  test('name the time zone, and the year if it is another one', async ({ expect, visit }) => {
    const { page } = await visit({
      ...{ role: 'manager', path: `/events/${EVENT.id}`, browser: { timezoneId }, prepare },
    });
    const times = page.locator('dd time');
    await times.first().waitFor();
    const shown = (await times.allTextContents()).map((text) => text.replaceAll(/\s/g, ' '));
    expect(shown).toEqual(['Sat, Nov 21, 2020, 7:30 PM CST', expect.stringMatching(/^\w+, \w+ \d+, 2:30 PM C[SD]T$/)]);
  });

  test('are entered in the time zone of the organization', async ({ expect, visit }) => {
    const path = '/developers/requests?since=2026-07-04T09:00&until=2026-12-04T09:00';
    const { page, server } = await visit({ path, browser: { timezoneId }, prepare });
    await expect
      .poll(() => server.requests.some((request) => request.includes('since=2026-07-04T14%3A00%3A00.000Z')))
      .toBe(true);
    expect(server.requests.some((request) => request.includes('until=2026-12-04T15%3A00%3A00.000Z'))).toBe(true);
    await page.getByText('Filters (2)').waitFor();
  });
});
