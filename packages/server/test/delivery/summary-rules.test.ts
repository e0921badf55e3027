import { describe, expect, test } from 'vitest';
import { isDue, summaryWeek } from '../../src/delivery/weekly-summary.ts';

const HOUR = 3_600_000;

describe('the week of a summary', () => {
  test.each([
    ['America/Chicago', '2026-03-11T10:00:00Z', '2026-03-09', '2026-03-09T13:00:00Z', '2026-03-02T06:00:00Z', 167],
    ['Europe/London', '2026-10-26T09:00:00Z', '2026-10-26', '2026-10-26T08:00:00Z', '2026-10-18T23:00:00Z', 169],
    ['Pacific/Auckland', '2026-06-07T20:00:00Z', '2026-06-08', '2026-06-07T20:00:00Z', '2026-05-31T12:00:00Z', 168],
    ['Asia/Kathmandu', '2026-06-14T18:14:00Z', '2026-06-08', '2026-06-08T02:15:00Z', '2026-05-31T18:15:00Z', 168],
  ])('in %s runs from Monday to Monday, with clock changes', (timezone, now, week, dueAt, from, hours) => {
    const found = summaryWeek(new Date(now), timezone);
    expect(found).toMatchObject({ week, dueAt: new Date(dueAt), from: new Date(from) });
    expect((found.until.getTime() - found.from.getTime()) / HOUR).toBe(hours);
  });

  test.each([
    ['2026-03-09T12:59:59Z', false],
    ['2026-03-09T13:00:00Z', true],
    ['2026-03-10T12:59:00Z', true],
    ['2026-03-10T13:00:00Z', false],
    ['2026-03-15T23:00:00Z', false],
  ])('at %s, is due: %s', (now, due) => {
    const at = new Date(now);
    expect(isDue(summaryWeek(at, 'America/Chicago'), at)).toBe(due);
  });
});
