import { type Static, Type } from 'typebox';
import { Environment, Id, Instant, Nullable, OptionalId, Timestamp } from './fields.ts';
import { ConsentSource, RecipientErasure } from './recipients.ts';
import { Intro, TouchpointEvent } from './resources.ts';

const closed = { additionalProperties: false } as const;

const OptedOutRecipient = Type.Object(
  {
    object: Type.Literal('recipient', { description: 'Always `recipient`.' }),
    phone: Type.String({ description: 'Mobile number in E.164 format.', examples: ['+14155550123'] }),
    source: ConsentSource,
    opted_out_at: Timestamp('When the recipient opted out.'),
  },
  { 'x-component': 'OptedOutRecipient', description: 'A recipient who opted out of text messages.' },
);

const OptedInRecipient = Type.Object(
  {
    object: Type.Literal('recipient', { description: 'Always `recipient`.' }),
    phone: Type.String({ description: 'Mobile number in E.164 format.', examples: ['+14155550123'] }),
    source: ConsentSource,
    opted_in_at: Timestamp('When texts were allowed again.'),
  },
  { 'x-component': 'OptedInRecipient', description: 'A recipient who allowed text messages again.' },
);

const TestData = Type.Object(
  {
    object: Type.Literal('webhook_test', { description: 'Always `webhook_test`.' }),
    endpoint: Id('whk', 'The tested endpoint.'),
  },
  { 'x-component': 'WebhookTest', description: 'Data of a test event.' },
);

/** Every event type that an endpoint can select: its meaning and the schema of its `data`. */
export const WEBHOOK_EVENTS = {
  'intro.requested': { description: 'An intro was created; the member has not recorded yet.', data: Intro },
  'intro.reassigned': { description: 'The intro was reassigned; `member` is the new member.', data: Intro },
  'intro.declined': {
    description: 'The member declined to record the intro; `declined` has the reason. Reassign it or cancel it.',
    data: Intro,
  },
  'intro.member_unreachable': {
    description:
      'No message could reach the member; `notification_error` has the reason. Reassign it, or correct the member.',
    data: Intro,
  },
  'intro.ready': { description: 'The video is processed and the page is available.', data: Intro },
  'intro.sent': { description: 'The link was sent to the recipient.', data: Intro },
  'intro.opened': { description: 'A person opened the page for the first time.', data: Intro },
  'intro.watched': { description: 'The video was watched to the end for the first time.', data: Intro },
  'intro.replied': { description: 'The recipient replied on the page; `reply` has the reply.', data: Intro },
  'intro.cancelled': { description: 'The intro was cancelled.', data: Intro },
  'intro.taken_down': {
    description: 'The page of a sent intro was taken down; its link no longer shows the video.',
    data: Intro,
  },
  'intro.expired': { description: 'The intro expired before it was sent.', data: Intro },
  'intro.delivery_failed': {
    description: 'The link could not be delivered to the recipient; `delivery.error` has the reason.',
    data: Intro,
  },
  'touchpoint_event.processed': {
    description: 'An event was processed; `intro` is the intro that it created.',
    data: TouchpointEvent,
  },
  'touchpoint_event.failed': { description: 'An event failed; `error` has the reason.', data: TouchpointEvent },
  'recipient.opted_out': { description: 'A recipient opted out of text messages.', data: OptedOutRecipient },
  'recipient.opted_in': { description: 'A recipient allowed text messages again.', data: OptedInRecipient },
  'recipient.erased': {
    description:
      'A recipient was erased: everything that identified them is removed. Remove what you have stored about the intros.',
    data: RecipientErasure,
  },
} as const;

export type WebhookEventType = keyof typeof WEBHOOK_EVENTS;

/** Sent only on request, to one endpoint, whatever types it selects. */
export const WEBHOOK_TEST = {
  type: 'webhook.test',
  description: 'You requested a test of the endpoint.',
  data: TestData,
} as const;

export const WEBHOOK_EVENT_TYPES = Object.keys(WEBHOOK_EVENTS) as WebhookEventType[];

/** The values an endpoint can select: one type, all types of one object, or everything. */
export const WEBHOOK_CHOICES = [
  '*',
  ...new Set(WEBHOOK_EVENT_TYPES.map((type) => `${type.split('.')[0]}.*`)),
  ...WEBHOOK_EVENT_TYPES,
];

export const WebhookChoice = Type.Enum(WEBHOOK_CHOICES, {
  type: 'string',
  'x-component': 'WebhookEventSelector',
  'x-problem': `must be one of ${WEBHOOK_CHOICES.join(', ')}`,
  description:
    'An event type, all types of one object such as `intro.*`, or `*` for all events, including future types.',
  examples: ['intro.ready'],
});

const Choices = Type.Array(WebhookChoice, {
  minItems: 1,
  maxItems: 50,
  'x-problem': 'must be a list of 1 to 50 event types',
  description: 'The event types that the endpoint receives. Default: `["*"]`.',
  examples: [['intro.*', 'recipient.opted_out']],
});

export const WebhookUrl = Type.String({
  minLength: 1,
  maxLength: 2048,
  pattern: '^[^\\s\\p{Cc}\\p{Cs}]*$',
  'x-problem': 'must be a URL without spaces or control characters',
  description:
    'The URL that receives webhooks: `https://…` or `http://…`, without username and password, and not in a private network.',
  examples: ['https://crm.acme.example/foreword'],
});

const DESCRIPTION_MAX = 200;

const Description = Type.Union(
  [Type.String({ maxLength: DESCRIPTION_MAX, pattern: '^[^\\p{Cc}\\p{Cs}]*$' }), Type.Null()],
  {
    'x-problem': `must be text of at most ${DESCRIPTION_MAX} characters without control characters or invalid Unicode, or null`,
    description:
      'Your note about the endpoint, such as the system behind it; null when there is none. Empty text is stored as null.',
    examples: ['Production CRM'],
  },
);

const Active = Type.Boolean({ description: 'If false, nothing is sent and pending messages are discarded.' });

export const CreateWebhookEndpoint = Type.Object(
  {
    url: WebhookUrl,
    description: Type.Optional(Description),
    events: Type.Optional(Choices),
    active: Type.Optional(Active),
  },
  { ...closed, 'x-component': 'CreateWebhookEndpoint', description: 'The URL that receives webhooks, and which ones.' },
);

export const UpdateWebhookEndpoint = Type.Object(
  {
    url: Type.Optional(WebhookUrl),
    description: Type.Optional(Description),
    events: Type.Optional(Choices),
    active: Type.Optional(Active),
  },
  {
    ...closed,
    'x-component': 'UpdateWebhookEndpoint',
    description: 'Fields to change; omitted fields keep their value.',
  },
);

export const ReplayWebhooks = Type.Object(
  {
    message: OptionalId('One message, whatever its status.', 'msg_01kahzv8e1f0rtx5m2q6n9d3bw'),
    since: Type.Optional(Instant('All failed messages created since this time')),
    until: Type.Optional(Instant('The end of the period that `since` begins')),
  },
  {
    ...closed,
    'x-component': 'ReplayWebhooks',
    'x-choices': { message: 'ReplayMessage', since: 'ReplayFailedMessages' },
    minProperties: 1,
    description: 'The messages to send again: exactly one of `message` and `since`.',
    examples: [{ since: '2026-03-10T09:15:00Z' }],
  },
);

const endpointFields = {
  id: Id('whk', 'Identifier of the endpoint.'),
  object: Type.Literal('webhook_endpoint', { description: 'Always `webhook_endpoint`.' }),
  url: Type.String({ description: 'The URL that receives webhooks.', examples: ['https://crm.acme.example/foreword'] }),
  description: Description,
  events: Type.Array(Type.String({ examples: ['intro.*'] }), {
    description: 'The event types that it receives, as you selected them.',
  }),
  active: Type.Boolean({ description: 'False when it was turned off, by you or by Foreword.' }),
  disabled_reason: Nullable(
    Type.Enum(['gone', 'failing'], { type: 'string', 'x-component': 'WebhookDisabledReason', 'x-open': true }),
    'Why Foreword turned it off: `gone` (it returned 410) or `failing` (every attempt failed for five days).',
  ),
  failing_since: Nullable(Timestamp('Start of the current series of failures; null after a success.')),
};

const endpointEnd = { environment: Environment, created_at: Timestamp('When the endpoint was created.') };

export const WebhookEndpoint = Type.Object(
  { ...endpointFields, ...endpointEnd },
  { 'x-component': 'WebhookEndpoint', description: 'A URL that receives webhooks.' },
);

export const WebhookEndpointWithSecret = Type.Object(
  {
    ...endpointFields,
    secret: Type.String({
      description: 'The secret that signs its webhooks. Store it: it is shown only here.',
      examples: ['whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oDazfgh3y9hkY='],
    }),
    ...endpointEnd,
  },
  { 'x-component': 'WebhookEndpointWithSecret', description: 'An endpoint with its current secret.' },
);

export const DeletedWebhookEndpoint = Type.Object(
  {
    id: Id('whk', 'Identifier of the deleted endpoint.'),
    object: Type.Literal('webhook_endpoint', { description: 'Always `webhook_endpoint`.' }),
    deleted: Type.Literal(true, { description: 'Always true.' }),
  },
  { 'x-component': 'DeletedWebhookEndpoint', description: 'An endpoint that was deleted.' },
);

export const WebhookReplay = Type.Object(
  {
    object: Type.Literal('webhook_replay', { description: 'Always `webhook_replay`.' }),
    endpoint: Id('whk', 'The endpoint that the messages are sent to.'),
    messages: Type.Integer({ minimum: 0, description: 'Number of messages that are sent again.' }),
  },
  { 'x-component': 'WebhookReplay', description: 'A replay of messages.' },
);

export const WebhookAttempt = Type.Object(
  {
    id: Id('att', 'Identifier of the attempt.'),
    object: Type.Literal('webhook_attempt', { description: 'Always `webhook_attempt`.' }),
    message: Id('msg', 'The message that was sent.'),
    type: Type.String({ description: 'The type of its event.', examples: ['intro.ready'] }),
    succeeded: Type.Boolean({ description: 'True when a full 2xx response arrived within 15 seconds.' }),
    status: Nullable(Type.Integer(), 'Status of the response; null when there was none.'),
    error: Nullable(Type.String(), 'The error; null after a success.'),
    duration_ms: Type.Integer({ description: 'Duration in milliseconds.', examples: [84] }),
    answer: Nullable(Type.String(), 'The first KB of the response body; null without a response.'),
    next_attempt_at: Nullable(Timestamp('When the next attempt is due; null when there is none.')),
    environment: Environment,
    created_at: Timestamp('When the attempt was made.'),
  },
  { 'x-component': 'WebhookAttempt', description: 'One attempt to send a message to an endpoint. Kept for 30 days.' },
);

/** `intro.ready` → `IntroReady`. */
export const pascalCase = (type: string): string =>
  type.replace(/(?:^|[._])([a-z])/g, (_match, letter: string) => letter.toUpperCase());

/** The body of a webhook. */
export const webhookPayload = (
  type: string,
  { data, description }: (typeof WEBHOOK_EVENTS)[WebhookEventType] | typeof WEBHOOK_TEST,
) =>
  Type.Object(
    {
      type: Type.Literal(type, { description: 'The event type.' }),
      timestamp: Timestamp('When it happened.'),
      data,
    },
    { 'x-component': `${pascalCase(type)}Payload`, description },
  );

export type CreateWebhookEndpoint = Static<typeof CreateWebhookEndpoint>;
export type UpdateWebhookEndpoint = Static<typeof UpdateWebhookEndpoint>;
export type ReplayWebhooks = Static<typeof ReplayWebhooks>;
export type WebhookEndpoint = Static<typeof WebhookEndpoint>;
export type WebhookEndpointWithSecret = Static<typeof WebhookEndpointWithSecret>;
export type WebhookReplay = Static<typeof WebhookReplay>;
export type WebhookAttempt = Static<typeof WebhookAttempt>;
