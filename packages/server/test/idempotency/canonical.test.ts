import canonicalizeWithLibrary from 'canonicalize';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { canonicalize } from '../../src/http/idempotency/rules.ts';

test('canonicalizes every JSON value like the reference library for RFC 8785', () => {
  fc.assert(
    fc.property(fc.jsonValue({ stringUnit: 'binary' }), (value) => {
      const read: unknown = JSON.parse(JSON.stringify(value));
      expect(canonicalize(read)).toBe(canonicalizeWithLibrary(read));
    }),
    { numRuns: 1000 },
  );
});

test.each([
  ['names that look like numbers, which objects list first', '{"b":1,"10":2,"9":3,"a":4}'],
  ['non-ASCII names, by UTF-16 code units', '{"\\u20ac":1,"\\ud83d\\ude00":2,"\\ufb33":3,"\\r":4,"1":5,"\\u0080":6}'],
  ['a name with a special meaning for objects', '{"__proto__":1,"a":2}'],
  ['numbers', '[333333333.33333329,1E30,4.50,2e-3,0.000000000000000000000000001,-0,1e21]'],
  ['text with control characters, quotes and slashes', '["\\u20ac$\\u000f\\nA\'B\\"\\\\\\\\\\"/\\u007f"]'],
])('canonicalizes %s', (_name, json) => {
  expect(canonicalize(JSON.parse(json))).toBe(canonicalizeWithLibrary(JSON.parse(json)));
});

test('canonical JSON has no unpaired surrogates, which RFC 8785 does not allow', () => {
  expect(() => canonicalize({ id: '\ud800' })).toThrow();
});
