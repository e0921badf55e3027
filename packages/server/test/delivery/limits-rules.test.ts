import { describe, expect, test } from 'vitest';
import {
  allowedCountries,
  dailyLimits,
  findAnomaly,
  isCountryAllowed,
  startOfNextDay,
} from '../../src/delivery/queue/rules.ts';
import { COUNTRIES, countryOfPhone, countryOfTimezone } from '../../src/platform/countries.ts';

describe('the country of a number', () => {
  test.each([
    ['+14155550123', 'US'],
    ['+16045550123', 'CA'],
    ['+18765550123', 'JM'],
    ['+18095550123', 'DO'],
    ['+17875550123', 'PR'],
    ['+447400123456', 'GB'],
    ['+447911123456', 'GG'],
    ['+77012345678', 'KZ'],
    ['+79161234567', 'RU'],
    ['+33612345678', 'FR'],
  ])('%s belongs to %s', (phone, country) => expect(countryOfPhone(phone)).toBe(country));

  test.each([
    ['satellite phones', '+870771234567'],
    ['satellite phones', '+881612345678'],
    ['international networks', '+882161234567'],
    ['international networks', '+883512345678'],
    ['premium numbers', '+19005550123'],
    ['premium exchanges', '+13129761234'],
    ['British premium numbers', '+449012345678'],
    ['British personal numbers', '+447012345678'],
    ['unassigned codes', '+2101234567'],
  ])('%s have none: %s', (_name, phone) => expect(countryOfPhone(phone)).toBeNull());

  test('is one that an owner can choose, with a name in every browser', () => {
    const names = new Intl.DisplayNames('en', { type: 'region' });
    for (const country of COUNTRIES) expect(names.of(country)).not.toBe(country);
  });
});

test.each([
  ['America/Chicago', 'US'],
  ['US/Central', 'US'],
  ['America/Toronto', 'CA'],
  ['Europe/London', 'GB'],
  ['Asia/Kolkata', 'IN'],
  ['UTC', null],
  ['Etc/GMT+5', null],
])('the time zone %s lies in %s', (timezone, country) => expect(countryOfTimezone(timezone)).toBe(country));

describe('the countries of an organization', () => {
  const toronto = { timezone: 'America/Toronto', countries: null };
  test('are its own until the owner chooses', () => {
    expect(allowedCountries(toronto)).toEqual(['CA']);
    expect(allowedCountries({ ...toronto, timezone: 'UTC' })).toEqual(['US']);
    expect(allowedCountries({ ...toronto, countries: ['MX', 'US'] })).toEqual(['MX', 'US']);
    expect(allowedCountries({ ...toronto, countries: [] })).toEqual([]);
  });
  test('never include numbers without a country', () => {
    expect(isCountryAllowed('+882161234567', { ...toronto, countries: COUNTRIES })).toBe(false);
    expect(isCountryAllowed('+16045550123', toronto)).toBe(true);
  });
});

describe('daily limits', () => {
  const defaults = { daily_texts: null, daily_texts_per_member: null, daily_texts_per_recipient: null };
  test('grow with the busiest day, unless the operator sets them', () => {
    expect(dailyLimits(defaults, 0)).toEqual({ organization: 1_000, member: 200, recipient: 5 });
    expect(dailyLimits(defaults, 700).organization).toBe(2_800);
    expect(dailyLimits({ ...defaults, daily_texts: 50 }, 700).organization).toBe(50);
  });

  test.each([
    ['2026-06-10T17:00:00Z', 'America/Chicago', '2026-06-11T05:00:00.000Z'],
    ['2026-06-11T04:59:00Z', 'America/Chicago', '2026-06-11T05:00:00.000Z'],
    ['2026-03-08T12:00:00Z', 'America/New_York', '2026-03-09T04:00:00.000Z'],
    ['2026-12-31T23:00:00Z', 'UTC', '2027-01-01T00:00:00.000Z'],
  ])('of %s in %s end at %s', (now, timezone, end) =>
    expect(startOfNextDay(new Date(now), timezone).toISOString()).toBe(end),
  );
});

const NOW = new Date('2026-06-10T17:00:00Z');
const NOTHING_CHOSEN = { daily_texts: null, texts_resumed_at: null };

test.each([
  [{ sent: 300, failed: 0, busiest_day: 0 }, null],
  [{ sent: 301, failed: 0, busiest_day: 0 }, 'burst'],
  [{ sent: 900, failed: 0, busiest_day: 300 }, null],
  [{ sent: 901, failed: 0, busiest_day: 300 }, 'burst'],
  [{ sent: 29, failed: 29, busiest_day: 0 }, null],
  [{ sent: 58, failed: 30, busiest_day: 0 }, 'failures'],
  [{ sent: 60, failed: 30, busiest_day: 0 }, null],
  [{ sent: 5_000, failed: 0, busiest_day: 0, daily_texts: 6_000 }, null],
  [{ sent: 5_000, failed: 0, busiest_day: 0, texts_resumed_at: new Date(NOW.getTime() - 60_000) }, null],
] as const)('the day %o is unusual because of: %s', (day, reason) =>
  expect(findAnomaly({ ...NOTHING_CHOSEN, ...day }, day, NOW)).toBe(reason),
);
