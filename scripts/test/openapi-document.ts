import type { OpenApi } from '../compatibility/document.ts';
import type { Schema } from '../compatibility/schema.ts';

type Json = Record<string, unknown>;

export const TEXT: Schema = { type: 'string' };
export const json = (schema: Schema) => ({ 'application/json': { schema } });

/** A document with one operation and one webhook; each test changes a part of it. */
export function buildDocument({
  operation,
  request,
  response,
  payload,
  query,
  schemas,
  extra,
}: Partial<Record<string, unknown>> = {}) {
  return {
    security: [{ apiKey: [] }],
    paths: {
      '/v1/intros': {
        post: {
          operationId: 'createIntro',
          parameters: [
            { name: 'limit', in: 'query', required: false, schema: { type: 'integer', default: 20 } },
          ].concat((query ?? []) as never[]),
          requestBody: { required: true, content: json((request ?? { type: 'object' }) as Schema) },
          responses: {
            '201': { headers: { 'Request-Id': {} }, content: json((response ?? { type: 'object' }) as Schema) },
            '422': {},
          },
          ...(operation as Json),
        },
      },
    },
    webhooks: {
      'intro.ready': {
        post: {
          operationId: 'onIntroReady',
          parameters: [{ name: 'webhook-id', in: 'header', required: true, schema: TEXT }],
          requestBody: { required: true, content: json((payload ?? { type: 'object' }) as Schema) },
          responses: { '2XX': {} },
        },
      },
    },
    components: {
      schemas: (schemas ?? {}) as Record<string, Schema>,
      securitySchemes: { apiKey: { type: 'http', scheme: 'bearer', description: 'A key.' } },
    },
    ...(extra as Json),
  } as unknown as OpenApi;
}

export const object = (properties: Record<string, Schema>, more: Schema = {}): Schema => ({
  type: 'object',
  properties,
  ...more,
});
export const field = (schema: Schema): Schema => object({ name: schema });
