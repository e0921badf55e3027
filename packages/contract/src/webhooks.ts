import { type Static, Type } from 'typebox';
import { AnyId, Environment, Id, Nullable, Timestamp } from './fields.ts';
import { Intro, TouchpointEvent } from './resources.ts';

const closed = { additionalProperties: false } as const;

const OptedOutRecipient = Type.Object(
  {
    object: Type.Literal('recipient', { description: 'Always `recipient`.' }),
    phone: Type.String({ description: 'Mobile number in E.164 form.', examples: ['+14155550123'] }),
    opted_out_at: Timestamp('When the recipient asked for no more messages.'),
  },
  { ...closed, description: 'Somebody who asked for no more messages.' },
);

const TestData = Type.Object(
  {
    object: Type.Literal('webhook_test', { description: 'Always `webhook_test`.' }),
    endpoint: Id('whk', 'The endpoint that was asked to be tested.'),
  },
  { ...closed, description: 'What a test event holds.' },
);

/** Every type that an endpoint can choose: what it tells, and what its `data` is. */
export const WEBHOOK_EVENTS = {
  'intro.requested': { says: 'An intro was created; the member is to record.', data: Intro },
  'intro.reassigned': { says: 'Another member is to record the intro; `member` is the new one.', data: Intro },
  'intro.ready': { says: 'The video is recorded and the page can be shown.', data: Intro },
  'intro.sent': { says: 'The recipient got the link.', data: Intro },
  'intro.opened': { says: 'A person opened the page for the first time.', data: Intro },
  'intro.watched': { says: 'The video was watched to its end for the first time.', data: Intro },
  'intro.cancelled': { says: 'The intro was cancelled.', data: Intro },
  'intro.expired': { says: 'The intro expired before it was sent.', data: Intro },
  'intro.delivery_failed': {
    says: 'The link could not be brought to the recipient; `delivery` tells why.',
    data: Intro,
  },
  'touchpoint_event.processed': { says: 'An event was processed; `intro` names what it made.', data: TouchpointEvent },
  'touchpoint_event.failed': { says: 'An event failed; `error` tells why.', data: TouchpointEvent },
  'recipient.opted_out': { says: 'A recipient asked for no more messages.', data: OptedOutRecipient },
} as const;

export type WebhookEventType = keyof typeof WEBHOOK_EVENTS;

/** Sent only when it is asked for, and to that endpoint, whatever it has chosen. */
export const WEBHOOK_TEST = {
  type: 'webhook.test',
  says: 'You asked for a test of the endpoint.',
  data: TestData,
} as const;

const WEBHOOK_EVENT_TYPES = Object.keys(WEBHOOK_EVENTS) as WebhookEventType[];

/** What an endpoint can ask for: a type, all types of one kind of object, or everything. */
export const WEBHOOK_CHOICES = [
  '*',
  ...new Set(WEBHOOK_EVENT_TYPES.map((type) => `${type.split('.')[0]}.*`)),
  ...WEBHOOK_EVENT_TYPES,
];

export const WebhookChoice = Type.Enum(WEBHOOK_CHOICES, {
  type: 'string',
  'x-problem': `must be one of ${WEBHOOK_CHOICES.join(', ')}`,
  description: 'A type of event, all of one object such as `intro.*`, or `*` for everything, also what is yet to come.',
  examples: ['intro.ready'],
});

const Choices = Type.Array(WebhookChoice, {
  minItems: 1,
  maxItems: 50,
  'x-problem': 'must be a list of 1 to 50 types of events',
  description: 'Which events the endpoint gets. Default: `["*"]`.',
  examples: [['intro.*', 'recipient.opted_out']],
});

export const WebhookUrl = Type.String({
  minLength: 1,
  maxLength: 2048,
  pattern: '^[^\\s\\p{Cc}\\p{Cs}]*$',
  'x-problem': 'must be an address without spaces or control characters',
  description:
    'Where webhooks are sent: `https://…`, or `http://…`, without user name and password, and not in a private network.',
  examples: ['https://crm.acme.example/foreword'],
});

const Active = Type.Boolean({ description: 'False: nothing is sent, and what waits to be sent is given up.' });

export const CreateWebhookEndpoint = Type.Object(
  { url: WebhookUrl, events: Type.Optional(Choices), active: Type.Optional(Active) },
  { ...closed, description: 'Where to send webhooks, and which.' },
);

export const UpdateWebhookEndpoint = Type.Object(
  { url: Type.Optional(WebhookUrl), events: Type.Optional(Choices), active: Type.Optional(Active) },
  { ...closed, description: 'What to change; the rest stays.' },
);

export const ReplayWebhooks = Type.Object(
  {
    message: Type.Optional(AnyId('One message, whatever became of it.', 'msg_01kahzv8e1f0rtx5m2q6n9d3bw')),
    since: Type.Optional(
      Type.String({
        format: 'date-time',
        'x-problem': 'must be an ISO 8601 date-time with an offset or Z, such as 2026-03-10T09:15:00Z',
        description: 'All messages made since then that were given up.',
        examples: ['2026-03-10T09:15:00Z'],
      }),
    ),
  },
  {
    ...closed,
    minProperties: 1,
    maxProperties: 1,
    description: 'What to send again: exactly one of `message`, `since`.',
    examples: [{ since: '2026-03-10T09:15:00Z' }],
  },
);

const endpointFields = {
  id: Id('whk', 'Identifier of the endpoint.'),
  object: Type.Literal('webhook_endpoint', { description: 'Always `webhook_endpoint`.' }),
  url: Type.String({ description: 'Where webhooks are sent.', examples: ['https://crm.acme.example/foreword'] }),
  events: Type.Array(WebhookChoice, { description: 'Which events it gets.' }),
  active: Type.Boolean({ description: 'False when it was turned off, by you or by the service.' }),
  disabled_reason: Nullable(
    Type.Enum(['gone', 'failing'], { type: 'string' }),
    'Why the service turned it off: `gone` (it answered 410) or `failing` (five days of nothing but failure).',
  ),
  failing_since: Nullable(Timestamp('Since when nothing but failure; null after a success.')),
};

const endpointEnd = { environment: Environment, created_at: Timestamp('When the endpoint was created.') };

export const WebhookEndpoint = Type.Object(
  { ...endpointFields, ...endpointEnd },
  { ...closed, description: 'An address of yours that is told what happens.' },
);

export const WebhookEndpointWithSecret = Type.Object(
  {
    ...endpointFields,
    secret: Type.String({
      description: 'The secret that signs its webhooks. Shown here, and at no other time: keep it.',
      examples: ['whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oDazfgh3y9hkY='],
    }),
    ...endpointEnd,
  },
  { ...closed, description: 'An endpoint, with the secret it has from now on.' },
);

export const DeletedWebhookEndpoint = Type.Object(
  {
    id: Id('whk', 'Identifier the endpoint had.'),
    object: Type.Literal('webhook_endpoint', { description: 'Always `webhook_endpoint`.' }),
    deleted: Type.Literal(true, { description: 'Always true.' }),
  },
  closed,
);

export const WebhookMessage = Type.Object(
  {
    id: Id('msg', 'Identifier of the message: the `webhook-id` under which it is sent, each time.'),
    object: Type.Literal('webhook_message', { description: 'Always `webhook_message`.' }),
    type: Type.String({ description: 'The type of its event.', examples: ['webhook.test'] }),
    environment: Environment,
    created_at: Timestamp('When it was made.'),
  },
  { ...closed, description: 'What an endpoint is told.' },
);

export const WebhookReplay = Type.Object(
  {
    object: Type.Literal('webhook_replay', { description: 'Always `webhook_replay`.' }),
    endpoint: Id('whk', 'The endpoint that they are sent to.'),
    messages: Type.Integer({ minimum: 0, description: 'How many are sent again.' }),
  },
  { ...closed, description: 'What is sent again.' },
);

export const WebhookAttempt = Type.Object(
  {
    id: Id('att', 'Identifier of the attempt.'),
    object: Type.Literal('webhook_attempt', { description: 'Always `webhook_attempt`.' }),
    message: Id('msg', 'The message that was sent.'),
    type: Type.String({ description: 'The type of its event.', examples: ['intro.ready'] }),
    succeeded: Type.Boolean({ description: 'Whether a 2xx came in full within 15 seconds.' }),
    status: Nullable(Type.Integer(), 'Status of the answer; null when there was none.'),
    error: Nullable(Type.String(), 'What went wrong; null after a success.'),
    duration_ms: Type.Integer({ description: 'How long it took.', examples: [84] }),
    answer: Nullable(Type.String(), 'The first KB of what was answered; null when nothing was.'),
    next_attempt_at: Nullable(Timestamp('When the next attempt follows; null when none does.')),
    environment: Environment,
    created_at: Timestamp('When it was made.'),
  },
  { ...closed, description: 'One attempt to tell an endpoint something. Kept for 30 days.' },
);

/** A webhook as it is sent. */
export const webhookPayload = (
  type: string,
  { data, says }: (typeof WEBHOOK_EVENTS)[WebhookEventType] | typeof WEBHOOK_TEST,
) =>
  Type.Object(
    {
      type: Type.Literal(type, { description: 'What happened.' }),
      timestamp: Timestamp('When it happened.'),
      data,
    },
    { ...closed, description: says },
  );

export type CreateWebhookEndpoint = Static<typeof CreateWebhookEndpoint>;
export type UpdateWebhookEndpoint = Static<typeof UpdateWebhookEndpoint>;
export type ReplayWebhooks = Static<typeof ReplayWebhooks>;
export type WebhookEndpoint = Static<typeof WebhookEndpoint>;
export type WebhookEndpointWithSecret = Static<typeof WebhookEndpointWithSecret>;
export type WebhookMessage = Static<typeof WebhookMessage>;
export type WebhookReplay = Static<typeof WebhookReplay>;
export type WebhookAttempt = Static<typeof WebhookAttempt>;
