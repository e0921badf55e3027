import type { WebhookMessage } from '../../webhook-messages.ts';
import type { WebhookAttempt, WebhookEndpoint } from '../../webhooks.ts';
import { OPENED } from './intros.ts';

export const CRM_ENDPOINT: WebhookEndpoint = {
  id: 'whk_01kh4aaxzjw00sf5vz7xy9dfgm',
  object: 'webhook_endpoint',
  url: 'https://crm.acme.example/foreword',
  description: 'Production CRM',
  events: ['intro.*', 'recipient.opted_out'],
  active: true,
  disabled_reason: null,
  failing_since: null,
  environment: 'test',
  created_at: '2026-02-10T17:42:09.650Z',
};

/** Turned off by Foreword. */
export const GONE_ENDPOINT: WebhookEndpoint = {
  id: 'whk_01kj8qtj9ew006hgzegvvxhy88',
  object: 'webhook_endpoint',
  url: 'https://alerts.acme.example/hooks/foreword',
  description: null,
  events: ['*'],
  active: false,
  disabled_reason: 'gone',
  failing_since: '2026-03-08T09:30:14.206Z',
  environment: 'test',
  created_at: '2026-02-24T21:10:33.006Z',
};

export const TEST_MESSAGE: WebhookMessage = {
  id: 'msg_01kkcafhsrw00zkx7bcdmr120y',
  object: 'webhook_message',
  endpoint: CRM_ENDPOINT.id,
  type: 'webhook.test',
  test: true,
  status: 'pending',
  attempts: 0,
  next_attempt_at: '2026-03-10T16:50:00.120Z',
  payload: JSON.stringify({
    type: 'webhook.test',
    timestamp: '2026-03-10T16:50:00.120Z',
    data: { object: 'webhook_test', endpoint: CRM_ENDPOINT.id },
  }),
  environment: 'test',
  created_at: '2026-03-10T16:50:00.120Z',
};

export const DELIVERED_MESSAGE: WebhookMessage = {
  id: 'msg_01kkc3r422w005znadya7fg9a9',
  object: 'webhook_message',
  endpoint: CRM_ENDPOINT.id,
  type: 'intro.opened',
  test: false,
  status: 'delivered',
  attempts: 2,
  next_attempt_at: null,
  payload: JSON.stringify({ type: 'intro.opened', timestamp: OPENED.opened_at, data: OPENED }),
  environment: 'test',
  created_at: '2026-03-10T14:52:20.884Z',
};

export const DELIVERED: WebhookAttempt = {
  id: 'att_01kkc3r94jw0072ad55qn7wvha',
  object: 'webhook_attempt',
  message: 'msg_01kkc3r422w005znadya7fg9a9',
  type: 'intro.opened',
  succeeded: true,
  status: 204,
  error: null,
  duration_ms: 84,
  answer: '',
  next_attempt_at: null,
  environment: 'test',
  created_at: '2026-03-10T14:52:26.130Z',
};

/** The first attempt of the same message; the second one succeeded. */
export const REFUSED: WebhookAttempt = {
  ...DELIVERED,
  id: 'att_01kkc3r43ew00vznafw9fymhks',
  succeeded: false,
  status: 503,
  error: 'the response has status 503',
  duration_ms: 212,
  answer: '{"error":"maintenance"}',
  next_attempt_at: '2026-03-10T14:52:26.110Z',
  created_at: '2026-03-10T14:52:20.974Z',
};
