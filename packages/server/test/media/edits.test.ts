import { describe, expect, test } from 'vitest';
import { readEdits } from '../../src/recordings/edits.ts';
import { findKeptPart } from '../../src/recordings/media/plan.ts';

const encoded = (text: string): string => `:${Buffer.from(text).toString('base64')}:`;

describe('the header with the trim of a take', () => {
  test('names the start and the end', () => {
    const trim = { startMs: 1200, endMs: 14_300 };
    expect(readEdits({ 'foreword-trim': 'start_ms=1200, end_ms=14300' })).toEqual({ trim, captions: null });
    expect(readEdits({ 'foreword-trim': 'start_ms=0,end_ms=1000' })).toMatchObject({
      trim: { startMs: 0, endMs: 1000 },
    });
  });

  test('is optional', () => {
    expect(readEdits({})).toEqual({ trim: null, captions: null });
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
    expect(readEdits({ 'foreword-trim': header })).toMatchObject({ field: 'Foreword-Trim' });
  });
});

describe('the header with the captions of a take', () => {
  test.each([
    ['what was said', encoded('Hola, soy Ñandú 😀'), 'Hola, soy Ñandú 😀'],
    ['none', '::', ''],
    ['lines and control characters as spaces', encoded(' One\n\0two '), 'One  two'],
    ['no character that reorders text', encoded('a\u202eb'), 'ab'],
    ['up to 1,000 characters', encoded('😀'.repeat(1000)), '😀'.repeat(1000)],
  ])('has %s', (_case, header, captions) => {
    expect(readEdits({ 'foreword-captions': header })).toEqual({ trim: null, captions });
  });

  test.each(['', 'off', 'SGk=', ':S!:', encoded('a'.repeat(1001))])('is invalid as "%s"', (header) => {
    expect(readEdits({ 'foreword-captions': header })).toMatchObject({ field: 'Foreword-Captions' });
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
