import fc from 'fast-check';
import { expect, test } from 'vitest';
import { Foreword } from '../src/index.ts';

const { idempotencyKey } = Foreword;

test('a key is source, record, touchpoint and part', () => {
  const parts = { source: 'crm', recordId: '42', touchpoint: 'new_inspection' };
  expect(idempotencyKey({ ...parts, part: 'roofing' })).toBe('crm:42:new_inspection:roofing');
  expect(idempotencyKey({ ...parts, recordId: 42 })).toBe('crm:42:new_inspection');
  for (const part of [undefined, null, '']) expect(idempotencyKey({ ...parts, part })).toBe('crm:42:new_inspection');
});

test('the key of an appointment has its start in UTC to the minute, and the revision of its record', () => {
  const parts = { source: 'crm', recordId: '42', touchpoint: 'new_inspection' };
  const times = [
    '2030-03-12T14:30:00-05:00',
    '2030-03-12T19:30:59.999Z',
    '2030-03-12T14:30-0500',
    new Date(1_899_574_200_000),
  ];
  for (const appointmentAt of times)
    expect(idempotencyKey({ ...parts, appointmentAt })).toBe('crm:42:new_inspection:2030-03-12T19:30Z');
  expect(idempotencyKey({ ...parts, part: 'roofing', appointmentAt: '2030-03-12T19:30Z', revision: 7 })).toBe(
    'crm:42:new_inspection:roofing:2030-03-12T19:30Z:7',
  );
  for (const appointmentAt of [undefined, null, ''])
    expect(idempotencyKey({ ...parts, appointmentAt })).toBe('crm:42:new_inspection');
});

test('different parts give different keys, each of which a header can contain', () => {
  const part = fc.oneof(fc.string({ minLength: 1 }), fc.constantFrom('a:b', 'a%3Ab', 'Zoë', '\u0000', '🏠'));
  const parts = fc.record({ source: part, recordId: part, touchpoint: part, part: fc.option(part) });
  fc.assert(
    fc.property(parts, parts, (a, b) => {
      const [one, other] = [idempotencyKey(a), idempotencyKey(b)];
      expect(one).toMatch(/^[!-~]{1,255}$/);
      expect(one === other).toBe(JSON.stringify(a) === JSON.stringify(b));
    }),
  );
  expect(idempotencyKey({ source: 'a:b', recordId: 'c', touchpoint: 'd' })).toBe('a%3Ab:c:d');
  expect(idempotencyKey({ source: 'crm', recordId: 'Zoë 1', touchpoint: 'd' })).toBe('crm:Zo%C3%AB%201:d');
});

test.each<[string, object]>([
  ['source', { source: '' }],
  ['source', { source: undefined }],
  ['recordId', { recordId: undefined }],
  ['recordId', { recordId: Number.NaN }],
  ['recordId', { recordId: 2 ** 60 }],
  ['recordId', { recordId: { id: 1 } }],
  ['recordId', { recordId: '\ud800' }],
  ['touchpoint', { touchpoint: null }],
  ['part', { part: {} }],
  ['appointmentAt', { appointmentAt: '2030-03-12T14:30:00' }],
  ['appointmentAt', { appointmentAt: '2030-03-12' }],
  ['appointmentAt', { appointmentAt: new Date(Number.NaN) }],
  ['revision', { revision: 2 }],
  ['revision', { revision: {}, appointmentAt: '2030-03-12T14:30Z' }],
  ['idempotencyKey', { recordId: 'x'.repeat(250) }],
])('a wrong %s in %o is refused by name', (field, change) => {
  const parts = { source: 'crm', recordId: '42', touchpoint: 'closing', ...change };
  expect(() => idempotencyKey(parts)).toThrow(expect.objectContaining({ code: 'invalid_argument', field }));
});
