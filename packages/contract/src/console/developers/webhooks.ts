import type { WebhookEndpoint } from '../../webhooks.ts';
import { define, response } from '../operation.ts';

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
  /** Messages before their first attempt, before another one, and those of the last 30 days that failed. Counted up to `limit`. */
  readonly backlog: {
    readonly waiting: number;
    readonly retrying: number;
    readonly given_up: number;
    readonly limit: number;
  };
}

export const WEBHOOKS_OPERATIONS = define({
  readWebhooks: { route: 'GET /webhooks', role: 'manager', success: response<WebhookEndpointList>() },
  readWebhook: { route: 'GET /webhooks/{id}', role: 'manager', success: response<WebhookEndpointDetail>() },
});
