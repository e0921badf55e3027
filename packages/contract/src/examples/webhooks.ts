import {
  CRM_ENDPOINT,
  DELIVERED,
  DELIVERED_MESSAGE,
  GONE_ENDPOINT,
  REFUSED,
  TEST_MESSAGE,
} from './objects/webhooks.ts';
import type { Examples } from './types.ts';

const { environment, created_at, ...endpoint } = CRM_ENDPOINT;
const withSecret = (secret: string) => ({ ...endpoint, secret, environment, created_at });

export const WEBHOOK_ENDPOINT_EXAMPLES = {
  createWebhookEndpoint: {
    idempotencyKey: 'acme_crm:webhook:1',
    requests: {
      selected: {
        summary: 'Selected types, with a note',
        value: {
          url: 'https://crm.acme.example/foreword',
          description: 'Production CRM',
          events: ['intro.*', 'recipient.opted_out'],
        },
      },
      everything: { summary: 'All events', value: { url: 'https://alerts.acme.example/hooks/foreword' } },
    },
    responses: {
      created: {
        summary: 'The endpoint, with its secret',
        value: withSecret('whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oDazfgh3y9hkY='),
      },
    },
  },
  listWebhookEndpoints: {
    responses: {
      page: {
        summary: 'Two endpoints; one was turned off because it returned 410',
        value: { object: 'list', data: [GONE_ENDPOINT, CRM_ENDPOINT], has_more: false },
      },
      empty: { summary: 'No endpoints', value: { object: 'list', data: [], has_more: false } },
    },
  },
  retrieveWebhookEndpoint: {
    responses: {
      active: { summary: 'Active', value: CRM_ENDPOINT },
      disabled: { summary: 'Turned off because it returned 410', value: GONE_ENDPOINT },
    },
  },
  updateWebhookEndpoint: {
    idempotencyKey: 'acme_crm:webhook:1:events:2',
    requests: {
      types: { summary: 'Other types', value: { events: ['intro.ready', 'intro.delivery_failed'] } },
      description: { summary: 'Another note', value: { description: 'CRM of the west region' } },
      off: { summary: 'Turn it off', value: { active: false } },
    },
    responses: {
      updated: {
        summary: 'The updated endpoint',
        value: { ...CRM_ENDPOINT, events: ['intro.ready', 'intro.delivery_failed'] },
      },
    },
  },
  deleteWebhookEndpoint: {
    idempotencyKey: 'acme_crm:webhook:1:delete',
    requests: null,
    responses: {
      deleted: {
        summary: 'Deleted',
        value: { id: CRM_ENDPOINT.id, object: 'webhook_endpoint', deleted: true },
      },
    },
  },
  rotateWebhookSecret: {
    idempotencyKey: 'acme_crm:webhook:1:rotate:2026-03',
    requests: null,
    responses: {
      rotated: {
        summary: 'The endpoint, with its new secret',
        value: withSecret('whsec_9vQ0mT4xKc1ZrB7yJ2eWfHn5sLpGdU8oRaXiVbYkE3M='),
      },
    },
  },
  testWebhookEndpoint: {
    id: CRM_ENDPOINT.id,
    idempotencyKey: 'acme_crm:webhook:1:test:1',
    requests: {
      test: { summary: 'A test of the endpoint', value: {} },
      sample: { summary: 'The sample of one type', value: { type: 'intro.ready' } },
    },
    responses: { sending: { summary: 'The message that is being sent', value: TEST_MESSAGE } },
  },
  listWebhookMessages: {
    id: CRM_ENDPOINT.id,
    query: { status: 'failed' },
    responses: {
      page: {
        summary: 'A test that is being sent, and a message that was delivered',
        value: { object: 'list', data: [TEST_MESSAGE, DELIVERED_MESSAGE], has_more: false },
      },
      empty: { summary: 'No messages', value: { object: 'list', data: [], has_more: false } },
    },
  },
  retrieveWebhookMessage: {
    responses: {
      delivered: { summary: 'Delivered by the second attempt', value: DELIVERED_MESSAGE },
      pending: { summary: 'Being sent', value: TEST_MESSAGE },
    },
  },
  listWebhookAttempts: {
    id: CRM_ENDPOINT.id,
    responses: {
      page: {
        summary: 'A failed attempt and the next one, which succeeded',
        value: { object: 'list', data: [DELIVERED, REFUSED], has_more: false },
      },
      empty: { summary: 'No attempts', value: { object: 'list', data: [], has_more: false } },
    },
  },
  replayWebhooks: {
    id: CRM_ENDPOINT.id,
    idempotencyKey: 'acme_crm:webhook:1:replay:2026-03-10',
    requests: {
      since: { summary: 'Everything that failed since a time', value: { since: '2026-03-10T09:15:00Z' } },
    },
    responses: {
      replaying: {
        summary: 'Three messages are sent again',
        value: { object: 'webhook_replay', endpoint: CRM_ENDPOINT.id, messages: 3 },
      },
    },
  },
} satisfies Partial<Examples>;
