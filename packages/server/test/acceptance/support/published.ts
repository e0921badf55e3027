import { Ajv2020, type AnySchemaObject, type ValidateFunction } from 'ajv/dist/2020.js';
import { expect } from 'vitest';
import type { Api, Reply } from '../../harness/index.ts';

/** Named examples. */
export type PublishedExamples = Record<string, { summary: string; value: unknown }>;

interface PublishedContent {
  readonly content: { 'application/json': { schema: Schema; examples?: PublishedExamples } };
}

interface PublishedResponse extends PublishedContent {
  readonly headers: Record<string, unknown>;
}

export interface PublishedOperation {
  readonly operationId: string;
  readonly description: string;
  readonly 'x-key-scopes': string[];
  readonly 'x-codeSamples': { source: string }[];
  readonly parameters: { name: string; in: string; example?: string }[];
  readonly requestBody?: PublishedContent;
  readonly responses: Record<string, PublishedResponse>;
}

export interface Schema {
  readonly $ref?: string;
  readonly properties?: Record<string, Schema>;
  readonly required?: string[];
  readonly items?: Schema;
  readonly anyOf?: Schema[];
  readonly additionalProperties?: boolean | Schema;
}

export interface OpenApi {
  readonly openapi: string;
  readonly info: { version: string };
  readonly servers: readonly { url: string }[];
  readonly paths: Record<string, Record<string, PublishedOperation>>;
  readonly webhooks: Record<string, Record<string, PublishedOperation>>;
  readonly components: { schemas: Record<string, Schema> };
}

/** The OpenAPI document of the service, and a check of its responses against it. */
export interface Published {
  readonly document: OpenApi;
  /** The same API, but a response that does not match the document fails the test. */
  checked(api: Api): Api;
  /** Fails the test unless the value has exactly the fields and values that the schema at these keys documents. */
  expectValid(pathToSchema: string[], value: unknown): void;
}

const TIMESTAMP = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/;
const REQUEST_ID = /^req_[0-9a-z]+$/;
const ERROR = 'openapi.json#/components/schemas/ApiError';

const pointer = (parts: string[]) =>
  parts.map((part) => `/${encodeURIComponent(part.replaceAll('~', '~0').replaceAll('/', '~1'))}`).join('');

/** Published responses are open, so that they may gain fields. Ours contain the documented fields only. */
function closed(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(closed);
  if (typeof schema !== 'object' || schema === null) return schema;
  const parts = Object.fromEntries(Object.entries(schema).map(([key, part]) => [key, closed(part)]));
  const isOpen = 'type' in schema && schema.type === 'object' && 'properties' in schema;
  return isOpen && !('additionalProperties' in schema) ? { ...parts, additionalProperties: false } : parts;
}

function createAjv(document: OpenApi): Ajv2020 {
  const ajv = new Ajv2020({ strict: true, allowUnionTypes: true, allErrors: true });
  ajv.addVocabulary(Object.keys(document));
  // Timestamps are always in UTC with milliseconds, which is stricter than the format.
  ajv.addFormat('date-time', TIMESTAMP);
  ajv.addFormat('uri', (text: string) => URL.canParse(text));
  ajv.addSchema(closed(document) as AnySchemaObject, 'openapi.json');
  return ajv;
}

function fieldsOf(document: OpenApi, schema: Schema): Schema {
  const name = schema.$ref?.split('/').at(-1);
  if (name !== undefined) return fieldsOf(document, document.components.schemas[name] ?? {});
  const [first] = schema.anyOf ?? [];
  return first === undefined ? schema : fieldsOf(document, first);
}

/** Fields have the documented order, at every depth. */
function expectOrder(document: OpenApi, value: unknown, declared: Schema): void {
  if (typeof value !== 'object' || value === null) return;
  const { properties, items } = fieldsOf(document, declared);
  if (Array.isArray(value)) {
    for (const item of value) expectOrder(document, item, items ?? {});
    return;
  }
  if (properties === undefined) return;
  expect(Object.keys(value)).toEqual(Object.keys(properties).filter((name) => name in value));
  for (const [name, part] of Object.entries(value)) expectOrder(document, part, properties[name] ?? {});
}

class ResponseCheck {
  private readonly document: OpenApi;
  private readonly ajv: Ajv2020;
  private readonly validators = new Map<string, ValidateFunction>();
  private readonly routes: readonly { path: string; pattern: RegExp }[];

  constructor(document: OpenApi) {
    this.document = document;
    this.ajv = createAjv(document);
    this.routes = Object.keys(document.paths).map((path) => ({
      path,
      pattern: new RegExp(`^${path.replaceAll(/\{[a-z_]+\}/g, '[^/]+')}/?$`),
    }));
  }

  expectValid(ref: string, body: unknown): void {
    const validate = this.validators.get(ref) ?? this.ajv.compile({ $ref: ref });
    this.validators.set(ref, validate);
    expect(validate(body) ? [] : validate.errors, `does not match ${ref}: ${JSON.stringify(body)}`).toEqual([]);
  }

  expectAsPublished(method: string, target: string, reply: Reply): void {
    const where = `${method} ${target}: ${reply.status}`;
    expect(reply.headers.get('request-id'), where).toMatch(REQUEST_ID);
    if (method === 'HEAD') return;
    expect(reply.headers.get('content-type'), where).toBe('application/json; charset=utf-8');
    const path = this.routes.find(({ pattern }) => pattern.test(target.split('?')[0] ?? ''))?.path;
    const operation = this.document.paths[path ?? '']?.[method.toLowerCase()];
    if (path === undefined || operation === undefined) {
      expect([404, 405], where).toContain(reply.status);
      this.expectValid(ERROR, reply.body);
      return;
    }
    const response = operation.responses[reply.status];
    if (response === undefined) throw new Error(`${where} is not published: ${JSON.stringify(reply.body)}`);
    const parts = ['paths', path, method.toLowerCase(), 'responses', String(reply.status), 'content'];
    this.expectValid(`openapi.json#${pointer([...parts, 'application/json', 'schema'])}`, reply.body);
    const { schema, examples = {} } = response.content['application/json'];
    expectOrder(this.document, reply.body, schema);
    if (reply.status >= 400) expectPublishedError(where, reply.body.error, Object.keys(examples));
  }
}

/** Details of an error, besides its code and message. */
const DETAILS: Readonly<Record<string, readonly string[]>> = {
  validation_failed: ['field', 'problems'],
  touchpoint_not_found: ['field'],
  member_not_found: ['field'],
  member_ambiguous: ['field'],
  idempotency_conflict: ['object_id'],
};

function expectPublishedError(
  where: string,
  error: { code: string; message: string; field?: string },
  codes: string[],
) {
  expect(codes, where).toContain(error.code);
  expect(Object.keys(error), where).toEqual(['code', 'message', ...(DETAILS[error.code] ?? [])]);
  if (error.code === 'validation_failed') expect(error.message.startsWith(`${error.field} `), where).toBe(true);
}

const SHARED = /^#\/components\/(responses|parameters|examples|requestBodies)\/(.*)/;

/** An OpenAPI document with its shared parts, except schemas and headers, in their places. */
export function readDocument<Document>(text: string): Document {
  const { components } = JSON.parse(text) as { components: Record<string, Record<string, object>> };
  const inPlace = (part: unknown): unknown =>
    JSON.parse(JSON.stringify(part), (_key, value) => {
      const [, section = '', name = ''] = SHARED.exec(String(value?.$ref)) ?? [];
      return section === '' ? value : inPlace(components[section]?.[name]);
    });
  return inPlace(JSON.parse(text)) as Document;
}

export async function readPublished(url: string): Promise<Published> {
  const document = readDocument<OpenApi>(await (await fetch(`${url}/openapi.json`)).text());
  const check = new ResponseCheck(document);
  return {
    document,
    expectValid: (parts, value) => check.expectValid(`openapi.json#${pointer(parts)}`, value),
    checked: (api) => ({
      async get(path) {
        const reply = await api.get(path);
        check.expectAsPublished('GET', path, reply);
        return reply;
      },
      async post(path, body, options) {
        const reply = await api.post(path, body, options);
        check.expectAsPublished('POST', path, reply);
        return reply;
      },
      async raw(method, path, options) {
        const reply = await api.raw(method, path, options);
        check.expectAsPublished(method, path, reply);
        return reply;
      },
    }),
  };
}
