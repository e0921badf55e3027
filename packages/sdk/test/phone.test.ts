import fc from 'fast-check';
import examples from 'libphonenumber-js/examples.mobile.json' with { type: 'json' };
import { getCountries, getCountryCallingCode, parsePhoneNumberFromString as parse } from 'libphonenumber-js/min';
import { expect, test } from 'vitest';
import { Foreword, ForewordPhoneError } from '../src/index.ts';

const { toE164 } = Foreword;
const countries = getCountries();

/** The number, or the reason why there is none. */
function read(number: string, country: string): string {
  try {
    return toE164(number, country);
  } catch (error) {
    if (error instanceof ForewordPhoneError) return error.reason;
    throw error;
  }
}

test.each([
  ['8882223333', 'US', '+18882223333'],
  ['(415) 555-0123 x4', 'US', '+14155550123'],
  ['(415) 555-0123 ext. 12', 'US', '+14155550123'],
  ['415.555.0123 #9', 'US', '+14155550123'],
  ['415-555-0123;ext=4', 'US', '+14155550123'],
  ['1-415-555-0123', 'US', '+14155550123'],
  ['14155550123', 'CA', '+14155550123'],
  ['+1 (415) 555 0123', 'US', '+14155550123'],
  ['tel:+1-415-555-0123', 'US', '+14155550123'],
  ['４１５５５５０１２３', 'US', '+14155550123'],
  ['\u202a+1\u00a0415\u2011555\u20110123\u202c', 'US', '+14155550123'],
  ['+15005550123', 'US', '+15005550123'],
  ['604 555 0123', 'US', '+16045550123'],
  ['+44 (0)20 7946 0958', 'GB', '+442079460958'],
  ['020 7946 0958', 'GB', '+442079460958'],
  ['0044 20 7946 0958', 'GB', '+442079460958'],
  ['011 44 20 7946 0958', 'US', '+442079460958'],
  ['0044 20 7946 0958', 'US', '+442079460958'],
  ['+44 20 7946 0958', 'US', '+442079460958'],
  ['447700900123', 'GB', '+447700900123'],
  ['030/123456', 'DE', '+4930123456'],
  ['06 1234 5678', 'IT', '+390612345678'],
  ['8 (912) 345-67-89', 'RU', '+79123456789'],
  ['11 15-2345-6789', 'AR', '+5491123456789'],
  ['(11) 98765-4321', 'BR', '+5511987654321'],
  ['0 21 11 98765-4321', 'BR', '+5511987654321'],
  ['0412 345 678', 'au', '+61412345678'],
])('%s in %s is %s', (number, country, expected) => {
  expect(read(number, country)).toBe(expected);
});

test.each([
  ['', 'US', 'empty'],
  ['   ', 'US', 'empty'],
  ['n/a', 'US', 'letters'],
  ['1-800-FLOWERS', 'US', 'letters'],
  ['415-555-0123 (cell)', 'US', 'letters'],
  ['415-555-0123 / 415-555-0124', 'US', 'several_numbers'],
  ['4155550123, 4155550124', 'US', 'several_numbers'],
  ['+14155550123+14155550124', 'US', 'several_numbers'],
  ['415*555*0123', 'US', 'invalid_characters'],
  ['555-0123', 'US', 'too_short'],
  ['415555012', 'US', 'too_short'],
  ['415555012345', 'US', 'too_long'],
  ['0000000000', 'US', 'unknown_calling_code'],
  ['415-123-4567', 'US', 'not_a_number_of_the_country'],
  ['1234567890', 'US', 'too_short'],
  ['+0 415 555 0123', 'US', 'unknown_calling_code'],
  ['+999 1234 5678', 'US', 'unknown_calling_code'],
  ['4155550123', 'USA', 'unknown_country'],
  ['4155550123', '', 'unknown_country'],
  ['4155550123', '800', 'unknown_country'],
  ['+14155550123', 'Germany', 'unknown_country'],
])('%s in %s is refused: %s', (number, country, reason) => {
  expect(read(number, country)).toBe(reason);
});

test('a number that can be two numbers is refused, and the message has both', () => {
  // In Colombia, 00 5 selects a company, and 7 is then the code of Russia.
  expect(() => toE164('00573211234567', 'CO')).toThrow(
    '00573211234567 can be +73211234567 and +573211234567: store it with a plus sign',
  );
  expect(toE164('+573211234567', 'CO')).toBe('+573211234567');
  expect(toE164('3211234567', 'CO')).toBe('+573211234567');
});

test('a number with a plus sign needs no country, and a number of another type is refused', () => {
  expect(toE164('+14155550123', undefined as never)).toBe('+14155550123');
  expect(toE164(4155550123, 'US')).toBe('+14155550123');
  for (const number of [null, undefined, {}, Number.NaN])
    expect(() => toE164(number as never, 'US')).toThrow(ForewordPhoneError);
});

/** Where we differ: the API takes no number of fewer than 8 digits, and an ambiguous number has none. */
const isExcused = (result: string, expected: string): boolean =>
  expected.length < 9 ? result === 'too_short' : result === 'ambiguous';

test.each(countries)('the mobile number of %s is read in every way of writing it', (country) => {
  const expected = parse(examples[country], country);
  if (expected === undefined) throw new Error('no example');
  const forms = [
    expected.number,
    expected.formatNational(),
    expected.formatInternational(),
    expected.getURI(),
    `${expected.formatNational()} x12`,
    expected.number.slice(1),
    `00${expected.number.slice(1)}`,
  ];
  const wrong = forms.filter((form) => {
    const result = read(form, country);
    return result !== expected.number && !isExcused(result, expected.number);
  });
  expect(wrong).toEqual([]);
});

test('the numbers of few countries are ambiguous without a plus sign', () => {
  const ambiguous = countries.filter((country) => {
    const { number } = parse(examples[country], country) ?? { number: '' };
    return [number.slice(1), `00${number.slice(1)}`].some((form) => read(form, country) === 'ambiguous');
  });
  expect(ambiguous).toEqual(['CO', 'DE', 'ID', 'XK']);
});

test('any digits are read like libphonenumber reads them, or refused; they are never another number', () => {
  const digits = fc.stringMatching(/^[0-9]{4,15}$/);
  const local = fc.record({ number: digits, country: fc.constantFrom(...countries) });
  const international = local.map(({ number, country }) => ({ number: `+${number}`, country }));
  // Numbers of the right length are rare among random ones, so many come from an example with its last digits replaced.
  const similar = fc
    .record({ country: fc.constantFrom(...countries), tail: fc.stringMatching(/^[0-9]{4}$/) })
    .map(({ country, tail }) => ({ number: `${examples[country].slice(0, -4)}${tail}`, country }));
  const prefixed = similar.map(({ number, country }) => ({ number: `0${number}`, country }));
  let read_ = 0;
  fc.assert(
    fc.property(fc.oneof(local, international, similar, prefixed), ({ number, country }) => {
      const result = read(number, country);
      if (!result.startsWith('+')) return;
      read_++;
      expect(result).toMatch(/^\+[1-9]\d{7,14}$/);
      // For us, 00 or the calling code at the start can be meant also where libphonenumber reads something else.
      const readings = [number];
      if (number.startsWith('00')) readings.push(`+${number.slice(2)}`);
      else if (number.startsWith(getCountryCallingCode(country))) readings.push(`+${number}`);
      const theirs = readings.map((reading) => parse(reading, country)?.number);
      expect({ number, country, result, theirs }).toMatchObject({ theirs: expect.arrayContaining([result]) });
    }),
    { numRuns: 3000 },
  );
  expect(read_).toBeGreaterThan(500);
});
