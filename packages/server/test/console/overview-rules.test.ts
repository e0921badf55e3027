import { describe, expect, test } from 'vitest';
import { datesUntil, recordingTimes, startOfDate } from '../../src/console/overview/rules.ts';
import { localDate } from '../../src/platform/instants.ts';

const ZONE = 'America/Chicago';

describe('periods', () => {
  const now = new Date('2026-03-09T04:30:00Z');

  test('are calendar days in the time zone, including today', () => {
    expect(localDate(now, ZONE)).toBe('2026-03-08');
    expect(datesUntil(now, 3, ZONE)).toEqual(['2026-03-06', '2026-03-07', '2026-03-08']);
    expect(datesUntil(now, 2, 'Pacific/Auckland')).toEqual(['2026-03-08', '2026-03-09']);
  });

  test('start at local midnight, even when the clocks change that day', () => {
    expect(startOfDate('2026-03-08', ZONE).toISOString()).toBe('2026-03-08T06:00:00.000Z');
    expect(startOfDate('2026-03-09', ZONE).toISOString()).toBe('2026-03-09T05:00:00.000Z');
  });
});

describe('recording times', () => {
  const one = (bucket: number, seconds: number, recorded = 1) => ({ bucket, recorded, seconds: seconds * recorded });

  test('are exact for few intros', () => {
    expect(recordingTimes([one(3, 60), one(1, 20), one(9, 600)])).toEqual({ median_ms: 60_000, p90_ms: 600_000 });
    expect(recordingTimes([one(1, 20)])).toEqual({ median_ms: 20_000, p90_ms: 20_000 });
  });

  test('merge buckets of several touchpoints', () => {
    const times = recordingTimes([one(5, 100, 4), one(5, 110, 4), one(8, 900, 1)]);
    expect(times).toEqual({ median_ms: 105_000, p90_ms: 900_000 });
  });

  test('are null when nothing was recorded', () => {
    expect(recordingTimes([{ bucket: null, recorded: 0, seconds: null }])).toEqual({ median_ms: null, p90_ms: null });
  });
});
