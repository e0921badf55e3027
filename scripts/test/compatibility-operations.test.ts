import { describe, expect, test } from 'vitest';
import { findBreakingChanges, type OpenApi } from '../compatibility/document.ts';
import { reviewChanges } from '../compatibility/exceptions.ts';
import type { Schema } from '../compatibility/schema.ts';
import { buildDocument, field, json, object, TEXT } from './openapi-document.ts';

const OPERATION_CHANGES: [rule: string, before: OpenApi, after: OpenApi, line: string][] = [
  ['a removed operation', buildDocument(), buildDocument({ extra: { paths: {} } }), 'POST /v1/intros was removed'],
  ['a removed webhook', buildDocument(), buildDocument({ extra: { webhooks: {} } }), 'webhook intro.ready was removed'],
  [
    'another operationId',
    buildDocument(),
    buildDocument({ operation: { operationId: 'newIntro' } }),
    'POST /v1/intros: operationId changed from createIntro to newIntro',
  ],
  [
    'another authentication',
    buildDocument(),
    buildDocument({ operation: { security: [{ apiKey: ['write'] }] } }),
    'POST /v1/intros: the required authentication changed',
  ],
  [
    'another security scheme',
    buildDocument(),
    buildDocument({ extra: { components: { schemas: {}, securitySchemes: {} } } }),
    'the security scheme apiKey changed',
  ],
  [
    'a removed parameter',
    buildDocument(),
    buildDocument({ operation: { parameters: [] } }),
    'POST /v1/intros: query parameter limit was removed',
  ],
  [
    'a new required parameter',
    buildDocument(),
    buildDocument({ query: [{ name: 'mode', in: 'query', required: true, schema: TEXT }] }),
    'POST /v1/intros: query parameter mode is now required',
  ],
  [
    'a parameter that becomes required',
    buildDocument({ query: [{ name: 'mode', in: 'query', required: false, schema: TEXT }] }),
    buildDocument({ query: [{ name: 'mode', in: 'query', required: true, schema: TEXT }] }),
    'POST /v1/intros: query parameter mode is now required',
  ],
  [
    'another default',
    buildDocument(),
    buildDocument({
      operation: { parameters: [{ name: 'limit', in: 'query', schema: { type: 'integer', default: 10 } }] },
    }),
    'POST /v1/intros: query parameter limit: default changed from 20 to 10',
  ],
  [
    'a narrower parameter',
    buildDocument({ query: [{ name: 'mode', in: 'query', schema: TEXT }] }),
    buildDocument({ query: [{ name: 'mode', in: 'query', schema: { enum: ['a'] } }] }),
    'POST /v1/intros: query parameter mode accepts only "a" now',
  ],
  [
    'a body that becomes required',
    buildDocument({ operation: { requestBody: { required: false, content: json({}) } } }),
    buildDocument({ operation: { requestBody: { required: true, content: json({}) } } }),
    'POST /v1/intros: the body is now required',
  ],
  [
    'a removed body',
    buildDocument(),
    buildDocument({ operation: { requestBody: undefined } }),
    'POST /v1/intros: the body was removed',
  ],
  [
    'a removed media type',
    buildDocument({ operation: { requestBody: { content: { ...json({}), 'video/mp4': {} } } } }),
    buildDocument({ operation: { requestBody: { content: json({}) } } }),
    'POST /v1/intros: body: video/mp4 was removed',
  ],
  [
    'a removed response status',
    buildDocument(),
    buildDocument({ operation: { responses: { '422': {} } } }),
    'POST /v1/intros: response 201 was removed',
  ],
  [
    'a removed response header',
    buildDocument(),
    buildDocument({ operation: { responses: { '201': { content: json({ type: 'object' }) }, '422': {} } } }),
    'POST /v1/intros: response 201: the header Request-Id was removed',
  ],
  [
    'a removed field of a webhook',
    buildDocument({ payload: object({ type: TEXT }) }),
    buildDocument({ payload: object({}) }),
    'webhook intro.ready: body.type was removed',
  ],
];

describe('a breaking change is reported in one line', () => {
  test.each(OPERATION_CHANGES)('%s', (_, before, after, line) => {
    expect(findBreakingChanges(before, after)).toEqual([line]);
    expect(findBreakingChanges(before, before)).toEqual([]);
  });

  test('under the name of its schema, once for all operations that use it', () => {
    const uses = { response: { $ref: '#/components/schemas/Intro' }, payload: { $ref: '#/components/schemas/Intro' } };
    const before = buildDocument({ ...uses, schemas: { Intro: field(TEXT) } });
    const after = buildDocument({ ...uses, schemas: { Intro: field({ type: ['string', 'null'] }) } });
    expect(findBreakingChanges(before, after)).toEqual(['response Intro.name can now be the type null']);
  });
});

describe('a change that breaks no caller is not reported', () => {
  test('new operations, optional parameters, statuses and response fields', () => {
    const after = buildDocument({
      response: field(TEXT),
      query: [{ name: 'mode', in: 'query', required: false, schema: TEXT }],
      extra: { paths: { ...buildDocument().paths, '/v1/dry_run': buildDocument().paths['/v1/intros'] } },
    });
    expect(findBreakingChanges(buildDocument(), after)).toEqual([]);
  });

  test('a path parameter that must not be empty', () => {
    const parameter = (schema: Schema) =>
      buildDocument({ query: [{ name: 'id', in: 'path', required: true, schema }] });
    expect(findBreakingChanges(parameter(TEXT), parameter({ ...TEXT, minLength: 1 }))).toEqual([]);
  });

  test('a query parameter that becomes a list', () => {
    const parameter = (schema: Schema) => buildDocument({ query: [{ name: 'status', in: 'query', schema }] });
    expect(findBreakingChanges(parameter(TEXT), parameter({ type: 'array', items: TEXT }))).toEqual([]);
  });
});

describe('exceptions', () => {
  const EXCEPTIONS = { 'v1.0.0': [{ reason: 'No caller used it.', changes: ['GET /v1/a was removed'] }] };

  test('accept exactly the listed changes since their release', () => {
    const changes = ['GET /v1/a was removed', 'GET /v1/b was removed'];
    expect(reviewChanges(changes, EXCEPTIONS, 'v1.0.0')).toEqual({
      unreviewed: ['GET /v1/b was removed'],
      stale: [],
      accepted: 1,
    });
    expect(reviewChanges(changes, EXCEPTIONS, 'v1.1.0').unreviewed).toEqual(changes);
  });

  test('are reported when their change does not exist', () => {
    expect(reviewChanges([], EXCEPTIONS, 'v1.0.0').stale).toEqual(['GET /v1/a was removed']);
  });
});
