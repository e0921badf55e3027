import { define, EVERY_POST } from './operation.ts';
import { EmptyBody, IdParams, NoQuery, PageQuery } from './requests.ts';
import { ListOf } from './resources.ts';
import {
  CreateWebhookEndpoint,
  DeletedWebhookEndpoint,
  ReplayWebhooks,
  UpdateWebhookEndpoint,
  WebhookAttempt,
  WebhookEndpoint,
  WebhookEndpointWithSecret,
  WebhookMessage,
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
    description:
      'Names an address of yours that is told what happens, and answers with the secret that signs its webhooks: keep it, it is ' +
      'not shown again. Creating an endpoint sends nothing. An organization has at most 20.',
    query: NoQuery,
    body: { kind: 'needed', schema: CreateWebhookEndpoint },
    success: { status: 201, schema: WebhookEndpointWithSecret, says: 'The endpoint, with its secret.' },
    errors: [...EVERY_POST, 'unsupported_media_type', 'webhook_endpoint_limit'],
  },
  listWebhookEndpoints: {
    method: 'GET',
    path: '/v1/webhook_endpoints',
    operationId: 'listWebhookEndpoints',
    tag: 'Webhooks',
    summary: 'List endpoints',
    description: 'Newest first.',
    query: PageQuery,
    success: { status: 200, schema: ListOf(WebhookEndpoint), says: 'One page of endpoints.' },
    errors: ['validation_failed'],
  },
  retrieveWebhookEndpoint: {
    method: 'GET',
    path: '/v1/webhook_endpoints/{id}',
    operationId: 'retrieveWebhookEndpoint',
    tag: 'Webhooks',
    summary: 'Retrieve an endpoint',
    description: 'The endpoint as it stands now, without its secret.',
    params: ENDPOINT_ID,
    query: NoQuery,
    success: { status: 200, schema: WebhookEndpoint, says: 'The endpoint.' },
    errors: ['validation_failed', 'not_found'],
  },
  updateWebhookEndpoint: {
    method: 'POST',
    path: '/v1/webhook_endpoints/{id}',
    operationId: 'updateWebhookEndpoint',
    tag: 'Webhooks',
    summary: 'Change an endpoint',
    description:
      'Changes what is sent and where, or turns the endpoint off and on again. Turned off, it gives up what waits to be sent; ' +
      'turned on, it gets what happens from then on, and a replay brings the rest.',
    params: ENDPOINT_ID,
    query: NoQuery,
    body: { kind: 'needed', schema: UpdateWebhookEndpoint },
    success: { status: 200, schema: WebhookEndpoint, says: 'The endpoint after the change.' },
    errors: [...EVERY_POST, 'unsupported_media_type', 'not_found'],
  },
  deleteWebhookEndpoint: {
    method: 'DELETE',
    path: '/v1/webhook_endpoints/{id}',
    operationId: 'deleteWebhookEndpoint',
    tag: 'Webhooks',
    summary: 'Delete an endpoint',
    description: 'Nothing more is sent to it. This cannot be undone.',
    params: ENDPOINT_ID,
    query: NoQuery,
    body: { kind: 'empty', schema: EmptyBody },
    success: { status: 200, schema: DeletedWebhookEndpoint, says: 'The endpoint is gone.' },
    errors: [...EVERY_POST, 'not_found'],
  },
  rotateWebhookSecret: {
    method: 'POST',
    path: '/v1/webhook_endpoints/{id}/rotate_secret',
    operationId: 'rotateWebhookSecret',
    tag: 'Webhooks',
    summary: 'Rotate the secret',
    description:
      'Makes a new secret. For 24 hours webhooks carry two signatures, one with the new secret and one with the old, so that you ' +
      'can change over without losing any.',
    params: ENDPOINT_ID,
    query: NoQuery,
    body: { kind: 'empty', schema: EmptyBody },
    success: { status: 200, schema: WebhookEndpointWithSecret, says: 'The endpoint, with its new secret.' },
    errors: [...EVERY_POST, 'not_found'],
  },
  testWebhookEndpoint: {
    method: 'POST',
    path: '/v1/webhook_endpoints/{id}/test',
    operationId: 'testWebhookEndpoint',
    tag: 'Webhooks',
    summary: 'Send a test event',
    description:
      'Sends an event of type `webhook.test` to this endpoint, whatever types it has chosen; signed, retried and listed like any ' +
      'other.',
    params: ENDPOINT_ID,
    query: NoQuery,
    body: { kind: 'empty', schema: EmptyBody },
    success: { status: 202, schema: WebhookMessage, says: 'The message, which is being sent.' },
    errors: [...EVERY_POST, 'not_found', 'webhook_endpoint_inactive'],
  },
  listWebhookAttempts: {
    method: 'GET',
    path: '/v1/webhook_endpoints/{id}/attempts',
    operationId: 'listWebhookAttempts',
    tag: 'Webhooks',
    summary: 'List attempts',
    description: 'What was sent to the endpoint in the last 30 days, and what it answered, newest first.',
    params: ENDPOINT_ID,
    query: PageQuery,
    success: { status: 200, schema: ListOf(WebhookAttempt), says: 'One page of attempts.' },
    errors: ['validation_failed', 'not_found'],
  },
  replayWebhooks: {
    method: 'POST',
    path: '/v1/webhook_endpoints/{id}/replay',
    operationId: 'replayWebhooks',
    tag: 'Webhooks',
    summary: 'Send again',
    description:
      'Sends one message of the last 30 days again, or all that were given up since a time. They keep their `webhook-id`, so that ' +
      'a receiver knows what it has seen.',
    params: ENDPOINT_ID,
    query: NoQuery,
    body: { kind: 'needed', schema: ReplayWebhooks },
    success: { status: 202, schema: WebhookReplay, says: 'How many are being sent again.' },
    errors: [...EVERY_POST, 'unsupported_media_type', 'not_found', 'webhook_endpoint_inactive'],
  },
});
