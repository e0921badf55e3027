import { describe, expect, test } from 'vitest';
import { findBreakingChanges } from '../compatibility/document.ts';
import type { Schema } from '../compatibility/schema.ts';
import { buildDocument, field, object, TEXT } from './openapi-document.ts';

const CLOSED = { additionalProperties: false };
const AT_REQUEST = 'POST /v1/intros: body.name';
const AT_RESPONSE = 'POST /v1/intros: response 201.name';

const requestChanges = (before: Schema, after: Schema): string[] =>
  findBreakingChanges(buildDocument({ request: before }), buildDocument({ request: after }));
const responseChanges = (before: Schema, after: Schema): string[] =>
  findBreakingChanges(buildDocument({ response: before }), buildDocument({ response: after }));

const REQUEST_CHANGES: [rule: string, before: Schema, after: Schema, line: string][] = [
  ['a new required field', object({}), object({ name: TEXT }, { required: ['name'] }), 'is now required'],
  ['a field that becomes required', field(TEXT), { ...field(TEXT), required: ['name'] }, 'is now required'],
  ['a removed field', field(TEXT), object({}), 'was removed'],
  ['another type', field(TEXT), field({ type: 'integer' }), 'no longer accepts the type string'],
  ['no null', field({ type: ['string', 'null'] }), field(TEXT), 'no longer accepts the type null'],
  [
    'a number that becomes an integer',
    field({ type: 'number' }),
    field({ type: 'integer' }),
    'no longer accepts the type number',
  ],
  ['a removed value', field({ enum: ['a', 'b'] }), field({ enum: ['a'] }), 'no longer accepts "b"'],
  ['a list of values', field(TEXT), field({ enum: ['a'] }), 'accepts only "a" now'],
  [
    'a lower maxLength',
    field({ ...TEXT, maxLength: 9 }),
    field({ ...TEXT, maxLength: 8 }),
    ': maxLength changed from 9 to 8',
  ],
  ['a new minLength', field(TEXT), field({ ...TEXT, minLength: 1 }), ': minLength changed from none to 1'],
  [
    'a higher minimum',
    field({ type: 'integer', minimum: 0 }),
    field({ type: 'integer', minimum: 1 }),
    ': minimum changed from 0 to 1',
  ],
  [
    'another pattern',
    field({ ...TEXT, pattern: 'a' }),
    field({ ...TEXT, pattern: 'b' }),
    ': pattern changed from a to b',
  ],
  ['a new format', field(TEXT), field({ ...TEXT, format: 'uri' }), ': format changed from none to uri'],
  [
    'narrower items',
    field({ type: 'array', items: TEXT }),
    field({ type: 'array', items: { const: 'a' } }),
    '[] accepts only "a" now',
  ],
];

const RESPONSE_CHANGES: [rule: string, before: Schema, after: Schema, line: string][] = [
  ['a removed field', field(TEXT), object({}), 'was removed'],
  ['a field that becomes optional', { ...field(TEXT), required: ['name'] }, field(TEXT), 'is no longer always present'],
  ['another type', field(TEXT), field({ type: 'integer' }), 'can now be the type integer'],
  [
    'a field that becomes nullable',
    field(TEXT),
    field({ anyOf: [TEXT, { type: 'null' }] }),
    'can now be the type null',
  ],
  ['a new value', field({ enum: ['a'] }), field({ enum: ['a', 'b'] }), 'can now be "b"'],
  ['a removed value', field({ enum: ['a', 'b'] }), field({ enum: ['a'] }), 'is never "b" anymore'],
  ['values without a list', field({ enum: ['a'] }), field(TEXT), 'is no longer limited to "a"'],
  [
    'a higher maxLength',
    field({ ...TEXT, maxLength: 8 }),
    field({ ...TEXT, maxLength: 9 }),
    ': maxLength changed from 8 to 9',
  ],
  ['no format', field({ ...TEXT, format: 'uri' }), field(TEXT), ': format changed from uri to none'],
];

describe('a breaking change is reported in one line', () => {
  test.each(REQUEST_CHANGES)('of a request: %s', (_, before, after, line) => {
    expect(requestChanges(before, after)).toEqual([`${AT_REQUEST}${/^[:[]/.test(line) ? '' : ' '}${line}`]);
  });

  test('of a request: unknown fields that are rejected', () => {
    expect(requestChanges(object({}), object({}, CLOSED))).toEqual([
      'POST /v1/intros: body no longer accepts unknown fields',
    ]);
  });

  test('of a request: other keys in a map', () => {
    const map = (keys: string): Schema => ({ type: 'object', patternProperties: { [keys]: TEXT } });
    expect(requestChanges(map('^a$'), map('^b$'))).toEqual([
      'POST /v1/intros: body accepts other keys: ^b$ instead of ^a$',
    ]);
  });

  test.each(RESPONSE_CHANGES)('of a response: %s', (_, before, after, line) => {
    expect(responseChanges(before, after)).toEqual([`${AT_RESPONSE}${/^[:[]/.test(line) ? '' : ' '}${line}`]);
  });
});

describe('a change that breaks no caller is not reported', () => {
  test('a response schema that becomes open, or gets another name', () => {
    const before = buildDocument({
      response: { $ref: '#/components/schemas/Old' },
      schemas: { Old: { ...field(TEXT), ...CLOSED } },
    });
    const after = buildDocument({ response: { $ref: '#/components/schemas/New' }, schemas: { New: field(TEXT) } });
    expect(findBreakingChanges(before, after)).toEqual([]);
  });

  test('null or a set of values written in another way, in both directions', () => {
    const before = field({ anyOf: [{ const: 'a' }, { const: 'b' }, { type: 'null' }] });
    const after = field({ type: ['string', 'null'], enum: ['a', 'b', null] });
    expect([...requestChanges(before, after), ...responseChanges(before, after)]).toEqual([]);
    const limits = { maxLength: 8, pattern: '^a' };
    const [choice, list] = [
      field({ anyOf: [{ ...TEXT, ...limits }, { type: 'null' }] }),
      field({ type: ['string', 'null'], ...limits }),
    ];
    expect([...requestChanges(choice, list), ...responseChanges(choice, list)]).toEqual([]);
  });

  test('values that a request may leave empty', () => {
    const after = { anyOf: [{ enum: ['a'] }, { type: ['string', 'null'], maxLength: 0, enum: ['', null] }] };
    expect(requestChanges(field({ enum: ['a'] }), field(after))).toEqual([]);
  });

  test('exactly one of several fields, written as one closed shape for each', () => {
    const fields = { id: TEXT, email: { ...TEXT, maxLength: 254 } };
    const before = object(fields, { ...CLOSED, minProperties: 1, maxProperties: 1 });
    const oneOf = Object.entries(fields).map(([name, schema]) =>
      object({ [name]: schema }, { ...CLOSED, required: [name] }),
    );
    expect(requestChanges(before, { oneOf })).toEqual([]);
    expect(requestChanges(before, { oneOf: oneOf.slice(1) })).not.toEqual([]);
  });

  test('a wider request: more values, longer text, null, open objects, open sets of values', () => {
    const before = object({ a: { enum: ['x'] }, b: { ...TEXT, maxLength: 8 }, c: TEXT, d: { enum: ['x'] } }, CLOSED);
    const after = object({
      a: { enum: ['x', 'y'] },
      b: { ...TEXT, maxLength: 9 },
      c: { type: ['string', 'null'] },
      d: { anyOf: [{ enum: ['x'] }, TEXT] },
    });
    expect(requestChanges(before, after)).toEqual([]);
  });
});
