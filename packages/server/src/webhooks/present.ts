import type { WebhookAttempt, WebhookEndpoint, WebhookMessage } from '@foreword/contract';
import type { WebhookAttemptRow, WebhookEndpointRow, WebhookMessageRow } from '../tables.ts';
import type { ContentSeal } from './contents.ts';
import type { EndpointMessageRow } from './store/deliveries.ts';

const iso = (at: Date | null): string | null => (at === null ? null : at.toISOString());

export const presentEndpoint = (row: WebhookEndpointRow): WebhookEndpoint => ({
  id: row.id,
  object: 'webhook_endpoint',
  url: row.url,
  description: row.description,
  // Validated against the contract before they were stored.
  events: row.events as WebhookEndpoint['events'],
  active: row.active,
  disabled_reason: row.disabled_reason,
  failing_since: iso(row.failing_since),
  environment: row.environment,
  created_at: row.created_at.toISOString(),
});

/** Keeps the field order of the contract. */
export function presentWithSecret(row: WebhookEndpointRow, secret: string): WebhookEndpoint & { secret: string } {
  const { environment, created_at, ...rest } = presentEndpoint(row);
  return { ...rest, secret, environment, created_at };
}

export const presentMessage = (row: WebhookMessageRow): WebhookMessage => ({
  id: row.id,
  object: 'webhook_message',
  type: row.type,
  environment: row.environment,
  created_at: row.created_at.toISOString(),
});

export const presentAttempt = (contents: ContentSeal, row: WebhookAttemptRow): WebhookAttempt => ({
  id: row.id,
  object: 'webhook_attempt',
  message: row.message_id,
  type: row.type,
  succeeded: row.succeeded,
  status: row.status,
  error: row.error,
  duration_ms: row.duration_ms,
  answer: contents.openAnswer(row),
  next_attempt_at: iso(row.next_attempt_at),
  environment: row.environment,
  created_at: row.created_at.toISOString(),
});

export interface EndpointMessage {
  readonly id: string;
  readonly type: string;
  readonly payload: string;
  readonly created_at: string;
  readonly status: 'pending' | 'delivered' | 'failed';
  readonly failures: number;
  readonly next_attempt_at: string | null;
}

export const presentEndpointMessage = (contents: ContentSeal, row: EndpointMessageRow): EndpointMessage => ({
  id: row.id,
  type: row.type,
  payload: contents.openPayload(row),
  created_at: row.created_at.toISOString(),
  status: row.status,
  failures: row.failures,
  next_attempt_at: iso(row.due_at),
});
