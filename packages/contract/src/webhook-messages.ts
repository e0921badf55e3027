import { Environment, Id, Instant, Nullable, OptionalId, oneOf, openEnum, Timestamp } from './fields.ts';
import { createdPeriod, define, idParams, ListOf, listExample, PageQuery, paging, returns } from './operation.ts';
import { WEBHOOK_MESSAGE_STATUSES } from './plain/index.ts';
import { ClosedObject, Component, RequestComponent, type Static, Type } from './schema.ts';
import { ENDPOINT_ID, WEBHOOK_EVENT_TYPES, WEBHOOK_TEST, webhookEndpointExample, webhookExample } from './webhooks.ts';

const MessageType = (description: string) =>
  Type.Enum([WEBHOOK_TEST.type, ...WEBHOOK_EVENT_TYPES], {
    type: 'string',
    'x-problem': `must be one of ${[WEBHOOK_TEST.type, ...WEBHOOK_EVENT_TYPES].join(', ')}`,
    description,
    examples: ['intro.ready'],
  });

/** The body of a request for a test message. */
export const TestWebhook = RequestComponent('TestWebhook', 'The type of message to send.', {
  type: Type.Optional(MessageType('The type of the test message. Default: `webhook.test`.')),
});

const ListWebhookMessagesQuery = ClosedObject({
  type: Type.Optional(MessageType('Only messages of this type.')),
  status: Type.Optional(oneOf(WEBHOOK_MESSAGE_STATUSES, 'Only messages with this status.')),
  ...createdPeriod,
  ...paging,
});

const RetrieveWebhookMessageQuery = ClosedObject({
  endpoint: OptionalId(
    'The endpoint whose delivery is returned, for a message that was sent to several. Default: the oldest of them.',
    'whk_01kahzv8e1f0rtx5m2q6n9d3bw',
  ),
});

const WebhookMessage = Component('WebhookMessage', 'A message to an endpoint. Kept for 30 days.', {
  id: Id('msg', 'Identifier of the message: its `webhook-id` in every attempt.'),
  object: Type.Literal('webhook_message'),
  endpoint: Id('whk', 'The endpoint that the message is sent to.'),
  type: Type.String({ description: 'The type of its event.' }),
  test: Type.Boolean({ description: 'True for a test message, which is sent with the header `webhook-test: true`.' }),
  status: openEnum(
    'WebhookMessageStatus',
    WEBHOOK_MESSAGE_STATUSES,
    '`pending`: it will be sent, or sent again. `delivered`: the endpoint confirmed it. `failed`: every attempt failed, or the ' +
      'endpoint was turned off.',
  ),
  attempts: Type.Integer({ minimum: 0, description: 'Number of attempts so far.' }),
  next_attempt_at: Nullable(
    Timestamp('When the next attempt is due.'),
    'When the next attempt is due; null unless it is pending. During an attempt: when it counts as lost and is repeated.',
  ),
  payload: Type.String({
    description: 'The body of the request, byte for byte. The signature covers exactly this text.',
  }),
  environment: Environment,
  created_at: Timestamp('When the message was created.'),
});

export type TestWebhook = Static<typeof TestWebhook>;
export type ListWebhookMessagesQuery = Static<typeof ListWebhookMessagesQuery>;
export type WebhookMessage = Static<typeof WebhookMessage>;

const ReplayWebhooks = RequestComponent(
  'ReplayWebhooks',
  'The messages to send again: exactly one of `message` and `since`.',
  {
    message: OptionalId('One message, whatever its status.', 'msg_01kahzv8e1f0rtx5m2q6n9d3bw'),
    since: Type.Optional(Instant('All messages created since this time that failed or wait for a retry')),
    until: Type.Optional(Instant('The end of the period that `since` begins')),
  },
  {
    'x-choices': { message: 'ReplayMessage', since: 'ReplayFailedMessages' },
    minProperties: 1,
    not: { properties: { message: {}, since: {} }, required: ['message', 'since'] },
    examples: [{ since: '2026-03-10T09:15:00Z' }],
  },
);

const WebhookReplay = Component('WebhookReplay', 'A replay of messages.', {
  object: Type.Literal('webhook_replay'),
  endpoint: Id('whk', 'The endpoint that the messages are sent to.'),
  messages: Type.Integer({ minimum: 0, description: 'Number of messages that are sent again.' }),
});

const WebhookAttempt = Component('WebhookAttempt', 'One attempt to send a message to an endpoint. Kept for 30 days.', {
  id: Id('att', 'Identifier of the attempt.'),
  object: Type.Literal('webhook_attempt'),
  message: Id('msg', 'The message that was sent.'),
  type: Type.String({ description: 'The type of its event.' }),
  succeeded: Type.Boolean({ description: 'True when a full 2xx response arrived within 15 seconds.' }),
  status: Nullable(Type.Integer(), 'Status of the response; null when there was none.'),
  error: Nullable(Type.String(), 'The error; null after a success.'),
  duration_ms: Type.Integer({ description: 'Duration in milliseconds.' }),
  answer: Nullable(Type.String(), 'The first KB of the response body; null without a response.'),
  next_attempt_at: Nullable(Timestamp('When the next attempt is due; null when there is none.')),
  environment: Environment,
  created_at: Timestamp('When the attempt was made.'),
});

export type ReplayWebhooks = Static<typeof ReplayWebhooks>;
export type WebhookReplay = Static<typeof WebhookReplay>;
export type WebhookAttempt = Static<typeof WebhookAttempt>;

const messageExample: WebhookMessage = {
  id: 'msg_01kkcafhsrw00zkx7bcdmr120y',
  object: 'webhook_message',
  endpoint: webhookEndpointExample.id,
  type: WEBHOOK_TEST.type,
  test: true,
  status: 'pending',
  attempts: 0,
  next_attempt_at: '2026-03-10T16:50:00.120Z',
  payload: JSON.stringify(webhookExample(WEBHOOK_TEST.type)),
  environment: 'test',
  created_at: '2026-03-10T16:50:00.120Z',
};

const attemptExample: WebhookAttempt = {
  id: 'att_01kkc3r43ew00vznafw9fymhks',
  object: 'webhook_attempt',
  message: messageExample.id,
  type: messageExample.type,
  succeeded: false,
  status: 503,
  error: 'Responded with 503.',
  duration_ms: 212,
  answer: '{"error":"maintenance"}',
  next_attempt_at: '2026-03-10T16:50:05.310Z',
  environment: 'test',
  created_at: '2026-03-10T16:50:00.190Z',
};

export const WEBHOOK_MESSAGE_OPERATIONS = define('Webhooks', {
  listWebhookMessages: {
    route: 'GET /v1/webhook_endpoints/{id}/messages',
    agentGroup: 'webhook_logs',
    summary: 'List messages',
    description:
      'The messages of the last 30 days to this endpoint with their payloads, newest first. Filters combine with AND.',
    params: ENDPOINT_ID,
    query: ListWebhookMessagesQuery,
    success: returns(200, ListOf(WebhookMessage), 'One page of messages.', listExample(messageExample)),
    filterExample: { status: 'failed' },
  },
  retrieveWebhookMessage: {
    route: 'GET /v1/webhook_messages/{id}',
    role: 'manager',
    agentGroup: 'webhook_logs',
    summary: 'Retrieve a message',
    description:
      'Returns a message by its `webhook-id`, with its payload and the state of its delivery. A message that was sent to several ' +
      'endpoints has the same id at each: `endpoint` selects one.',
    params: idParams('The message identifier.', messageExample),
    query: RetrieveWebhookMessageQuery,
    success: returns(200, WebhookMessage, 'The message.', messageExample),
  },
  listWebhookAttempts: {
    route: 'GET /v1/webhook_endpoints/{id}/attempts',
    role: 'manager',
    agentGroup: 'webhook_logs',
    summary: 'List attempts',
    description: 'Attempts of the last 30 days with the responses of the endpoint, newest first.',
    params: ENDPOINT_ID,
    query: PageQuery,
    success: returns(200, ListOf(WebhookAttempt), 'One page of attempts.', listExample(attemptExample)),
  },
  replayWebhooks: {
    route: 'POST /v1/webhook_endpoints/{id}/replay',
    role: 'manager',
    agentGroup: 'webhook_logs',
    summary: 'Replay messages',
    description:
      'Sends again one message of the last 30 days, or all since a given time that failed or wait for a retry. Messages keep their ' +
      '`webhook-id`, so that receivers can detect duplicates.',
    params: ENDPOINT_ID,
    body: {
      kind: 'required',
      schema: ReplayWebhooks,
      examples: { 'Everything that failed since a time': { since: '2026-03-10T09:15:00Z' } },
    },
    success: returns(202, WebhookReplay, 'How many messages are being sent again.', {
      object: 'webhook_replay',
      endpoint: messageExample.endpoint,
      messages: 3,
    }),
    errors: ['webhook_endpoint_inactive'],
  },
  testWebhookEndpoint: {
    route: 'POST /v1/webhook_endpoints/{id}/test',
    role: 'manager',
    agentGroup: 'webhook_logs',
    summary: 'Send a test event',
    description:
      'Sends a message to this endpoint only, even if it does not select its type. It is signed, retried and listed like any other. ' +
      'With another `type` than `webhook.test`, `data` is the sample of that type in this reference; its ids exist nowhere. Every ' +
      'test message has the header `webhook-test: true`.',
    params: ENDPOINT_ID,
    body: {
      kind: 'empty',
      schema: TestWebhook,
      examples: { 'A test of the endpoint': {}, 'The sample of one type': { type: 'intro.ready' } },
    },
    success: returns(202, WebhookMessage, 'The message that is being sent.', messageExample),
    errors: ['webhook_endpoint_inactive'],
  },
});
