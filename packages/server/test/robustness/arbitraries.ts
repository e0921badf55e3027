import fc from 'fast-check';
import { isObject, type Json, type JsonObject } from './bodies.ts';

// Time zones differ from UTC by up to 14 hours, so these days stay within the years 1 to 9999 in every zone.
const FIRST_DAY = new Date('0001-01-03T00:00:00Z');
const LAST_DAY = new Date('9999-12-29T00:00:00Z');

const instant = fc.date({ min: FIRST_DAY, max: LAST_DAY, noInvalidDate: true }).map((date) => date.toISOString());

/** Other spellings of the same instants. */
const spelled = fc
  .tuple(
    instant,
    fc.constantFrom('z', 'Z', '+00', '+0000', '-00:00', '+1400', '-12'),
    fc.constantFrom('', ':00', ':60', ':59.5', ':00.1234567890123'),
  )
  .map(([text, offset, second]) => text.slice(0, 16) + second + offset);

const FORMATS: Record<string, fc.Arbitrary<string>> = {
  instant: fc.oneof(instant, spelled),
  'date-time': instant,
  'appointment-time': fc.oneof(
    instant,
    spelled,
    instant.map((text) => text.replace('Z', '')),
    instant.map((text) => text.slice(0, 16).replace('T', 't')),
  ),
  'iana-timezone': fc.constantFrom(...Intl.supportedValuesOf('timeZone')),
};

/** A letter or digit. The Hangul fillers are letters, too, but show nothing. */
const VISIBLE = /[[\p{L}\p{N}]--\p{Default_Ignorable_Code_Point}]/v;

const entriesOf = (schema: JsonObject | undefined): [string, JsonObject][] =>
  Object.entries(schema ?? {}).filter((entry): entry is [string, JsonObject] => isObject(entry[1]));

function textOf(schema: JsonObject): fc.Arbitrary<string> {
  const { format, pattern, minLength, maxLength } = schema;
  if (typeof format === 'string' && format !== 'visible') {
    const known = FORMATS[format];
    if (known === undefined) throw new Error(`no generator for the format ${format}`);
    return known;
  }
  if (typeof maxLength !== 'number') return fc.stringMatching(new RegExp(String(pattern ?? '^[a-z]{0,9}$'), 'u'));
  const rule = new RegExp(String(pattern ?? ''), 'u');
  if (schema['x-problem']?.toString().match(/e-?mail/) != null) return fc.emailAddress();
  return fc
    .string({ unit: 'binary', minLength: Number(minLength ?? 0), maxLength, size: 'max' })
    .map((text) => text.replaceAll(/\p{Cc}/gu, 'x'))
    .filter((text) => rule.test(text) && (format !== 'visible' || VISIBLE.test(text)));
}

function objectOf(schema: JsonObject): fc.Arbitrary<Json> {
  const patterns = entriesOf(isObject(schema.patternProperties) ? schema.patternProperties : undefined);
  const [pairs] = patterns;
  if (pairs !== undefined) {
    const key = fc.stringMatching(new RegExp(pairs[0], 'u'));
    const maxKeys = Number(schema.maxProperties);
    // JSON has no prototypes, so "__proto__" is an ordinary key.
    return fc.dictionary(key, valuesOf(pairs[1]), { maxKeys, noNullPrototype: false });
  }
  const properties = entriesOf(isObject(schema.properties) ? schema.properties : undefined);
  const fields = Object.fromEntries(properties.map(([name, property]) => [name, valuesOf(property)]));
  if (schema.maxProperties === 1) {
    return fc.oneof(...Object.entries(fields).map(([name, value]) => value.map((json): Json => ({ [name]: json }))));
  }
  const required = Array.isArray(schema.required) ? schema.required.map(String) : [];
  return fc.record(fields, { requiredKeys: required });
}

/** Generates values that a schema of the contract allows. */
export function valuesOf(schema: JsonObject): fc.Arbitrary<Json> {
  if (Array.isArray(schema.enum)) return fc.constantFrom(...schema.enum);
  if (Array.isArray(schema.anyOf)) return fc.oneof(...schema.anyOf.filter(isObject).map(valuesOf));
  switch (schema.type) {
    case 'object':
      return objectOf(schema);
    case 'string':
      return textOf(schema);
    case 'boolean':
      return fc.boolean();
    case 'integer':
      return fc.integer({ min: Number(schema.minimum), max: Number(schema.maximum) });
    case 'number':
      return fc.double({ min: Number(schema.minimum), max: Number(schema.maximum), noNaN: true }).map((n) => n + 0);
    case 'null':
      return fc.constant(null);
    case 'array': {
      const items = valuesOf(isObject(schema.items) ? schema.items : {});
      const maxLength = Number(schema.maxItems);
      return schema.uniqueItems === true ? fc.uniqueArray(items, { maxLength }) : fc.array(items, { maxLength });
    }
    default:
      throw new Error(`no generator for ${JSON.stringify(schema)}`);
  }
}

/** JSON text as a tree: keys may repeat, and a value may be any text, valid or not. */
export type JsonTree =
  | { readonly raw: string }
  | { readonly items: JsonTree[] }
  | { readonly entries: (readonly [key: string, value: JsonTree])[] };

export function toJsonTree(value: Json): JsonTree {
  if (Array.isArray(value)) return { items: value.map(toJsonTree) };
  if (!isObject(value)) return { raw: JSON.stringify(value) };
  return { entries: Object.entries(value).map(([key, inner]) => [key, toJsonTree(inner)]) };
}

export function toText(tree: JsonTree): string {
  if ('raw' in tree) return tree.raw;
  if ('items' in tree) return `[${tree.items.map(toText).join(',')}]`;
  return `{${tree.entries.map(([key, value]) => `${JSON.stringify(key)}:${toText(value)}`).join(',')}}`;
}

export type Mutation =
  | { readonly kind: 'drop' | 'repeat'; readonly at: number }
  | { readonly kind: 'replace' | 'wrap'; readonly at: number; readonly by: string }
  | { readonly kind: 'add'; readonly at: number; readonly key: string; readonly by: string };

const DEEP = [100, 1_000, 8_000];
const STRANGE_VALUES = [
  ...[
    'null',
    'true',
    '0',
    '-0',
    '1e400',
    '-1e400',
    '9007199254740993',
    '1e-400',
    '""',
    '[]',
    '{}',
    '[[]]',
    '"\\u0000"',
  ],
  ...['"\\ud800"', '"\\udc00\\ud800"', '"👩"', '"\\ud83d\\udc69"', '"int_"', '"__proto__"', '{"__proto__":{"id":"x"}}'],
  ...[
    '{"constructor":{"prototype":{}}}',
    '{"toJSON":1}',
    '{"length":1e9}',
    '[null]',
    'NaN',
    'undefined',
    '{"$ref":"#"}',
  ],
  ...DEEP.flatMap((depth) => ['['.repeat(depth) + ']'.repeat(depth), '{"a":'.repeat(depth) + 1 + '}'.repeat(depth)]),
  ...[1_000, 30_000].flatMap((length) => [
    `"${'a'.repeat(length)}"`,
    `"${'👩'.repeat(length / 4)}"`,
    '9'.repeat(length),
  ]),
];
const STRANGE_KEYS = [
  ...['__proto__', 'constructor', 'prototype', 'toString', 'valueOf', 'hasOwnProperty', 'toJSON', 'then', 'length', ''],
  ...['id', 'email', 'external_id', 'phone', 'metadata', 'member', 'a/b', 'a~1b', 'a.b', '\u0000', '\ud800', '👩', '0'],
];

const at = fc.nat({ max: 1_000 });
const strangeValue = fc.oneof(fc.constantFrom(...STRANGE_VALUES), fc.json({ maxDepth: 3 }));
const strangeKey = fc.oneof(fc.constantFrom(...STRANGE_KEYS), fc.string({ maxLength: 300 }));

export const mutations: fc.Arbitrary<Mutation[]> = fc.array(
  fc.oneof(
    fc.record({ kind: fc.constantFrom('drop' as const, 'repeat' as const), at }),
    fc.record({ kind: fc.constant('replace' as const), at, by: strangeValue }),
    fc.record({ kind: fc.constant('wrap' as const), at, by: fc.constantFrom('[', '{"a":') }),
    fc.record({ kind: fc.constant('add' as const), at, key: strangeKey, by: strangeValue }),
  ),
  { minLength: 1, maxLength: 4 },
);

type Entry = readonly [key: string, value: JsonTree];

function mutateEntry([key, value]: Entry, mutation: Mutation): Entry[] {
  switch (mutation.kind) {
    case 'drop':
      return [];
    case 'repeat':
      return [
        [key, value],
        [key, { raw: 'null' }],
        [key, value],
      ];
    case 'replace':
      return [[key, { raw: mutation.by }]];
    case 'wrap':
      return [[key, mutation.by === '[' ? { items: [value] } : { entries: [['a', value]] }]];
    case 'add':
      return 'entries' in value
        ? [[key, { entries: [...value.entries, [mutation.key, { raw: mutation.by }]] }]]
        : [
            [key, value],
            [mutation.key, { raw: mutation.by }],
          ];
  }
}

const countEntries = (tree: JsonTree): number =>
  'entries' in tree ? tree.entries.reduce((sum, [, value]) => sum + 1 + countEntries(value), 0) : 0;

/** Changes one entry anywhere in the tree. */
export function mutate(tree: JsonTree, mutation: Mutation): JsonTree {
  const total = countEntries(tree);
  if (total === 0) return 'entries' in tree ? { entries: mutateEntry(['a', { raw: '1' }], mutation) } : tree;
  let left = mutation.at % total;
  const visit = (node: JsonTree): JsonTree => {
    if (!('entries' in node)) return node;
    const entries = node.entries.flatMap((entry): Entry[] => {
      if (left-- === 0) return mutateEntry(entry, mutation);
      return [[entry[0], visit(entry[1])]];
    });
    return { entries };
  };
  return visit(tree);
}
