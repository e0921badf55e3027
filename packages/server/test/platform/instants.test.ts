import { iso as written } from '@foreword/contract';
import { describe, expect, test } from 'vitest';
import {
  isLocalTime,
  isTimezone,
  isWrittenTime,
  parseInstant,
  parseZonedTime,
  toRfc3339,
} from '../../src/platform/instants.ts';

const iso = (at: Date | null) => at?.toISOString() ?? null;

test('a time is written like toISOString does, in any order and on any day', () => {
  const times = [
    0, -1, 999, 86_399_999, 86_400_000, -62_135_596_800_000, 253_402_300_799_999, -62_200_000_000_000, 8.64e15,
  ];
  for (const ms of [...times, ...times.map((time) => time - 60_007), ...times.toReversed()]) {
    expect(written(new Date(ms))).toBe(new Date(ms).toISOString());
  }
  expect(() => written(new Date(Number.NaN))).toThrow(RangeError);
  expect([written(null), written(undefined)]).toEqual([null, null]);
});

describe('parseInstant', () => {
  test.each([
    ['2026-03-10T09:15:00Z', '2026-03-10T09:15:00.000Z'],
    ['2026-03-10t09:15:00z', '2026-03-10T09:15:00.000Z'],
    ['2026-03-10T09:15:00.123456789+05:30', '2026-03-10T03:45:00.123Z'],
    ['2024-02-29T00:00:00-00:00', '2024-02-29T00:00:00.000Z'],
    ['2016-12-31T23:59:60Z', '2017-01-01T00:00:00.000Z'],
    ['2016-12-31T23:59:60.5+0000', '2017-01-01T00:00:00.500Z'],
    ['2026-03-10T09:15Z', '2026-03-10T09:15:00.000Z'],
    ['2026-03-10T09:15:00+0530', '2026-03-10T03:45:00.000Z'],
    ['2026-03-10T09:15-05', '2026-03-10T14:15:00.000Z'],
    ['2026-03-10T09:15:00.12345678901234567890Z', '2026-03-10T09:15:00.123Z'],
    ['0001-01-01T00:00Z', '0001-01-01T00:00:00.000Z'],
  ])('parses %s', (text, expected) => {
    expect(iso(parseInstant(text))).toBe(expected);
  });

  test.each([
    '2026-02-29T00:00:00Z',
    '1900-02-29T00:00:00Z',
    '2026-13-01T00:00:00Z',
    '2026-04-31T00:00:00Z',
    '2026-03-10T24:00:00Z',
    '2026-03-10T09:60:00Z',
    '2026-03-10T09:15:00',
    '2026-03-10T09:15',
    '2026-03-10T09Z',
    '2026-03-10T0915Z',
    '2026-03-10 09:15:00Z',
    '2026-03-10T09:15:00+24:00',
    '2026-03-10T09:15:00+5',
    '2026-03-10T09:15:00+530',
    '2026-03-10T09:15:00.Z',
    '2026-03-10T09:15.5Z',
    '2026-03-10T09:15:00Z ',
    '0000-01-01T00:00:00Z',
    '0001-01-01T00:00:00+14:00',
    '9999-12-31T23:59:59-01:00',
    '2026-W10-2T00:00:00Z',
    '',
  ])('rejects %j', (text) => {
    expect(parseInstant(text)).toBeNull();
  });
});

describe('parseZonedTime', () => {
  test('parses a local time in its zone, in winter and in summer', () => {
    expect(iso(parseZonedTime('2026-01-15T14:30:00', 'America/Chicago'))).toBe('2026-01-15T20:30:00.000Z');
    expect(iso(parseZonedTime('2026-07-15T14:30:00', 'America/Chicago'))).toBe('2026-07-15T19:30:00.000Z');
  });

  test('prefers an offset over the zone', () => {
    expect(iso(parseZonedTime('2026-01-15T14:30:00Z', 'America/Chicago'))).toBe('2026-01-15T14:30:00.000Z');
  });

  test.each([
    ['before the clocks go forward', '2031-03-09T01:59:59', 'America/Chicago', '2031-03-09T07:59:59.000Z'],
    ['after the clocks go forward', '2031-03-09T03:00:00', 'America/Chicago', '2031-03-09T08:00:00.000Z'],
    ['skipped when the clocks go forward', '2031-03-09T02:30:00', 'America/Chicago', '2031-03-09T08:30:00.000Z'],
    ['after the clocks go back', '2031-11-02T02:00:00', 'America/Chicago', '2031-11-02T08:00:00.000Z'],
    ['in a zone with a 45-minute offset', '2031-01-15T09:00:00', 'Asia/Kathmandu', '2031-01-15T03:15:00.000Z'],
    ['in an alias of a zone', '2031-01-15T09:00:00', 'US/Central', '2031-01-15T15:00:00.000Z'],
  ])('parses a local time %s', (_when, text, timezone, expected) => {
    expect(iso(parseZonedTime(text, timezone))).toBe(expected);
  });

  test('accepts the same forms as isWrittenTime', () => {
    expect(isWrittenTime('2026-01-15T14:30:00')).toBe(true);
    expect(isWrittenTime('2026-02-30T14:30:00')).toBe(false);
    expect(isWrittenTime('2026-01-15')).toBe(false);
  });
});

describe('toRfc3339', () => {
  const SENT = [
    ...['2026-03-10T09:15Z', '2026-03-10t09:15:00z', '2026-03-10T09:15+00', '2026-03-10T09:15:00.12345678901-0530'],
    ...['2016-12-31T23:59:60+0000', '2026-03-10T09:15', '2026-03-10T09:15:00', '2026-03-10T09:15:00.5+05:30'],
  ];

  test.each(SENT)('spells %s so that strict parsers read the same instant', (text) => {
    const spelled = toRfc3339(text);
    expect(spelled).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,9})?(Z|[+-]\d\d:\d\d)?$/);
    expect(isLocalTime(spelled)).toBe(isLocalTime(text));
    expect(iso(parseZonedTime(spelled, 'America/Chicago'))).toBe(iso(parseZonedTime(text, 'America/Chicago')));
  });

  test('leaves a time that already has this form as it is', () => {
    for (const text of ['2026-03-10T09:15:00Z', '2026-03-10T09:15:00.123456789-05:00', '2026-03-10T09:15:00'])
      expect(toRfc3339(text)).toBe(text);
  });
});

describe('isTimezone', () => {
  test.each(['America/Chicago', 'Asia/Kolkata', 'US/Pacific', 'UTC', 'EST5EDT'])('accepts %s', (name) => {
    expect(isTimezone(name)).toBe(true);
  });

  test.each(['america/chicago', 'PST', '+05:00', 'Factory', 'Mars/Olympus', '', 'constructor'])(
    'rejects %j',
    (name) => {
      expect(isTimezone(name)).toBe(false);
    },
  );
});
