import canonicalizeByLibrary from 'canonicalize';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { canonicalize } from '../../src/idempotency/rules.ts';

test('writes every JSON value as the reference library of RFC 8785 does', () => {
  fc.assert(
    fc.property(fc.jsonValue({ stringUnit: 'binary' }), (value) => {
      const read: unknown = JSON.parse(JSON.stringify(value));
      expect(canonicalize(read)).toBe(canonicalizeByLibrary(read));
    }),
    { numRuns: 1000 },
  );
});

test.each([
  ['names that look like numbers, which objects keep first', '{"b":1,"10":2,"9":3,"a":4}'],
  [
    'names beyond ASCII, by UTF-16 code units',
    '{"\\u20ac":1,"\\ud83d\\ude00":2,"\\ufb33":3,"\\r":4,"1":5,"\\u0080":6}',
  ],
  ['a name that objects treat apart', '{"__proto__":1,"a":2}'],
  ['numbers', '[333333333.33333329,1E30,4.50,2e-3,0.000000000000000000000000001,-0,1e21]'],
  ['text with controls, quotes and slashes', '["\\u20ac$\\u000f\\nA\'B\\"\\\\\\\\\\"/\\u007f"]'],
])('orders and spells %s', (_what, json) => {
  expect(canonicalize(JSON.parse(json))).toBe(canonicalizeByLibrary(JSON.parse(json)));
});

test('refuses half of a surrogate pair, which RFC 8785 cannot write', () => {
  expect(() => canonicalize({ id: '\ud800' })).toThrow();
});
