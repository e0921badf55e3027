import { RETENTION_POLICIES, RETENTION_RULES } from '@foreword/contract';
import { describe, expect, test } from 'vitest';
import { TABLES } from '../../src/db/tables.ts';
import {
  choose,
  daysAt,
  effectiveAt,
  explainDays,
  pauseAfter,
  removedBefore,
} from '../../src/privacy/retention/rules.ts';
import { PARTS } from '../../src/privacy/retention/store.ts';

const NOW = new Date('2026-03-05T10:00:00Z');
const HOUR_MS = 3_600_000;
const after = (ms: number) => new Date(NOW.getTime() + ms);

describe('the policies', () => {
  test.each(RETENTION_RULES)('%s: the default is possible, and each number has a reason', (rule) => {
    const { default: byDefault, min, max, reason, minReason } = RETENTION_POLICIES[rule];
    expect(min).toBeGreaterThan(0);
    expect(byDefault).toBeGreaterThanOrEqual(min);
    expect(byDefault).toBeLessThanOrEqual(max);
    expect([reason.length, minReason.length].every((length) => length > 20)).toBe(true);
  });

  test('an intro outlives its video and its stored responses, which name its recipient', () => {
    expect(RETENTION_POLICIES.intros.min).toBeGreaterThan(RETENTION_POLICIES.videos.max);
    expect(RETENTION_POLICIES.intros.min).toBeGreaterThanOrEqual(RETENTION_POLICIES.responses.max);
  });
});

describe('a change', () => {
  test('without a choice, the default applies', () => {
    expect([daysAt('videos', null, NOW), effectiveAt(null, NOW)]).toEqual([180, null]);
  });

  test('to a shorter period takes effect after a day', () => {
    const choice = choose('videos', null, 30, NOW);
    expect(effectiveAt(choice, after(24 * HOUR_MS - 1))).toEqual(after(24 * HOUR_MS));
    expect(daysAt('videos', choice, after(24 * HOUR_MS - 1))).toBe(180);
    expect([daysAt('videos', choice, after(24 * HOUR_MS)), effectiveAt(choice, after(24 * HOUR_MS))]).toEqual([
      30,
      null,
    ]);
  });

  test('to a longer period takes effect at once', () => {
    const short = { days: 30, earlier_days: null, changed_at: NOW };
    const choice = choose('videos', short, 90, after(1));
    expect([daysAt('videos', choice, after(1)), effectiveAt(choice, after(1))]).toEqual([90, null]);
  });

  test('during the wait never shortens what still applies', () => {
    const first = choose('videos', null, 30, NOW);
    const second = choose('videos', first, 20, after(23 * HOUR_MS));
    expect(daysAt('videos', second, after(46 * HOUR_MS))).toBe(180);
    expect(daysAt('videos', second, after(47 * HOUR_MS))).toBe(20);
    const back = choose('videos', second, 180, after(24 * HOUR_MS));
    expect([daysAt('videos', back, after(100 * HOUR_MS)), back.earlier_days]).toEqual([180, null]);
  });
});

test.each([[6], [181], [7.5], [Number.NaN]])('%s days of videos are refused', (days) => {
  expect(explainDays('videos', days)).toBe('must be a whole number from 7 to 180');
});

test.each([[7], [180]])('%s days of videos are accepted', (days) => {
  expect(explainDays('videos', days)).toBeNull();
});

test('the boundary is exact, and pauses leave nine tenths of the time to requests', () => {
  expect(removedBefore(NOW, 7)).toEqual(new Date('2026-02-26T10:00:00Z'));
  expect([pauseAfter(10), pauseAfter(60_000)]).toEqual([90, 5_000]);
});

test('each rule has the tables that it removes', () => {
  for (const [rule, parts] of Object.entries(PARTS))
    expect(parts.map(({ table }) => TABLES[table].retention)).toEqual(parts.map(() => rule));
  expect([...Object.keys(PARTS), 'audit'].sort()).toEqual([...RETENTION_RULES].sort());
});
