import { describe, expect, test } from 'vitest';
import { findBreakingChanges, type OpenApi, type Schema } from '../compatibility.ts';

const TEXT: Schema = { type: 'string' };
const CLOSED = { additionalProperties: false };
const ref = (name: string): Schema => ({ $ref: `#/components/schemas/${name}` });
const json = (schema: Schema) => ({ 'application/json': { schema } });
const object = (properties: Record<string, Schema>, more: Schema = {}): Schema => ({
  type: 'object',
  properties,
  ...more,
});
const field = (schema: Schema): Schema => object({ name: schema });

interface Parts {
  operation?: object;
  request?: Schema;
  response?: Schema;
  payload?: Schema;
  parameters?: object[];
  schemas?: Record<string, Schema>;
  document?: object;
}

/** A document with one operation and one webhook; each test changes a part of it. */
function build({ operation, request, response, payload, parameters, schemas = {}, document }: Parts = {}): OpenApi {
  const intro = { '201': { headers: { 'Request-Id': {} }, content: json(response ?? { type: 'object' }) }, '422': {} };
  const limit = { name: 'limit', in: 'query', schema: { type: 'integer', default: 20 } };
  const create = {
    operationId: 'createIntro',
    parameters: [limit, ...(parameters ?? [])],
    requestBody: { required: true, content: json(request ?? { type: 'object' }) },
    responses: intro,
    ...operation,
  };
  const ready = {
    operationId: 'onIntroReady',
    parameters: [{ name: 'webhook-id', in: 'header', required: true, schema: TEXT }],
    requestBody: { required: true, content: json(payload ?? { type: 'object' }) },
    responses: { '2XX': {} },
  };
  return {
    security: [{ apiKey: [] }],
    paths: { '/v1/intros': { post: create } },
    webhooks: { 'intro.ready': { post: ready } },
    components: { schemas, securitySchemes: { apiKey: { type: 'http', description: 'A key.' } } },
    ...document,
  } as unknown as OpenApi;
}

const mode = (required: boolean, schema = TEXT) => ({ parameters: [{ name: 'mode', in: 'query', required, schema }] });
const withDefault = (value: string): Schema => ({ ...TEXT, default: value });
const oneOf = (...values: string[]): Schema => ({ enum: values });
const listOf = (items: Schema): Schema => ({ type: 'array', items });
const mapOf = (additionalProperties: Schema): Schema => ({ additionalProperties });
const body = (requestBody: object | undefined): Parts => ({ operation: { requestBody } });
const replies = (responses: object): Parts => ({ operation: { responses } });
const at = (line: string): string => `POST /v1/intros: ${line}`;

const OPERATIONS: [rule: string, before: Parts, after: Parts, line: string][] = [
  ['an operation', {}, { document: { paths: {} } }, 'POST /v1/intros was removed'],
  ['a name', {}, { operation: { operationId: 'a' } }, 'POST /v1/intros no longer has the operationId createIntro'],
  [
    'authentication',
    {},
    { operation: { security: [] } },
    'POST /v1/intros no longer is authenticated with [{"apiKey":[]}]',
  ],
  ['a scheme', {}, { document: { components: { schemas: {} } } }, 'the security scheme apiKey was removed'],
  ['a parameter', {}, { operation: { parameters: [] } }, at(`query parameter limit was removed`)],
  ['a new required parameter', {}, mode(true), 'POST /v1/intros now requires the query parameter mode'],
  [
    'a default',
    mode(false, withDefault('a')),
    mode(false, withDefault('b')),
    at('query parameter mode no longer has the default a'),
  ],
  ['a value', mode(false, oneOf('a', 'b')), mode(false, oneOf('a')), at('query parameter mode no longer allows "b"')],
  [
    'a required body',
    body({ content: json({}) }),
    body({ required: true, content: json({}) }),
    'POST /v1/intros now requires a body',
  ],
  [
    'a media type',
    body({ content: { ...json({}), 'video/mp4': {} } }),
    body({ content: json({}) }),
    at('body no longer has video/mp4'),
  ],
  [
    'a header',
    {},
    replies({ '201': { content: json({ type: 'object' }) }, '422': {} }),
    at('response 201 no longer has the header Request-Id'),
  ],
  [
    'a field of a webhook',
    { payload: field(TEXT) },
    { payload: object({}) },
    'webhook intro.ready: body.name was removed',
  ],
];

const REQUESTS: [rule: string, before: Schema, after: Schema, line: string][] = [
  ['a new required field', object({}), object({ name: TEXT }, { required: ['name'] }), ' now requires name'],
  ['a removed field', field(TEXT), object({}), '.name was removed'],
  ['unknown fields', object({}), object({}, CLOSED), ' now rejects unknown fields'],
  ['another type', field(TEXT), field({ type: 'integer' }), '.name no longer allows any string'],
  ['null', field({ type: ['string', 'null'] }), field(TEXT), '.name no longer allows null'],
  ['integers', field({ type: 'number' }), field({ type: 'integer' }), '.name no longer allows any number'],
  ['a removed value', field(oneOf('a', 'b')), field(oneOf('a')), '.name no longer allows "b"'],
  ['a list of values', field(TEXT), field(oneOf('a')), '.name no longer allows any string'],
  [
    'maxLength',
    field({ maxLength: 9, ...TEXT }),
    field({ maxLength: 8, ...TEXT }),
    '.name: maxLength changed from 9 to 8',
  ],
  ['pattern', field({ ...TEXT, pattern: 'a' }), field({ ...TEXT, pattern: 'b' }), '.name: pattern changed from a to b'],
  ['items', field(listOf(TEXT)), field(listOf(oneOf('a'))), '.name[] no longer allows any string'],
  ['the values of a map', object({}, mapOf(TEXT)), object({}, mapOf(oneOf('a'))), '.* no longer allows any string'],
  [
    'one of several shapes',
    { oneOf: [field(TEXT), object({ id: TEXT })] },
    { oneOf: [field(TEXT), object({ id: TEXT }, { required: ['id'] })] },
    ' (choice 2) now requires id',
  ],
  [
    'names in a map',
    object({}),
    object({}, { propertyNames: oneOf('a') }),
    ': propertyNames changed from none to {"enum":["a"]}',
  ],
];

const RESPONSES: [rule: string, before: Schema, after: Schema, line: string][] = [
  ['a removed field', field(TEXT), object({}), '.name was removed'],
  ['a field that becomes optional', { ...field(TEXT), required: ['name'] }, field(TEXT), ' no longer always has name'],
  ['null', field(TEXT), field({ anyOf: [TEXT, { type: 'null' }] }), '.name now allows null'],
  ['a new value', field(oneOf('a')), field(oneOf('a', 'b')), '.name now allows "b"'],
  ['a removed value', field(oneOf('a', 'b')), field(oneOf('a')), '.name no longer allows "b"'],
  [
    'maxLength',
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
    expect(inRequest(before, after)).toEqual([at(`body${line}`)]);
  });

  test.each(RESPONSES)('in a response: %s', (_, before, after, line) => {
    expect(inResponse(before, after)).toEqual([at(`response 201${line}`)]);
  });

  test('under the name of its schema, once for all operations that use it', () => {
    const uses = { response: ref('Intro'), payload: ref('Intro') };
    const before = build({ ...uses, schemas: { Intro: field(TEXT) } });
    const after = build({ ...uses, schemas: { Intro: field({ type: ['string', 'null'] }) } });
    expect(findBreakingChanges(before, after)).toEqual(['response Intro.name now allows null']);
  });
});

describe('a change that breaks no caller is not reported', () => {
  test('new operations, optional parameters and response fields', () => {
    const paths = { ...build().paths, '/v1/dry_run': build().paths['/v1/intros'] };
    const after = build({ response: field(TEXT), ...mode(false), document: { paths } });
    expect(findBreakingChanges(build(), { ...after, paths: { ...after.paths, ...build(mode(false)).paths } })).toEqual(
      [],
    );
  });

  test('a path parameter that must not be empty, and a query parameter that becomes a list', () => {
    const path = (schema: Schema) => build({ parameters: [{ name: 'id', in: 'path', required: true, schema }] });
    expect(findBreakingChanges(path(TEXT), path({ ...TEXT, minLength: 1 }))).toEqual([]);
    expect(findBreakingChanges(build(mode(false)), build(mode(false, { type: 'array', items: TEXT })))).toEqual([]);
  });

  test('a response schema that becomes open, or gets another name', () => {
    const before = build({ response: ref('Old'), schemas: { Old: { ...field(TEXT), ...CLOSED } } });
    expect(findBreakingChanges(before, build({ response: ref('New'), schemas: { New: field(TEXT) } }))).toEqual([]);
  });

  test('null or a set of values written in another way, in both directions', () => {
    const before = field({ anyOf: [{ const: 'a' }, { const: 'b' }, { type: 'null' }] });
    const after = field({ type: ['string', 'null'], enum: ['a', 'b', null] });
    expect([...inRequest(before, after), ...inResponse(before, after)]).toEqual([]);
    const limits = { maxLength: 8, pattern: '^a' };
    const choice = field({ anyOf: [{ ...TEXT, ...limits }, { type: 'null' }] });
    const list = field({ type: ['string', 'null'], ...limits });
    expect([...inRequest(choice, list), ...inResponse(choice, list)]).toEqual([]);
  });

  test('a wider request: more values, longer text, null, open sets of values, values that may be empty', () => {
    const before = object({ a: { enum: ['x'] }, b: { ...TEXT, maxLength: 8 }, c: TEXT, d: { enum: ['x'] } }, CLOSED);
    const after = object({
      a: { enum: ['x', 'y'] },
      b: { ...TEXT, maxLength: 9 },
      c: { anyOf: [TEXT, { type: ['string', 'null'], maxLength: 0, enum: ['', null] }] },
      d: { anyOf: [{ enum: ['x'] }, TEXT] },
    });
    expect(inRequest(before, after)).toEqual([]);
  });
});
