import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  areaCodeOf,
  isHolidayIn,
  recipientHours,
  STATE_LAWS,
  type StateLaw,
  stateHolding,
  US_AREA_CODES,
} from '../../src/delivery/queue/hours.ts';
import { countryOfPhone } from '../../src/platform/countries.ts';

const DEFAULT = { from: 8 * 60, until: 21 * 60 };
const MIAMI = '+13055550123';
const PROVIDENCE = '+14015550123';
const SAN_FRANCISCO = '+14155550123';
const TORONTO = '+14165550123';
const DALLAS = '+12145550123';
const EAST = 'America/New_York';

const next = (phone: string, from: string, timezone: string, own = DEFAULT) =>
  recipientHours(phone, own, timezone).nextTime(new Date(from)).toISOString();

describe('hours of the law', () => {
  test.each([
    // Wednesday, 8:30 PM in Miami.
    ['Florida ends at 8 PM', MIAMI, '2026-06-11T00:30:00Z', EAST, '2026-06-11T12:00:00.000Z'],
    [
      'a state without its own hours ends at 9 PM',
      SAN_FRANCISCO,
      '2026-06-11T03:30:00Z',
      'America/Los_Angeles',
      '2026-06-11T03:30:00.000Z',
    ],
    // Saturday, 5 PM in Providence.
    ['Rhode Island waits over a Sunday', PROVIDENCE, '2026-06-13T21:00:00Z', EAST, '2026-06-15T13:00:00.000Z'],
    // Sunday, 9 AM in Dallas.
    ['Texas begins at noon on Sunday', DALLAS, '2026-06-14T14:00:00Z', 'America/Chicago', '2026-06-14T17:00:00.000Z'],
    // The clocks change on Sunday, November 1.
    [
      'Utah waits over a Sunday that has 25 hours',
      '+18015550123',
      '2026-11-01T03:30:00Z',
      'America/Denver',
      '2026-11-02T15:00:00.000Z',
    ],
    // Thursday, 8:30 PM on the last day of a year.
    ['Florida waits for the new year', MIAMI, '2027-01-01T01:30:00Z', EAST, '2027-01-01T13:00:00.000Z'],
    // Friday, 9:30 PM, before the Monday of Memorial Day, May 31.
    [
      'Alabama waits over Sunday and a holiday',
      '+12055550123',
      '2027-05-30T02:30:00Z',
      'America/Chicago',
      '2027-06-01T13:00:00.000Z',
    ],
    // New Year's Day of 2028 is a Saturday: Friday, Saturday, Sunday and, in Rhode Island, Monday are closed.
    ['Rhode Island waits over four days', PROVIDENCE, '2027-12-30T23:30:00Z', EAST, '2028-01-04T14:00:00.000Z'],
    ['a state without holidays texts on one', MIAMI, '2026-07-03T16:00:00Z', EAST, '2026-07-03T16:00:00.000Z'],
  ])('%s', (_name, phone, from, timezone, until) => {
    expect(next(phone, from, timezone)).toBe(until);
  });

  test('an area code in two time zones counts in both', () => {
    // South Dakota, Friday: 9 AM to 9 PM in Rapid City and in Sioux Falls.
    expect(next('+16055550123', '2026-06-12T14:30:00Z', 'America/Chicago')).toBe('2026-06-12T15:00:00.000Z');
    expect(next('+16055550123', '2026-06-13T02:00:00Z', 'America/Denver')).toBe('2026-06-15T15:00:00.000Z');
  });

  test('a number from elsewhere is texted when it is day both there and at the appointment', () => {
    // 8 AM in New York is 5 AM in San Francisco, where the phone may still be.
    expect(next(SAN_FRANCISCO, '2026-06-11T12:00:00Z', EAST)).toBe('2026-06-11T15:00:00.000Z');
    expect(next(MIAMI, '2026-06-11T00:30:00Z', 'America/Los_Angeles')).toBe('2026-06-11T15:00:00.000Z');
  });

  test('the area codes of the states are US numbers, and one without a state follows the zone of the organization', () => {
    expect(US_AREA_CODES.size).toBe(371);
    expect([...US_AREA_CODES.keys()].filter((code) => countryOfPhone(`+1${code}5550123`) !== 'US')).toEqual([]);
    expect(STATE_LAWS.filter(({ name }) => ![...US_AREA_CODES.values()].some(({ state }) => state === name))).toEqual(
      [],
    );
    expect(areaCodeOf('+443055550123')).toBeNull();
    expect(next('+15005550001', '2026-06-11T03:30:00Z', 'America/Los_Angeles')).toBe('2026-06-11T03:30:00.000Z');
    expect(next('+15005550001', '2026-06-11T03:30:00Z', EAST)).toBe('2026-06-11T12:00:00.000Z');
  });
});

describe('hours of the organization', () => {
  test('the stricter of the organization and the law applies', () => {
    const [noon, night] = ['2026-06-10T17:00:00Z', '2026-06-11T03:30:00Z'];
    const narrow = { from: 10 * 60, until: 12 * 60 };
    expect(next(MIAMI, noon, EAST, narrow)).toBe('2026-06-11T14:00:00.000Z');
    // 11:30 PM: the organization would text, but no state allows it.
    const wide = { from: 6 * 60, until: 24 * 60 };
    expect(next(SAN_FRANCISCO, '2026-06-11T06:30:00Z', 'America/Los_Angeles', wide)).toBe('2026-06-11T15:00:00.000Z');
    expect(next(TORONTO, night, EAST, wide)).toBe('2026-06-11T03:30:00.000Z');
  });

  test('hours that meet those of the law on other days only are kept: the text waits for such a day', () => {
    // Sunday, 1 PM in Dallas: the law allows it, the organization does not until Monday.
    const mornings = { from: 9 * 60, until: 12 * 60 };
    expect(next(DALLAS, '2026-06-14T18:00:00Z', 'America/Chicago', mornings)).toBe('2026-06-15T14:00:00.000Z');
  });

  test('hours that never meet those of the law give way to it, and the whole day is an exception from it', () => {
    const evening = { from: 20 * 60, until: 21 * 60 };
    expect(next(MIAMI, '2026-06-10T17:00:00Z', EAST, evening)).toBe('2026-06-10T17:00:00.000Z');
    // 8 to 9 AM in New York is before 8 AM in San Francisco.
    const early = { from: 8 * 60, until: 9 * 60 };
    expect(next(SAN_FRANCISCO, '2026-06-10T12:30:00Z', EAST, early)).toBe('2026-06-10T15:00:00.000Z');
    // 9 AM to 6 PM in Providence is night in Tokyo.
    expect(next(PROVIDENCE, '2026-06-10T17:00:00Z', 'Asia/Tokyo')).toBe('2026-06-10T17:00:00.000Z');
    expect(next(MIAMI, '2026-06-11T04:30:00Z', EAST, { from: 0, until: 1440 })).toBe('2026-06-11T04:30:00.000Z');
  });
});

describe('what a text waits for', () => {
  const explain = (phone: string, from: string, timezone: string, own = DEFAULT) => {
    const hours = recipientHours(phone, own, timezone);
    return hours.explain(hours.nextTime(new Date(from)));
  };

  test('are the hours that begin then, with the state whose law sets them', () => {
    const chicago = { timezone: 'America/Chicago' };
    expect(explain(DALLAS, '2026-06-11T03:00:00Z', 'America/Chicago')).toEqual({
      from: 540,
      until: 1260,
      state: 'Texas',
      ...chicago,
    });
    const late = { from: 600, until: 1200 };
    expect(explain(DALLAS, '2026-06-11T03:00:00Z', 'America/Chicago', late)).toEqual({
      ...late,
      state: null,
      ...chicago,
    });
    expect(explain(SAN_FRANCISCO, '2026-06-11T11:00:00Z', EAST)).toEqual({
      ...DEFAULT,
      timezone: 'America/Los_Angeles',
      state: null,
    });
  });

  test('name the state of a held message, and none for other reasons', () => {
    const held = { audience: 'recipient', address: DALLAS, held_for: 'quiet_hours' } as const;
    expect(stateHolding({ ...held, held_until: new Date('2026-06-11T14:00:00Z') })).toBe('Texas');
    expect(stateHolding({ ...held, held_until: new Date('2026-06-11T15:00:00Z') })).toBeNull();
    expect(stateHolding({ ...held, held_for: 'recent_text', held_until: new Date('2026-06-11T14:00:00Z') })).toBeNull();
    expect(stateHolding({ ...held, address: null, held_until: new Date('2026-06-11T14:00:00Z') })).toBeNull();
    expect(stateHolding({ ...held, address: SAN_FRANCISCO, held_until: new Date('2026-06-11T15:00:00Z') })).toBeNull();
  });
});

describe('holidays', () => {
  const inYear = (state: string, year: number) => {
    const days = Array.from({ length: 366 }, (_, day) =>
      new Date(Date.UTC(year, 0, 1 + day)).toISOString().slice(0, 10),
    );
    return days.filter((day) => day.startsWith(String(year)) && isHolidayIn(state, day)).map((day) => day.slice(5));
  };
  // Written out from the calendars of these years, not computed.
  const FEDERAL_2026 = '01-01 01-19 02-16 05-25 06-19 07-03 07-04 09-07 10-12 11-11 11-26 12-25'.split(' ');
  const FEDERAL_2027 =
    '01-01 01-18 02-15 05-31 06-18 06-19 07-04 07-05 09-06 10-11 11-11 11-25 12-24 12-25 12-31'.split(' ');
  test.each([
    ['Pennsylvania', 2026, [...FEDERAL_2026, '04-03', '06-14', '06-15', '11-03']],
    ['Pennsylvania', 2027, [...FEDERAL_2027, '03-26', '06-14', '11-02']],
    ['Louisiana', 2026, [...FEDERAL_2026, '02-17', '04-03', '11-03', '11-27']],
    ['Louisiana', 2027, [...FEDERAL_2027, '02-09', '03-26', '11-02', '11-26']],
    ['Alabama', 2026, [...FEDERAL_2026, '02-17', '04-27', '06-01', '12-01']],
    ['Utah', 2026, [...FEDERAL_2026, '06-15', '07-24']],
    ['Utah', 2027, [...FEDERAL_2027, '06-21', '07-23', '07-24']],
    ['Rhode Island', 2026, [...FEDERAL_2026, '05-04', '07-06', '08-10', '11-03']],
    ['Rhode Island', 2027, [...FEDERAL_2027, '05-04', '08-09', '11-02', '12-27']],
    ['Florida', 2026, []],
  ])('%s in %i', (state, year, dates) => {
    expect(inYear(state, year)).toEqual([...dates].sort());
  });
});

const formats = new Map<string, Intl.DateTimeFormat>();
function clockIn(timezone: string, at: Date): { day: string; date: string; minutes: number } {
  const date = { year: 'numeric', month: '2-digit', day: '2-digit', weekday: 'short' } as const;
  const time = { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' } as const;
  const format = formats.get(timezone) ?? new Intl.DateTimeFormat('en-US', { timeZone: timezone, ...date, ...time });
  formats.set(timezone, format);
  const parts = Object.fromEntries(format.formatToParts(at).map(({ type, value }) => [type, value]));
  return {
    day: parts.weekday ?? '',
    date: `${parts.year}-${parts.month}-${parts.day}`,
    minutes: Number(parts.hour) * 60 + Number(parts.minute),
  };
}

const lies = (minutes: number, hours: { from: number; until: number } | null) =>
  hours !== null && minutes >= hours.from && minutes < hours.until;

function isLawful(law: Pick<StateLaw, 'weekdays' | 'saturday' | 'sunday'>, state: string, timezone: string, at: Date) {
  const { day, date, minutes } = clockIn(timezone, at);
  const hours = day === 'Sat' ? law.saturday : day === 'Sun' ? law.sunday : law.weekdays;
  return lies(minutes, hours) && !isHolidayIn(state, date);
}

test('a text is sent at the first time that the law and the organization allow in every zone, at any time of the year', () => {
  const code = fc.constantFrom(...US_AREA_CODES);
  const timezone = fc.constantFrom(
    ...['America/New_York', 'America/Chicago', 'America/Denver', 'America/Phoenix', 'America/Los_Angeles'],
  );
  const at = fc.date({
    min: new Date('2026-01-01T00:00:00Z'),
    max: new Date('2030-01-01T00:00:00Z'),
    noInvalidDate: true,
  });
  // Long enough to meet the hours of every law in every zone.
  const own = fc.record({ from: fc.integer({ min: 6, max: 14 }), until: fc.integer({ min: 19, max: 24 }) });
  const federal = { weekdays: DEFAULT, saturday: DEFAULT, sunday: DEFAULT };
  fc.assert(
    fc.property(code, timezone, at, own, ([digits, { state, timezones }], zone, from, hours) => {
      fc.pre(!(state === 'Hawaii' || state === 'Alaska' || state === 'Rhode Island'));
      const law = STATE_LAWS.find(({ name }) => name === state) ?? federal;
      const ownHours = { from: hours.from * 60, until: hours.until * 60 };
      const isAllowed = (time: Date) =>
        [zone, ...timezones].every((place) => isLawful(law, state, place, time)) &&
        lies(clockIn(zone, time).minutes, ownHours);
      const sent = recipientHours(`+1${digits}5550123`, ownHours, zone).nextTime(from);
      expect(sent.getTime()).toBeGreaterThanOrEqual(from.getTime());
      expect(isAllowed(sent)).toBe(true);
      // Hours begin at full hours, so nothing earlier was missed.
      const earlier = sent > from ? [from] : [];
      const hour = 3_600_000;
      for (let ms = Math.ceil(from.getTime() / hour) * hour; ms < sent.getTime(); ms += hour)
        earlier.push(new Date(ms));
      expect(earlier.filter(isAllowed)).toEqual([]);
    }),
    { numRuns: 1_000 },
  );
});

test('every number has a time at which it may be texted, whatever the zone of the organization', () => {
  const zones = ['America/New_York', 'America/Adak', 'Pacific/Honolulu', 'Asia/Tokyo', 'Europe/London', 'UTC'];
  const from = new Date('2027-12-30T23:30:00Z');
  for (const [digits, { state, timezones }] of US_AREA_CODES) {
    const law = STATE_LAWS.find(({ name }) => name === state);
    for (const zone of zones) {
      const sent = recipientHours(`+1${digits}5550123`, DEFAULT, zone).nextTime(from);
      expect(sent.getTime() - from.getTime()).toBeLessThan(7 * 86_400_000);
      const isLegal = timezones.every((place) =>
        isLawful(law ?? { weekdays: DEFAULT, saturday: DEFAULT, sunday: DEFAULT }, state, place, sent),
      );
      expect([digits, zone, isLegal]).toEqual([digits, zone, true]);
    }
  }
});
