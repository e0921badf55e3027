import { describe, expect, test } from 'vitest';
import { findBreakingChanges, type OpenApi, type Schema } from '../compatibility.ts';

const TEXT: Schema = { type: 'string' };
const NULLABLE: Schema = { type: ['string', 'null'] };
const CLOSED = { additionalProperties: false };
const ref = (name: string): Schema => ({ $ref: `#/components/schemas/${name}` });
const json = (schema: Schema) => ({ 'application/json': { schema } });
const object = (properties: Record<string, Schema>, more: Schema = {}): Schema => ({
  ...{ type: 'object', properties },
  ...more,
});
const field = (schema: Schema): Schema => object({ name: schema });
const oneOf = (...values: string[]): Schema => ({ enum: values });
const listOf = (items: Schema): Schema => ({ type: 'array', items });
const mapOf = (additionalProperties: Schema): Schema => ({ additionalProperties });

interface Parts {
  readonly operation?: object;
  readonly request?: Schema;
  readonly response?: Schema;
  readonly payload?: Schema;
  readonly parameters?: object[];
  readonly schemas?: Record<string, Schema>;
  readonly document?: object;
}

/** A document with one operation and one webhook; each test changes a part of it. */
function build({ operation, request = {}, response = {}, payload = {}, ...parts }: Parts = {}): OpenApi {
  const limit = { name: 'limit', in: 'query', schema: { type: 'integer', default: 20 } };
  const create = {
    operationId: 'createIntro',
    parameters: [limit, ...(parts.parameters ?? [])],
    requestBody: { required: true, content: json({ type: 'object', ...request }) },
    responses: { 201: { headers: { 'Request-Id': {} }, content: json({ type: 'object', ...response }) }, 422: {} },
    ...operation,
  };
  const ready = {
    operationId: 'onIntroReady',
    parameters: [{ name: 'webhook-id', in: 'header', required: true, schema: TEXT }],
    requestBody: { required: true, content: json(payload) },
  };
  return {
    security: [{ apiKey: [] }],
    paths: { '/v1/intros': { post: create } },
    webhooks: { 'intro.ready': { post: ready } },
    components: {
      schemas: parts.schemas ?? {},
      securitySchemes: { apiKey: { type: 'http', description: 'A key.' } },
    },
    ...parts.document,
  };
}

const mode = (required: boolean, schema = TEXT) => ({ parameters: [{ name: 'mode', in: 'query', required, schema }] });
const inPath = (schema: Schema) => ({ parameters: [{ name: 'id', in: 'path', required: true, schema }] });
const withDefault = (value: string) => mode(false, { ...TEXT, default: value });
const body = (requestBody: object): Parts => ({ operation: { requestBody } });
const replies = (headers: object): Parts => ({
  operation: { responses: { 201: { headers, content: json({ type: 'object' }) }, 422: {} } },
});
const POST = 'paths /v1/intros post';
const MODE = `${POST} parameters query mode`;
const BODY = `${POST} requestBody content application/json`;
const NAMES = '{"type":"string"}';
const PAYLOAD = 'webhooks intro.ready post requestBody content application/json';

const OPERATIONS: [rule: string, before: Parts, after: Parts, line: string][] = [
  ['an operation', {}, { document: { paths: {} } }, 'paths /v1/intros was removed'],
  ['a name', {}, { operation: { operationId: 'a' } }, `${POST} operationId changed from createIntro to a`],
  ['authentication', {}, { operation: { security: [] } }, `${POST} security changed from [{"apiKey":[]}] to []`],
  ['a scheme', {}, { document: { components: { schemas: {} } } }, 'components securitySchemes was removed'],
  ['a parameter', {}, { operation: { parameters: [] } }, `${POST} parameters query limit was removed`],
  ['a new required parameter', {}, mode(true), `${MODE} is now required`],
  ['a default', withDefault('a'), withDefault('b'), `${MODE} default changed from a to b`],
  ['a value', mode(false, oneOf('a', 'b')), mode(false, oneOf('a')), `${MODE} no longer allows "b"`],
  ['a required body', body({}), body({ required: true }), `${POST} requestBody is now required`],
  ['a media type', body({ content: json({}) }), body({ content: {} }), `${BODY} was removed`],
  ['a header', {}, replies({}), `${POST} responses 201 headers Request-Id was removed`],
  ['a field of a webhook', { payload: field(TEXT) }, { payload: object({}) }, `${PAYLOAD}.name was removed`],
];

const REQUESTS: [rule: string, before: Schema, after: Schema, line: string][] = [
  ['a new required field', object({}), object({ name: TEXT }, { required: ['name'] }), ' now requires name'],
  ['a removed field', field(TEXT), object({}), '.name was removed'],
  ['unknown fields', object({}), object({}, CLOSED), ' now rejects unknown fields'],
  ['another type', field(TEXT), field({ type: 'integer' }), '.name no longer allows any string'],
  ['null', field(NULLABLE), field(TEXT), '.name no longer allows null'],
  ['null beside values', field({ ...NULLABLE, enum: ['', null] }), field(oneOf('')), '.name no longer allows null'],
  ['integers', field({ type: 'number' }), field({ type: 'integer' }), '.name no longer allows any number'],
  ['a removed value', field(oneOf('a', 'b')), field(oneOf('a')), '.name no longer allows "b"'],
  ['a list of values', field(TEXT), field(oneOf('a')), '.name no longer allows any string'],
  [
    'a limit',
    field({ ...TEXT, maxLength: 9 }),
    field({ ...TEXT, maxLength: 8 }),
    '.name: maxLength changed from 9 to 8',
  ],
  ['pattern', field({ ...TEXT, pattern: 'a' }), field({ ...TEXT, pattern: 'b' }), '.name: pattern changed from a to b'],
  ['items', field(listOf(TEXT)), field(listOf(oneOf('a'))), '.name[] no longer allows any string'],
  ['the values of a map', object({}, mapOf(TEXT)), object({}, mapOf(oneOf('a'))), '.* no longer allows any string'],
  [
    'one of several shapes',
    { oneOf: [field(TEXT), object({ id: TEXT })] },
    { oneOf: [field(TEXT), object({ id: TEXT }, { required: ['id'] })] },
    ' now requires id',
  ],
  ['names in a map', object({}), object({}, { propertyNames: TEXT }), `: propertyNames changed from none to ${NAMES}`],
];

const RESPONSES: [rule: string, before: Schema, after: Schema, line: string][] = [
  ['a removed field', field(TEXT), object({}), '.name was removed'],
  ['a field that becomes optional', { ...field(TEXT), required: ['name'] }, field(TEXT), ' no longer always has name'],
  ['null', field(TEXT), field({ anyOf: [TEXT, { type: 'null' }] }), '.name now allows null'],
  ['a new value', field(oneOf('a')), field(oneOf('a', 'b')), '.name now allows "b"'],
  ['a removed value', field(oneOf('a', 'b')), field(oneOf('a')), '.name no longer allows "b"'],
  [
    'a limit',
    field({ ...TEXT, maxLength: 8 }),
    field({ ...TEXT, maxLength: 9 }),
    '.name: maxLength changed from 8 to 9',
  ],
  ['format', field({ ...TEXT, format: 'uri' }), field(TEXT), '.name: format changed from uri to none'],
];

const inRequest = (before: Schema, after: Schema) =>
  findBreakingChanges(build({ request: before }), build({ request: after }));
const inResponse = (before: Schema, after: Schema) =>
  findBreakingChanges(build({ response: before }), build({ response: after }));

describe('a breaking change is reported in one line', () => {
  test.each(OPERATIONS)('%s', (_, before, after, line) => {
    expect(findBreakingChanges(build(before), build(after))).toEqual([line]);
    expect(findBreakingChanges(build(before), build(before))).toEqual([]);
  });

  test.each(REQUESTS)('in a request: %s', (_, before, after, line) => {
    expect(inRequest(before, after)).toEqual([BODY + line]);
  });

  test.each(RESPONSES)('in a response: %s', (_, before, after, line) => {
    expect(inResponse(before, after)).toEqual([`${POST} responses 201 content application/json${line}`]);
  });

  test('under the name of its schema, once for all operations that use it', () => {
    const uses = { response: ref('Intro'), payload: ref('Intro') };
    const before = build({ ...uses, schemas: { Intro: field(TEXT) } });
    const after = build({ ...uses, schemas: { Intro: field(NULLABLE) } });
    expect(findBreakingChanges(before, after)).toEqual(['response Intro.name now allows null']);
  });
});

const limits = { maxLength: 8, pattern: '^a' };
const HARMLESS: [rule: string, before: Parts, after: Parts][] = [
  ['optional parameters and response fields', {}, { response: field(TEXT), ...mode(false) }],
  ['a path parameter that must not be empty', inPath(TEXT), inPath({ ...TEXT, minLength: 1 })],
  ['a query parameter that becomes a list', mode(false), mode(false, listOf(TEXT))],
  ['a response schema that becomes open', { response: { ...field(TEXT), ...CLOSED } }, { response: field(TEXT) }],
  [
    'a response schema with another name',
    { response: ref('Old'), schemas: { Old: field(TEXT) } },
    { response: ref('New'), schemas: { New: field(TEXT) } },
  ],
];

const WIDER_REQUESTS: [rule: string, before: Schema, after: Schema][] = [
  ['more values', oneOf('x'), oneOf('x', 'y')],
  ['longer text', { ...TEXT, maxLength: 8 }, { ...TEXT, maxLength: 9 }],
  ['values that may be empty', TEXT, { anyOf: [TEXT, { ...NULLABLE, maxLength: 0, enum: ['', null] }] }],
  ['open sets of values', oneOf('x'), { anyOf: [oneOf('x'), TEXT] }],
];

describe('a change that breaks no caller is not reported', () => {
  test.each(HARMLESS)('%s', (_, before, after) => {
    expect(findBreakingChanges(build(before), build(after))).toEqual([]);
  });

  test.each(WIDER_REQUESTS)('a wider request: %s', (_, before, after) => {
    expect(inRequest(field(before), field(after))).toEqual([]);
  });

  test('a new operation', () => {
    expect(findBreakingChanges(build({ document: { paths: {} } }), build())).toEqual([]);
  });

  test.each<[before: Schema, after: Schema]>([
    [{ anyOf: [oneOf('a'), { const: 'b' }, { type: 'null' }] }, { ...NULLABLE, enum: ['a', 'b', null] }],
    [{ anyOf: [{ ...TEXT, ...limits }, { type: 'null' }] }, { ...NULLABLE, ...limits }],
  ])('null or a set of values written in another way, in both directions: %j', (before, after) => {
    expect([...inRequest(field(before), field(after)), ...inResponse(field(before), field(after))]).toEqual([]);
  });
});
