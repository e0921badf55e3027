import { define, EVERY_POST } from './operation.ts';
import { EmptyBody, IdParams, NoQuery, PageQuery } from './requests.ts';
import { ListOf } from './resources.ts';
import {
  ListWebhookMessagesQuery,
  RetrieveWebhookMessageQuery,
  TestWebhook,
  WebhookMessage,
} from './webhook-messages.ts';
import {
  CreateWebhookEndpoint,
  DeletedWebhookEndpoint,
  ReplayWebhooks,
  UpdateWebhookEndpoint,
  WebhookAttempt,
  WebhookEndpoint,
  WebhookEndpointWithSecret,
  WebhookReplay,
} from './webhooks.ts';

const ENDPOINT_ID = IdParams('The endpoint identifier.', 'whk_01kahzv8e1f0rtx5m2q6n9d3bw');

export const WEBHOOK_OPERATIONS = define({
  createWebhookEndpoint: {
    method: 'POST',
    path: '/v1/webhook_endpoints',
    operationId: 'createWebhookEndpoint',
    tag: 'Webhooks',
    summary: 'Create an endpoint',
    isClosedToAgents: true,
    description:
      'Registers a URL that receives webhooks, and returns the secret that signs them. Store the secret: it is not shown again. ' +
      'Creating an endpoint sends nothing. An organization can have up to 20 endpoints.',
    query: NoQuery,
    body: { kind: 'required', schema: CreateWebhookEndpoint },
    success: { status: 201, schema: WebhookEndpointWithSecret, description: 'The endpoint, with its secret.' },
    errors: [...EVERY_POST, 'webhook_endpoint_limit'],
  },
  listWebhookEndpoints: {
    method: 'GET',
    path: '/v1/webhook_endpoints',
    operationId: 'listWebhookEndpoints',
    tag: 'Webhooks',
    summary: 'List endpoints',
    description: 'Newest first.',
    query: PageQuery,
    success: { status: 200, schema: ListOf(WebhookEndpoint), description: 'One page of endpoints.' },
    errors: ['validation_failed'],
  },
  retrieveWebhookEndpoint: {
    method: 'GET',
    path: '/v1/webhook_endpoints/{id}',
    operationId: 'retrieveWebhookEndpoint',
    tag: 'Webhooks',
    summary: 'Retrieve an endpoint',
    description: 'Returns an endpoint without its secret.',
    params: ENDPOINT_ID,
    query: NoQuery,
    success: { status: 200, schema: WebhookEndpoint, description: 'The endpoint.' },
    errors: ['validation_failed', 'not_found'],
  },
  updateWebhookEndpoint: {
    method: 'POST',
    path: '/v1/webhook_endpoints/{id}',
    operationId: 'updateWebhookEndpoint',
    tag: 'Webhooks',
    summary: 'Update an endpoint',
    isClosedToAgents: true,
    description:
      'Changes the given fields. Turning the endpoint off discards pending messages; after turning it on, it receives new ' +
      'events, and a replay sends the missed ones.',
    params: ENDPOINT_ID,
    query: NoQuery,
    body: { kind: 'required', schema: UpdateWebhookEndpoint },
    success: { status: 200, schema: WebhookEndpoint, description: 'The updated endpoint.' },
    errors: [...EVERY_POST, 'not_found'],
  },
  deleteWebhookEndpoint: {
    method: 'DELETE',
    path: '/v1/webhook_endpoints/{id}',
    operationId: 'deleteWebhookEndpoint',
    tag: 'Webhooks',
    summary: 'Delete an endpoint',
    isClosedToAgents: true,
    description: 'Stops all webhooks to this endpoint. This cannot be undone.',
    params: ENDPOINT_ID,
    query: NoQuery,
    body: { kind: 'empty', schema: EmptyBody },
    success: { status: 200, schema: DeletedWebhookEndpoint, description: 'The endpoint was deleted.' },
    errors: [...EVERY_POST, 'not_found'],
  },
  rotateWebhookSecret: {
    method: 'POST',
    path: '/v1/webhook_endpoints/{id}/rotate_secret',
    operationId: 'rotateWebhookSecret',
    tag: 'Webhooks',
    summary: 'Rotate the secret',
    isClosedToAgents: true,
    description:
      'Creates a new secret. For 24 hours, webhooks have two signatures, one with the new secret and one with the old one, so ' +
      'that you can switch without losing any.',
    params: ENDPOINT_ID,
    query: NoQuery,
    body: { kind: 'empty', schema: EmptyBody },
    success: { status: 200, schema: WebhookEndpointWithSecret, description: 'The endpoint, with its new secret.' },
    errors: [...EVERY_POST, 'not_found'],
  },
  testWebhookEndpoint: {
    method: 'POST',
    path: '/v1/webhook_endpoints/{id}/test',
    operationId: 'testWebhookEndpoint',
    tag: 'Webhooks',
    agentGroup: 'webhook_logs',
    summary: 'Send a test event',
    description:
      'Sends a message to this endpoint only, even if it does not select its type. It is signed, retried and listed like any other. ' +
      'With another `type` than `webhook.test`, `data` is the sample of that type in this reference; its ids exist nowhere. Every ' +
      'test message has the header `webhook-test: true`.',
    params: ENDPOINT_ID,
    query: NoQuery,
    body: { kind: 'empty', schema: TestWebhook },
    success: { status: 202, schema: WebhookMessage, description: 'The message that is being sent.' },
    errors: [...EVERY_POST, 'not_found', 'webhook_endpoint_inactive'],
  },
  listWebhookMessages: {
    method: 'GET',
    path: '/v1/webhook_endpoints/{id}/messages',
    operationId: 'listWebhookMessages',
    tag: 'Webhooks',
    agentGroup: 'webhook_logs',
    summary: 'List messages',
    description:
      'The messages of the last 30 days to this endpoint with their payloads, newest first. Filters combine with AND.',
    params: ENDPOINT_ID,
    query: ListWebhookMessagesQuery,
    success: { status: 200, schema: ListOf(WebhookMessage), description: 'One page of messages.' },
    errors: ['validation_failed', 'not_found'],
  },
  retrieveWebhookMessage: {
    method: 'GET',
    path: '/v1/webhook_messages/{id}',
    operationId: 'retrieveWebhookMessage',
    tag: 'Webhooks',
    agentGroup: 'webhook_logs',
    summary: 'Retrieve a message',
    description:
      'Returns a message by its `webhook-id`, with its payload and the state of its delivery. A message that was sent to several ' +
      'endpoints has the same id at each: `endpoint` selects one.',
    params: IdParams('The message identifier.', 'msg_01kahzv8e1f0rtx5m2q6n9d3bw'),
    query: RetrieveWebhookMessageQuery,
    success: { status: 200, schema: WebhookMessage, description: 'The message.' },
    errors: ['validation_failed', 'not_found'],
  },
  listWebhookAttempts: {
    method: 'GET',
    path: '/v1/webhook_endpoints/{id}/attempts',
    operationId: 'listWebhookAttempts',
    tag: 'Webhooks',
    agentGroup: 'webhook_logs',
    summary: 'List attempts',
    description: 'Attempts of the last 30 days with the responses of the endpoint, newest first.',
    params: ENDPOINT_ID,
    query: PageQuery,
    success: { status: 200, schema: ListOf(WebhookAttempt), description: 'One page of attempts.' },
    errors: ['validation_failed', 'not_found'],
  },
  replayWebhooks: {
    method: 'POST',
    path: '/v1/webhook_endpoints/{id}/replay',
    operationId: 'replayWebhooks',
    tag: 'Webhooks',
    agentGroup: 'webhook_logs',
    summary: 'Replay messages',
    description:
      'Sends again one message of the last 30 days, or all that failed since a given time. Messages keep their `webhook-id`, so ' +
      'that receivers can detect duplicates.',
    params: ENDPOINT_ID,
    query: NoQuery,
    body: { kind: 'required', schema: ReplayWebhooks },
    success: { status: 202, schema: WebhookReplay, description: 'How many messages are being sent again.' },
    errors: [...EVERY_POST, 'not_found', 'webhook_endpoint_inactive'],
  },
});
