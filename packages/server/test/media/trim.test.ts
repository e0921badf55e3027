import { describe, expect, test } from 'vitest';
import { findKeptPart } from '../../src/recordings/media/plan.ts';
import { readTrim } from '../../src/recordings/trim.ts';

describe('the header with the trim of a take', () => {
  test('names the start and the end', () => {
    expect(readTrim('start_ms=1200, end_ms=14300')).toEqual({ startMs: 1200, endMs: 14_300 });
    expect(readTrim('start_ms=0,end_ms=1000')).toEqual({ startMs: 0, endMs: 1000 });
  });

  test('is optional', () => {
    expect(readTrim(undefined)).toBeNull();
  });

  test.each([
    '',
    'start_ms=1200',
    'start_ms=-5, end_ms=3000',
    'start_ms=1.5, end_ms=3000',
    '1200-3000',
    'start_ms=1200, end_ms=2199',
    'start_ms=9000, end_ms=1000',
  ])('is invalid as "%s"', (header) => {
    expect(readTrim(header)).toBe('invalid');
  });
});

describe('the part that is kept', () => {
  test('ends with the take', () => {
    expect(findKeptPart({ startMs: 1000, endMs: 99_000 }, 5)).toEqual({ startS: 1, endS: 5 });
    expect(findKeptPart({ startMs: 0, endMs: 4000 }, 5)).toEqual({ startS: 0, endS: 4 });
  });

  test.each([
    ['nothing is cut', { startMs: 0, endMs: 5000 }],
    ['less than 50 ms are cut', { startMs: 20, endMs: 4980 }],
    ['less than a second would remain', { startMs: 4200, endMs: 6000 }],
    ['the part is outside the take', { startMs: 8000, endMs: 9500 }],
  ])('is the whole take when %s', (_case, trim) => {
    expect(findKeptPart(trim, 5)).toBeNull();
    expect(findKeptPart(null, 5)).toBeNull();
  });
});
