import type { ConsoleIntroRow } from '@foreword/contract';
import { findViolations } from '../../../server/test/browser/accessibility.ts';
import { type FakeConsole, Refusal } from './fake-console.ts';
import { INTRO_ROW } from './overview-data.ts';
import { SIZES, test } from './test-console.ts';

const ROWS = Array.from({ length: 14 }, (_, n): ConsoleIntroRow => {
  const recipient = { first_name: `Dana ${n}`, last_name: null, phone: '+14155550123' };
  return { ...INTRO_ROW, id: `int_01kahzv8e1f0rtx5m2q6n9d${String(100 + n)}`, recipient };
});

test('an action that fails on the way keeps its results, and continues with the rest', async ({ expect, visit }) => {
  const sent: string[][] = [];
  let fails = true;
  const prepare = (server: FakeConsole) => {
    server.answer('GET /intros', { rows: ROWS, next: null });
    server.answer('GET /intro-counts', {
      intros: { problems: 0, requested: 14, ready: 0 },
      events: { accepted: 0, failed: 0 },
    });
    server.answer('POST /intros/bulk', ({ body }) => {
      const { ids } = body as { ids: string[] };
      sent.push(ids);
      if (sent.length === 2 && fails)
        return new Refusal(503, { code: 'unavailable', message: 'Try again in a moment.' });
      return { results: ids.map((id) => ({ id, outcome: 'done', reason: null })) };
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
  await page.getByText('10 intros cancelled.').waitFor();
  await page.getByText('4 intros not changed yet.').waitFor();
  await page.getByText('Try again in a moment.').waitFor();
  expect(await page.getByText('10 of 14').count()).toBe(1);
  expect(await findViolations(page)).toEqual([]);
  fails = false;
  await page.getByRole('button', { name: 'Continue with 4' }).click();
  await page.getByText('14 intros cancelled.').waitFor();
  expect(sent.map((ids) => ids.length)).toEqual([10, 4, 4]);
  expect(new Set(sent.flat()).size).toBe(14);
});
