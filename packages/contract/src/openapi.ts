/** Publishes the contract as an OpenAPI document. */

import { EXAMPLES, WEBHOOK_EXAMPLES } from './examples/index.ts';
import type { NamedExamples } from './examples/types.ts';
import { IdempotencyKey } from './fields.ts';
import { errorResponses, publishedErrors } from './openapi/errors.ts';
import { HEADERS, headerRef, RATE_HEADERS } from './openapi/headers.ts';
import { INTRODUCTION } from './openapi/introduction.ts';
import { API_KEY, describeKeys } from './openapi/keys.ts';
import { codeSamples } from './openapi/samples.ts';
import { type Json, type JsonObject, publish, publishedComponents, publishSchema } from './openapi/schemas.ts';
import { needsKey, type Operation, scopesOf } from './operation.ts';
import { OPERATIONS, type OperationId, VIDEO_TYPES } from './operations.ts';
import { pascalCase, WEBHOOK_EVENTS, WEBHOOK_TEST, webhookPayload } from './webhooks.ts';

/** The examples of an operation, seen without the types of its schemas. */
interface AnyExamples {
  readonly id?: string;
  readonly idempotencyKey?: string;
  readonly query?: Readonly<Record<string, string>>;
  readonly requests?: NamedExamples<unknown> | null;
  readonly responses: NamedExamples<unknown>;
}

const examplesOf = (operation: Operation): AnyExamples => EXAMPLES[operation.operationId as OperationId];

const publishExamples = (examples: NamedExamples<unknown>) => examples as unknown as JsonObject;

const NO_FIELDS: NamedExamples<object> = { empty: { summary: 'No fields; the body can also be omitted', value: {} } };

function idempotencyKey(example: string | undefined): JsonObject {
  const { description, examples: _general, ...schema } = publishSchema(IdempotencyKey);
  return {
    name: 'Idempotency-Key',
    in: 'header',
    required: true,
    description: description ?? '',
    schema,
    ...(example !== undefined && { example }),
  };
}

/** The id in the path belongs to the object in the first response, so that the reference tells one story. */
function pathExample(operation: Operation): string | undefined {
  const { id, responses } = examplesOf(operation);
  const [first] = Object.values(responses);
  return id ?? (first?.value as { id?: string } | undefined)?.id;
}

const QUERY_STYLES: Partial<Record<string, JsonObject>> = {
  // Several values are separated by commas.
  array: { style: 'form', explode: false },
  // name[key]=value
  object: { style: 'deepObject', explode: true },
};

function parameters(operation: Operation): Json[] {
  const list: Json[] = [];
  if (needsKey(operation)) list.push(idempotencyKey(examplesOf(operation).idempotencyKey));
  for (const [place, object] of [
    ['path', operation.params],
    ['query', operation.query],
  ] as const) {
    for (const [name, schema] of Object.entries(object?.properties ?? {})) {
      const { description, examples, ...published } = publishSchema(schema);
      const style = QUERY_STYLES[String(published.type)];
      const example = place === 'path' ? pathExample(operation) : undefined;
      list.push({
        name,
        in: place,
        required: place === 'path',
        description: description ?? '',
        ...style,
        schema: { ...published, ...(examples !== undefined && example === undefined && { examples }) },
        ...(example !== undefined && { example }),
      });
    }
  }
  return list;
}

/** The code samples send the first example. */
function samplesOf(operation: Operation): JsonObject[] {
  const { idempotencyKey, query, requests } = examplesOf(operation);
  const id = operation.params && pathExample(operation);
  return codeSamples({
    operationId: operation.operationId as OperationId,
    method: operation.method,
    path: operation.path.replace('{id}', id ?? ''),
    id,
    query,
    idempotencyKey,
    body: Object.values(requests ?? {})[0]?.value as Json | undefined,
  });
}

function bodyContent(operation: Operation, { kind, schema }: NonNullable<Operation['body']>): JsonObject {
  const examples = publishExamples(examplesOf(operation).requests ?? NO_FIELDS);
  const content: JsonObject = { 'application/json': { schema: publish(schema), examples } };
  // In OpenAPI 3.1, an empty schema stands for bytes.
  if (kind === 'clip') for (const type of VIDEO_TYPES) content[type] = {};
  return content;
}

const NOT_MODIFIED: JsonObject = {
  description: 'The response has not changed since the one whose `ETag` the request sent in `If-None-Match`. No body.',
  headers: { 'Request-Id': headerRef('RequestId'), ...RATE_HEADERS, ETag: headerRef('ETag') },
};

function publishOperation(operation: Operation): JsonObject {
  const { body, success } = operation;
  const headers: JsonObject = { 'Request-Id': headerRef('RequestId'), ...RATE_HEADERS };
  if (needsKey(operation)) headers['Idempotent-Replayed'] = headerRef('IdempotentReplayed');
  if (operation.method === 'GET') headers.ETag = headerRef('ETag');
  if (['createIntro', 'createTouchpointEvent'].includes(operation.operationId))
    headers['Foreword-Hint'] = headerRef('ForewordHint');
  const content = body && bodyContent(operation, body);
  return {
    operationId: operation.operationId,
    tags: [operation.tag],
    summary: operation.summary,
    description: `${operation.description}\n\n${describeKeys(operation)}`,
    'x-key-scopes': [...scopesOf(operation)],
    ...(operation.permission && { 'x-key-permission': operation.permission }),
    'x-codeSamples': samplesOf(operation),
    parameters: parameters(operation),
    ...(content && { requestBody: { required: body.kind === 'required', content } }),
    responses: {
      [success.status]: {
        description: success.description,
        headers,
        content: {
          'application/json': {
            schema: publish(success.schema),
            examples: publishExamples(examplesOf(operation).responses),
          },
        },
      },
      ...(operation.method === 'GET' && { '304': NOT_MODIFIED }),
      ...errorResponses(operation),
    },
  };
}

const SIGNATURE_HEADERS: [name: string, description: string, example: string][] = [
  ['webhook-id', 'Id of the message, the same for every attempt.', 'msg_01kahzv8e1f0rtx5m2q6n9d3bw'],
  ['webhook-timestamp', 'When this attempt was made, in seconds since 1970.', '1773343800'],
  [
    'webhook-signature',
    'One or two signatures, separated by a space: `v1,` and the Base64 of the HMAC-SHA256 over `id.timestamp.body`.',
    'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
  ],
];

function publishWebhook(type: keyof typeof WEBHOOK_EXAMPLES, event: Parameters<typeof webhookPayload>[1]): JsonObject {
  return {
    post: {
      operationId: `on${pascalCase(type)}`,
      tags: ['Webhooks'],
      summary: type,
      description: event.description,
      security: [],
      parameters: SIGNATURE_HEADERS.map(([name, description, example]) => ({
        name,
        in: 'header',
        required: true,
        description,
        schema: { type: 'string' },
        example,
      })),
      requestBody: {
        required: true,
        content: {
          'application/json': {
            schema: publish(webhookPayload(type, event)),
            examples: publishExamples(WEBHOOK_EXAMPLES[type]),
          },
        },
      },
      responses: {
        '2XX': { description: 'Any 2xx within 15 seconds confirms the message.' },
        '410': { description: 'Turns the endpoint off permanently.' },
      },
    },
  };
}

const publishWebhooks = (): JsonObject =>
  Object.fromEntries(
    [...Object.entries(WEBHOOK_EVENTS), [WEBHOOK_TEST.type, WEBHOOK_TEST] as const].map(([type, event]) => [
      type,
      publishWebhook(type as keyof typeof WEBHOOK_EXAMPLES, event),
    ]),
  );

const TAGS: Record<Operation['tag'], string> = {
  'Touchpoint events': 'Business events that your system reports.',
  Intros: 'The videos themselves, from request to delivery.',
  Recipients: 'The people whom the intros are for.',
  Touchpoints: 'The business events for which an organization requests intros.',
  Members: 'The people who record.',
  'Link domains': "Your own host names for recipients' links.",
  Webhooks: 'Your URLs that receive events.',
  'Test helpers': 'The part of members and recipients in end-to-end tests. In the test environment only.',
};

/** `version` is the version of Foreword. */
export function buildOpenApi(serverUrl: string, version: string): JsonObject {
  const paths: { [path: string]: JsonObject } = {};
  for (const operation of Object.values(OPERATIONS) as Operation[]) {
    paths[operation.path] = { ...paths[operation.path], [operation.method.toLowerCase()]: publishOperation(operation) };
  }
  const webhooks = publishWebhooks();
  return {
    openapi: '3.1.0',
    info: {
      title: 'Foreword API',
      version,
      summary: 'Personal video intros, requested by your system and recorded by a person.',
      description: INTRODUCTION,
      contact: { name: 'Foreword', url: `${serverUrl}/docs` },
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: serverUrl, description: 'This installation.' }],
    security: [{ apiKey: [] }],
    tags: Object.entries(TAGS).map(([name, description]) => ({ name, description })),
    paths,
    webhooks,
    components: {
      securitySchemes: {
        apiKey: { type: 'http', scheme: 'bearer', description: API_KEY },
      },
      headers: HEADERS,
      responses: publishedErrors(),
      // Publishing the operations and webhooks has collected them.
      schemas: publishedComponents(),
    },
  };
}
