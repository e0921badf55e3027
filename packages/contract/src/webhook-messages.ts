import { type Static, Type } from 'typebox';
import { Environment, Id, Nullable, OptionalId, oneOf, Timestamp } from './fields.ts';
import { WEBHOOK_MESSAGE_STATUSES } from './plain/index.ts';
import { createdPeriod, PageQuery } from './requests.ts';
import { WEBHOOK_EVENT_TYPES, WEBHOOK_TEST } from './webhooks.ts';

const MessageType = (description: string) =>
  Type.Enum([WEBHOOK_TEST.type, ...WEBHOOK_EVENT_TYPES], {
    type: 'string',
    'x-problem': `must be one of ${[WEBHOOK_TEST.type, ...WEBHOOK_EVENT_TYPES].join(', ')}`,
    description,
    examples: ['intro.ready'],
  });

/** The body of a request for a test message. */
export const TestWebhook = Type.Object(
  { type: Type.Optional(MessageType('The type of the test message. Default: `webhook.test`.')) },
  { additionalProperties: false, 'x-component': 'TestWebhook', description: 'The type of message to send.' },
);

export const ListWebhookMessagesQuery = Type.Object(
  {
    type: Type.Optional(MessageType('Only messages of this type.')),
    status: Type.Optional(oneOf(WEBHOOK_MESSAGE_STATUSES, 'Only messages with this status.')),
    ...createdPeriod,
    ...PageQuery.properties,
  },
  { additionalProperties: false },
);

export const RetrieveWebhookMessageQuery = Type.Object(
  {
    endpoint: OptionalId(
      'The endpoint whose delivery is returned, for a message that was sent to several. Default: the oldest of them.',
      'whk_01kahzv8e1f0rtx5m2q6n9d3bw',
    ),
  },
  { additionalProperties: false },
);

export const WebhookMessage = Type.Object(
  {
    id: Id('msg', 'Identifier of the message: its `webhook-id` in every attempt.'),
    object: Type.Literal('webhook_message', { description: 'Always `webhook_message`.' }),
    endpoint: Id('whk', 'The endpoint that the message is sent to.'),
    type: Type.String({ description: 'The type of its event.', examples: ['webhook.test'] }),
    test: Type.Boolean({ description: 'True for a test message, which is sent with the header `webhook-test: true`.' }),
    status: Type.Enum([...WEBHOOK_MESSAGE_STATUSES], {
      type: 'string',
      'x-component': 'WebhookMessageStatus',
      'x-open': true,
      description:
        '`pending`: it will be sent, or sent again. `delivered`: the endpoint confirmed it. `failed`: every attempt failed, or the ' +
        'endpoint was turned off.',
      examples: ['delivered'],
    }),
    attempts: Type.Integer({ minimum: 0, description: 'Number of attempts so far.', examples: [1] }),
    next_attempt_at: Nullable(
      Timestamp('When the next attempt is due.'),
      'When the next attempt is due; null unless it is pending. During an attempt: when it counts as lost and is repeated.',
    ),
    payload: Type.String({
      description: 'The body of the request, byte for byte. The signature covers exactly this text.',
      examples: ['{"type":"webhook.test","timestamp":"2026-03-12T19:30:00.000Z","data":{"object":"webhook_test"}}'],
    }),
    environment: Environment,
    created_at: Timestamp('When the message was created.'),
  },
  { 'x-component': 'WebhookMessage', description: 'A message to an endpoint. Kept for 30 days.' },
);

export type TestWebhook = Static<typeof TestWebhook>;
export type ListWebhookMessagesQuery = Static<typeof ListWebhookMessagesQuery>;
export type WebhookMessage = Static<typeof WebhookMessage>;
