/** Folder: publishes the contract as an OpenAPI document. */

import {
  IdempotencyKey,
  type Json,
  type JsonObject,
  needsKey,
  OPERATIONS,
  type Operation,
  type OperationId,
  pascalCase,
  scopesOf,
  type TSchema,
  VIDEO_TYPES,
  WEBHOOK_EVENTS,
  WEBHOOK_TEST,
  type WebhookEventType,
  webhookExample,
  webhookPayload,
} from '@foreword/contract';
import { errorExamples, errorResponses, HEADERS, headerRef, publishedErrors } from './errors.ts';
import { API_KEY, describeKeys, INTRODUCTION } from './introduction.ts';
import { codeSamples } from './samples.ts';
import { publish, publishedComponents, publishSchema } from './schemas.ts';

const NO_FIELDS = { 'No fields; the body can also be omitted': {} };

const camelCase = (summary: string): string =>
  summary.toLowerCase().replaceAll(/[^a-z0-9]+([a-z0-9])/g, (_match, letter: string) => letter.toUpperCase());

/** Examples by their summaries, as named examples. */
const publishExamples = (examples: Readonly<Record<string, object>>): JsonObject =>
  Object.fromEntries(
    Object.entries(examples).map(([summary, value]) => [camelCase(summary), { summary, value: value as Json }]),
  );

/** The examples of responses and webhooks, by their names as components: most are the one object of a resource. */
const sharedExamples = new Map<string, JsonObject>();

/** A reference to the example, named after its schema or, if another value has that name, after `user`. */
function shareExample(schema: TSchema, user: string, value: object): JsonObject {
  const { 'x-component': component } = schema as { 'x-component'?: string };
  const [known] = [...sharedExamples].find(([, one]) => JSON.stringify(one.value) === JSON.stringify(value)) ?? [];
  const name = known ?? [component, user].find((one) => one !== undefined && !sharedExamples.has(one));
  if (name === undefined) throw new Error(`there are two examples of ${user}`);
  const summary = name.replaceAll(/(?<=[a-z])[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
  if (known === undefined) sharedExamples.set(name, { summary, value: value as Json });
  return { [`${name[0]?.toLowerCase()}${name.slice(1)}`]: { $ref: `#/components/examples/${name}` } };
}

function responseExamples({ operationId, success: { schema, example } }: Operation): JsonObject {
  const examples =
    'examples' in example ? Object.entries(example.examples as Record<string, object>) : [['', example] as const];
  const published = examples.map(([state, value]) =>
    shareExample(schema, pascalCase(`${operationId}_${state}`), value),
  );
  return Object.assign({}, ...published);
}

/** Derived, unless the operation has one of its own: a key belongs to one request. */
const keyExample = ({ operationId, keyExample: own }: Operation): string =>
  own ?? `acme_crm:appt_8812:${operationId.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)}`;

const QUERY_STYLES: Partial<Record<string, JsonObject>> = {
  // Several values are separated by commas.
  array: { style: 'form', explode: false },
  // name[key]=value
  object: { style: 'deepObject', explode: true },
};

function publishParameter(name: string, place: string, schema: TSchema): JsonObject {
  const { description, examples, ...published } = publishSchema(schema);
  const isRequired = place !== 'query';
  return {
    name,
    in: place,
    ...(isRequired && { required: true }),
    description: description ?? '',
    ...QUERY_STYLES[String(published.type)],
    schema: { ...published, ...(examples !== undefined && !isRequired && { examples }) },
    ...(isRequired && { example: (examples as Json[])[0] ?? null }),
  };
}

/** Parameters with the same name and meaning in several operations, by their names as components. */
const sharedParameters = new Map<string, JsonObject>();

const parameterName = (path: string, { name, in: place }: JsonObject): string =>
  pascalCase(place === 'path' ? `${/(\w+)\/\{/.exec(path)?.[1]}_${name}` : String(name));

/** Publishes parameters that several operations have as components. */
function shareParameters(paths: { [path: string]: JsonObject }): void {
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.values(methods).map((one) => ({ path, operation: one as { parameters: JsonObject[] } })),
  );
  const uses = Map.groupBy(
    operations.flatMap(({ operation }) => operation.parameters),
    (parameter) => JSON.stringify(parameter),
  );
  for (const { path, operation } of operations)
    operation.parameters = operation.parameters.map((parameter) => {
      if ((uses.get(JSON.stringify(parameter)) ?? []).length === 1) return parameter;
      const name = parameterName(path, parameter);
      sharedParameters.set(name, parameter);
      return { $ref: `#/components/parameters/${name}` };
    });
}

function parameters(operation: Operation): Json[] {
  // Each operation has an example of its own: clients made from this document send it, and a key that is used again is a conflict.
  const schema = publishSchema(IdempotencyKey);
  const key = needsKey(operation)
    ? [{ name: 'Idempotency-Key', in: 'header', required: true, schema, example: keyExample(operation) }]
    : [];
  const named = [
    ['path', operation.params],
    ['query', operation.query],
  ] as const;
  return [
    ...key,
    ...named.flatMap(([place, object]) =>
      Object.entries(object?.properties ?? {}).map(([name, schema]) => publishParameter(name, place, schema)),
    ),
  ];
}

/** The code samples send the first example. */
function samplesOf(operation: Operation): JsonObject[] {
  const { params, filterExample: query, path, method } = operation;
  const [id] = (params?.properties.id as { examples?: string[] } | undefined)?.examples ?? [];
  const [body] = Object.values(operation.body?.examples ?? {});
  return codeSamples({
    operationId: operation.operationId as OperationId,
    method,
    path: path.replace('{id}', id ?? ''),
    id,
    query,
    idempotencyKey: needsKey(operation) ? keyExample(operation) : undefined,
    body: body as Json | undefined,
  });
}

const requestBodies = new Map<string, JsonObject>();

/** A reference to the body, named after its schema or, if another body has that name, after the operation. */
function publishBody(
  { kind, schema, examples = NO_FIELDS }: NonNullable<Operation['body']>,
  operationId: string,
): JsonObject {
  const content: JsonObject = {
    'application/json': { schema: publish(schema), examples: publishExamples(examples) },
  };
  // In OpenAPI 3.1, an empty schema stands for bytes.
  if (kind === 'clip') for (const type of VIDEO_TYPES) content[type] = {};
  const body: JsonObject = { required: kind === 'required', content };
  const component = String((schema as { 'x-component'?: string })['x-component']);
  const known = requestBodies.get(component);
  const name =
    known === undefined || JSON.stringify(known) === JSON.stringify(body) ? component : pascalCase(operationId);
  requestBodies.set(name, body);
  return { $ref: `#/components/requestBodies/${name}` };
}

const NOT_MODIFIED: JsonObject = {
  description: 'The response has not changed since the one whose `ETag` the request sent in `If-None-Match`. No body.',
  headers: { 'Request-Id': headerRef('RequestId'), ETag: headerRef('ETag') },
};

function publishOperation(operation: Operation): JsonObject {
  const { body, success } = operation;
  const headers: JsonObject = { 'Request-Id': headerRef('RequestId') };
  if (needsKey(operation)) headers['Idempotent-Replayed'] = headerRef('IdempotentReplayed');
  if (operation.method === 'GET') headers.ETag = headerRef('ETag');
  if (operation.isBatched || 'wait' in operation.query.properties) headers['Foreword-Hint'] = headerRef('ForewordHint');
  return {
    operationId: operation.operationId,
    tags: [operation.tag],
    summary: operation.summary,
    description: `${operation.description}\n\n${describeKeys(operation)}`,
    'x-key-scopes': [...scopesOf(operation)],
    ...(operation.permission && { 'x-key-permission': operation.permission }),
    'x-codeSamples': samplesOf(operation),
    parameters: parameters(operation),
    ...(body && { requestBody: publishBody(body, operation.operationId) }),
    responses: {
      [success.status]: {
        description: success.description,
        headers,
        content: {
          'application/json': {
            schema: publish(success.schema),
            examples: responseExamples(operation),
          },
        },
      },
      ...(operation.method === 'GET' && { '304': { $ref: '#/components/responses/NotModified' } }),
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

function publishWebhook(
  type: WebhookEventType | 'webhook.test',
  event: Parameters<typeof webhookPayload>[1],
): JsonObject {
  const payload = webhookPayload(type, event);
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
            schema: publish(payload),
            examples: shareExample(payload, pascalCase(type), webhookExample(type)),
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
      publishWebhook(type as WebhookEventType | 'webhook.test', event),
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
  shareParameters({ ...paths, ...(webhooks as { [type: string]: JsonObject }) });
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
      parameters: Object.fromEntries(sharedParameters),
      examples: { ...Object.fromEntries(sharedExamples), ...errorExamples() },
      requestBodies: Object.fromEntries(requestBodies),
      headers: HEADERS,
      responses: { NotModified: NOT_MODIFIED, ...publishedErrors() },
      // Publishing the operations and webhooks has collected them.
      schemas: publishedComponents(),
    },
  };
}
