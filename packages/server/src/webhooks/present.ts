import { iso, type WebhookAttempt, type WebhookEndpoint, type WebhookMessage } from '@foreword/contract';
import type { Row } from '../db/tenancy.ts';
import type { ContentSeal } from './contents.ts';
import type { EndpointMessageRow } from './store/messages.ts';

export const presentEndpoint = (row: Row<'webhook_endpoints'>): WebhookEndpoint => ({
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
export function presentWithSecret(row: Row<'webhook_endpoints'>, secret: string): WebhookEndpoint & { secret: string } {
  const { environment, created_at, ...rest } = presentEndpoint(row);
  return { ...rest, secret, environment, created_at };
}

export const presentMessage = (contents: ContentSeal, row: EndpointMessageRow): WebhookMessage => ({
  id: row.id,
  object: 'webhook_message',
  endpoint: row.endpoint_id,
  type: row.type,
  test: row.is_test,
  status: row.status,
  attempts: row.attempts,
  // A new message is due slightly before it was created, for senders whose clock is behind.
  next_attempt_at: row.due_at && new Date(Math.max(row.due_at.getTime(), row.created_at.getTime())).toISOString(),
  payload: contents.openPayload(row),
  environment: row.environment,
  created_at: row.created_at.toISOString(),
});

export const presentAttempt = (contents: ContentSeal, row: Row<'webhook_attempts'>): WebhookAttempt => ({
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
