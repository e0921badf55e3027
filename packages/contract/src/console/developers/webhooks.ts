import { type Static, Type } from 'typebox';
import { AnyId } from '../../fields.ts';
import { PageQuery } from '../../requests.ts';
import { TestWebhook, type WebhookMessage } from '../../webhook-messages.ts';
import {
  CreateWebhookEndpoint,
  UpdateWebhookEndpoint,
  type WebhookAttempt,
  type WebhookEndpoint,
  type WebhookEndpointWithSecret,
} from '../../webhooks.ts';
import { define, RetryKey, response, Time } from '../operation.ts';

/** One message, whatever its status, or all failed messages of a period. */
export const ReplaySpan = Type.Object(
  {
    message: Type.Optional(AnyId('One message.', 'msg_01kahzv8e1f0rtx5m2q6n9d3bw')),
    since: Type.Optional(Time('Failed messages created at or after this time.')),
    until: Type.Optional(Time('Failed messages created before this time.')),
  },
  { additionalProperties: false },
);

export type ReplaySpan = Static<typeof ReplaySpan>;

/** An event type that an endpoint can subscribe to. */
export interface WebhookEventChoice {
  readonly type: string;
  readonly says: string;
}

export interface WebhookEndpointList {
  readonly endpoints: readonly WebhookEndpoint[];
  readonly events: readonly WebhookEventChoice[];
  readonly limit: number;
}

export interface WebhookEndpointDetail {
  readonly endpoint: WebhookEndpoint;
  readonly events: readonly WebhookEventChoice[];
  /** Pending messages, and those of the last 30 days that failed permanently. Counted up to `limit`. */
  readonly backlog: { readonly waiting: number; readonly given_up: number; readonly limit: number };
}

export const WEBHOOKS_OPERATIONS = define({
  'GET /webhooks': { role: 'manager', response: response<WebhookEndpointList>() },
  'POST /webhooks': {
    role: 'manager',
    body: Type.Object({ key: RetryKey, ...CreateWebhookEndpoint.properties }, { additionalProperties: false }),
    response: response<WebhookEndpointWithSecret>(),
  },
  'GET /webhooks/:id': { role: 'manager', response: response<WebhookEndpointDetail>() },
  'POST /webhooks/:id': { role: 'manager', body: UpdateWebhookEndpoint, response: response<WebhookEndpoint>() },
  'DELETE /webhooks/:id': { role: 'manager', response: response<{ deleted: true }>() },
  'POST /webhooks/:id/rotate-secret': {
    role: 'manager',
    body: Type.Object({ key: RetryKey }, { additionalProperties: false }),
    response: response<WebhookEndpointWithSecret>(),
  },
  'POST /webhooks/:id/test': { role: 'manager', body: TestWebhook, response: response<WebhookMessage>() },
  'GET /webhooks/:id/attempts': {
    role: 'manager',
    query: PageQuery,
    response: response<{ attempts: WebhookAttempt[]; has_more: boolean }>(),
  },
  'GET /webhooks/:id/messages/:message': { role: 'manager', response: response<WebhookMessage>() },
  'POST /webhooks/:id/replay': { role: 'manager', body: ReplaySpan, response: response<{ messages: number }>() },
});
