import type { TSchema } from 'typebox';
import { ERRORS, type ErrorCode } from './errors.ts';
import { EXAMPLES, WEBHOOK_EXAMPLES } from './examples/index.ts';
import type { NamedExamples } from './examples/types.ts';
import { IdempotencyKey } from './fields.ts';
import { CreateMember, UpdateMember } from './member-operations.ts';
import { INTRODUCTION } from './openapi/introduction.ts';
import { API_KEY, describeKeys } from './openapi/keys.ts';
import { type Operation, scopesOf } from './operation.ts';
import { COMMON_ERRORS, OPERATIONS, type OperationId, VIDEO_TYPES } from './operations.ts';
import { AcceptedEvent, ErrorBody, Intro, Member, Touchpoint, TouchpointEvent } from './resources.ts';
import { TimelineStep } from './timeline.ts';
import {
  WEBHOOK_EVENTS,
  WEBHOOK_TEST,
  WebhookAttempt,
  WebhookEndpoint,
  WebhookEndpointWithSecret,
  WebhookMessage,
  webhookPayload,
} from './webhooks.ts';

type Json = null | boolean | number | string | Json[] | { [key: string]: Json };
type JsonObject = { [key: string]: Json };

const COMPONENTS = new Map<TSchema, string>([
  [Intro, 'Intro'],
  [AcceptedEvent, 'AcceptedTouchpointEvent'],
  [TouchpointEvent, 'TouchpointEvent'],
  [Touchpoint, 'Touchpoint'],
  [Member, 'Member'],
  [CreateMember, 'CreateMember'],
  [UpdateMember, 'UpdateMember'],
  [WebhookEndpoint, 'WebhookEndpoint'],
  [WebhookEndpointWithSecret, 'WebhookEndpointWithSecret'],
  [WebhookMessage, 'WebhookMessage'],
  [WebhookAttempt, 'WebhookAttempt'],
  [TimelineStep, 'TimelineStep'],
  [ErrorBody, 'Error'],
]);

/** Validators know `date-time`. Our own formats would stop strict ones, so patterns are published in their place. */
const isPublished = (key: string, value: unknown): boolean =>
  key !== 'x-problem' && (key !== 'format' || value === 'date-time' || typeof value !== 'string');

/** The schema as published: components by reference, without what only our validator knows. */
function publish(schema: unknown, root?: TSchema): Json {
  if (Array.isArray(schema)) return schema.map((item) => publish(item));
  if (typeof schema !== 'object' || schema === null) return schema as Json;
  const component = COMPONENTS.get(schema as TSchema);
  if (component !== undefined && schema !== root) return { $ref: `#/components/schemas/${component}` };
  const out: JsonObject = {};
  for (const [key, value] of Object.entries(schema)) if (isPublished(key, value)) out[key] = publish(value);
  return out;
}

const HEADERS: JsonObject = {
  RequestId: {
    description: 'Id of this request, which is also in the server log.',
    schema: { type: 'string' },
    example: 'req_01kahzv8e1f0rtx5m2q6n9d3bw',
  },
  RateLimitLimit: { description: 'Maximum number of requests in a burst.', schema: { type: 'integer' }, example: 200 },
  RateLimitRemaining: { description: 'Number of requests left right now.', schema: { type: 'integer' }, example: 187 },
  RateLimitReset: {
    description: 'Seconds until the full burst is available again.',
    schema: { type: 'integer' },
    example: 1,
  },
  RetryAfter: { description: 'Seconds to wait before a retry.', schema: { type: 'integer' }, example: 1 },
  IdempotentReplayed: {
    description: '`true` when this is the original response to an earlier request with the same key.',
    schema: { type: 'string', enum: ['true'] },
    example: 'true',
  },
};

const headerRef = (name: string): JsonObject => ({ $ref: `#/components/headers/${name}` });

const RATE_HEADERS: JsonObject = {
  'RateLimit-Limit': headerRef('RateLimitLimit'),
  'RateLimit-Remaining': headerRef('RateLimitRemaining'),
  'RateLimit-Reset': headerRef('RateLimitReset'),
};

function errorExample(code: ErrorCode): JsonObject {
  const { example } = ERRORS[code];
  return {
    error:
      code === 'validation_failed' ? { code, message: example, field: 'recipient.phone' } : { code, message: example },
  };
}

function errorResponses(operation: Operation): JsonObject {
  const byStatus = new Map<number, ErrorCode[]>();
  for (const code of [...COMMON_ERRORS, ...operation.errors]) {
    const { status } = ERRORS[code];
    byStatus.set(status, [...(byStatus.get(status) ?? []), code]);
  }
  const responses: JsonObject = {};
  for (const [status, codes] of [...byStatus].sort(([a], [b]) => a - b)) {
    const headers: JsonObject = { 'Request-Id': headerRef('RequestId') };
    if (status !== 401 && status !== 403) Object.assign(headers, RATE_HEADERS);
    if (status === 429 || status === 503) headers['Retry-After'] = headerRef('RetryAfter');
    responses[String(status)] = {
      description: codes.map((code) => `\`${code}\`: ${ERRORS[code].description}`).join(' '),
      headers,
      content: {
        'application/json': {
          schema: { $ref: '#/components/schemas/Error' },
          examples: Object.fromEntries(
            codes.map((code) => [code, { summary: ERRORS[code].description, value: errorExample(code) }]),
          ),
        },
      },
    };
  }
  return responses;
}

/** The examples of an operation, seen without the types of its schemas. */
interface AnyExamples {
  readonly idempotencyKey?: string;
  readonly requests?: NamedExamples<unknown> | null;
  readonly responses: NamedExamples<unknown>;
}

const examplesOf = (operation: Operation): AnyExamples => EXAMPLES[operation.operationId as OperationId];

const publishExamples = (examples: NamedExamples<unknown>): JsonObject => publish(examples) as JsonObject;

const NO_FIELDS: NamedExamples<object> = { empty: { summary: 'No fields; the body can also be omitted', value: {} } };

function idempotencyKey(example: string | undefined): JsonObject {
  const { description, examples: _general, ...schema } = publish(IdempotencyKey) as JsonObject;
  return {
    name: 'Idempotency-Key',
    in: 'header',
    required: true,
    description: description ?? '',
    schema,
    ...(example !== undefined && { example }),
  };
}

function parameters(operation: Operation): Json[] {
  const list: Json[] = [];
  if (operation.body !== undefined) list.push(idempotencyKey(examplesOf(operation).idempotencyKey));
  for (const [place, object] of [
    ['path', operation.params],
    ['query', operation.query],
  ] as const) {
    for (const [name, schema] of Object.entries(object?.properties ?? {})) {
      const { description, ...rest } = publish(schema) as JsonObject;
      // Several values are separated by commas.
      const style = rest['type'] === 'array' ? { style: 'form', explode: false } : {};
      list.push({
        name,
        in: place,
        required: place === 'path',
        description: description ?? '',
        ...style,
        schema: rest,
      });
    }
  }
  return list;
}

function bodyContent(operation: Operation, { kind, schema }: NonNullable<Operation['body']>): JsonObject {
  const examples = publishExamples(examplesOf(operation).requests ?? NO_FIELDS);
  const content: JsonObject = { 'application/json': { schema: publish(schema), examples } };
  // In OpenAPI 3.1, an empty schema stands for bytes.
  if (kind === 'clip') for (const type of VIDEO_TYPES) content[type] = {};
  return content;
}

function publishOperation(operation: Operation): JsonObject {
  const { body, success } = operation;
  const headers: JsonObject = { 'Request-Id': headerRef('RequestId'), ...RATE_HEADERS };
  if (body !== undefined) headers['Idempotent-Replayed'] = headerRef('IdempotentReplayed');
  const content = body && bodyContent(operation, body);
  return {
    operationId: operation.operationId,
    tags: [operation.tag],
    summary: operation.summary,
    description: `${operation.description}\n\n${describeKeys(operation)}`,
    'x-key-scopes': [...scopesOf(operation)],
    ...(operation.permission && { 'x-key-permission': operation.permission }),
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
      operationId: `on_${type.replaceAll('.', '_')}`,
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

export function buildOpenApi(serverUrl: string): JsonObject {
  const paths: { [path: string]: JsonObject } = {};
  for (const operation of Object.values(OPERATIONS) as Operation[]) {
    paths[operation.path] = { ...paths[operation.path], [operation.method.toLowerCase()]: publishOperation(operation) };
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Foreword API',
      version: '1.0.0',
      summary: 'Personal video intros, requested by your system and recorded by a person.',
      description: INTRODUCTION,
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: serverUrl, description: 'This installation.' }],
    security: [{ apiKey: [] }],
    tags: [
      { name: 'Touchpoint events', description: 'Business events that your system reports.' },
      { name: 'Intros', description: 'The videos themselves, from request to delivery.' },
      { name: 'Touchpoints', description: 'The business events for which an organization requests intros.' },
      { name: 'Members', description: 'The people who record.' },
      { name: 'Webhooks', description: 'URLs of yours that receive events.' },
    ],
    paths,
    webhooks: publishWebhooks(),
    components: {
      securitySchemes: {
        apiKey: { type: 'http', scheme: 'bearer', description: API_KEY },
      },
      headers: HEADERS,
      schemas: Object.fromEntries([...COMPONENTS].map(([schema, name]) => [name, publish(schema, schema)])),
    },
  };
}
