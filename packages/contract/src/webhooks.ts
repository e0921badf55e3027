import { eventExample, failedEventExample, TouchpointEvent } from './events.ts';
import { Environment, Id, Nullable, openEnum, Timestamp } from './fields.ts';
import { INTRO_STATES, Intro, introExample } from './intros.ts';
import { define, idParams, ListOf, listExample, PageQuery, returns } from './operation.ts';
import { ConsentSource, erasureExample, RecipientErasure } from './recipients.ts';
import { Component, RequestComponent, type Static, Type } from './schema.ts';

const consentFields = {
  object: Type.Literal('recipient'),
  phone: Type.String({ description: 'Mobile number in E.164 format.' }),
  source: ConsentSource,
};

const OptedOutRecipient = Component('OptedOutRecipient', 'A recipient who opted out of text messages.', {
  ...consentFields,
  opted_out_at: Timestamp('When the recipient opted out.'),
});

const OptedInRecipient = Component('OptedInRecipient', 'A recipient who allowed text messages again.', {
  ...consentFields,
  opted_in_at: Timestamp('When texts were allowed again.'),
});

const TestData = Component('WebhookTest', 'Data of a test event.', {
  object: Type.Literal('webhook_test'),
  endpoint: Id('whk', 'The tested endpoint.'),
});

const consent = { object: 'recipient', phone: '+13125550186', source: 'text' } as const;
const optedOut: Static<typeof OptedOutRecipient> = { ...consent, opted_out_at: '2026-03-07T18:22:46.090Z' };
const optedIn: Static<typeof OptedInRecipient> = { ...consent, opted_in_at: '2026-03-08T09:02:17.351Z' };

const ENDPOINT = 'whk_01kh4aaxzjw00sf5vz7xy9dfgm';

const onIntro = (description: string, example: Static<typeof Intro>) => ({ description, data: Intro, example });

/** Every event type that an endpoint can select: its meaning, and the schema and an example of its `data`. */
export const WEBHOOK_EVENTS = {
  'intro.requested': onIntro('An intro was created; the member has not recorded yet.', introExample),
  'intro.reassigned': onIntro('The intro was reassigned; `member` is the new member.', INTRO_STATES.reassigned),
  'intro.declined': onIntro(
    'The member declined to record the intro; `declined` has the reason. Reassign it or cancel it.',
    INTRO_STATES.declined,
  ),
  'intro.member_unreachable': onIntro(
    'No message could reach the member; `notification_error` has the reason. Reassign it, or correct the member.',
    INTRO_STATES.unreachable,
  ),
  'intro.ready': onIntro('The video is processed and the page is available.', INTRO_STATES.ready),
  'intro.sent': onIntro('The link was sent to the recipient.', INTRO_STATES.sent),
  'intro.opened': onIntro('A person opened the page for the first time.', INTRO_STATES.opened),
  'intro.watched': onIntro('The video was watched to the end for the first time.', INTRO_STATES.watched),
  'intro.clicked': onIntro(
    'The recipient tapped something on the page; `clicks` contains it. Sent once per type.',
    INTRO_STATES.clicked,
  ),
  'intro.replied': onIntro('The recipient replied on the page; `reply` has the reply.', INTRO_STATES.replied),
  'intro.cancelled': onIntro('The intro was cancelled.', INTRO_STATES.cancelled),
  'intro.taken_down': onIntro(
    'The page of a sent intro was taken down; its link no longer shows the video.',
    INTRO_STATES.takenDown,
  ),
  'intro.expired': onIntro('The intro expired before it was sent.', INTRO_STATES.expired),
  'intro.delivery_failed': onIntro(
    'The link could not be delivered to the recipient; `delivery.error` has the reason.',
    INTRO_STATES.undeliverable,
  ),
  'touchpoint_event.processed': {
    description: 'An event was processed; `intro` is the intro that it created.',
    data: TouchpointEvent,
    example: eventExample,
  },
  'touchpoint_event.failed': {
    description: 'An event failed; `error` has the reason.',
    data: TouchpointEvent,
    example: failedEventExample,
  },
  'recipient.opted_out': {
    description: 'A recipient opted out of text messages.',
    data: OptedOutRecipient,
    example: optedOut,
  },
  'recipient.opted_in': {
    description: 'A recipient allowed text messages again.',
    data: OptedInRecipient,
    example: optedIn,
  },
  'recipient.erased': {
    description:
      'A recipient was erased: everything that identified them is removed. Remove what you have stored about the intros.',
    data: RecipientErasure,
    example: erasureExample,
  },
} as const;

export type WebhookEventType = keyof typeof WEBHOOK_EVENTS;

/** Sent only on request, to one endpoint, whatever types it selects. */
export const WEBHOOK_TEST = {
  type: 'webhook.test',
  description: 'You requested a test of the endpoint.',
  data: TestData,
  example: { object: 'webhook_test', endpoint: ENDPOINT },
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

const Active = Type.Boolean({
  description:
    'If false, nothing is sent: pending and new messages become `failed`, and a replay sends them once it is on again.',
});

const settings = {
  description: Type.Optional(Description),
  events: Type.Optional(Choices),
  active: Type.Optional(Active),
};

export const CreateWebhookEndpoint = RequestComponent(
  'CreateWebhookEndpoint',
  'The URL that receives webhooks, and which ones.',
  { url: WebhookUrl, ...settings },
);

export const UpdateWebhookEndpoint = RequestComponent(
  'UpdateWebhookEndpoint',
  'Fields to change; omitted fields keep their value.',
  { url: Type.Optional(WebhookUrl), ...settings },
);

const endpointFields = {
  id: Id('whk', 'Identifier of the endpoint.'),
  object: Type.Literal('webhook_endpoint'),
  url: Type.String({ description: 'The URL that receives webhooks.' }),
  description: Description,
  events: Type.Array(Type.String({}), {
    description: 'The event types that it receives, as you selected them.',
  }),
  active: Type.Boolean({ description: 'False when it was turned off, by you or by Foreword.' }),
  disabled_reason: Nullable(
    openEnum('WebhookDisabledReason', ['gone', 'failing']),
    'Why Foreword turned it off: `gone` (it returned 410) or `failing` (every attempt failed for five days).',
  ),
  failing_since: Nullable(Timestamp('Start of the current series of failures; null after a success.')),
};

const endpointEnd = { environment: Environment, created_at: Timestamp('When the endpoint was created.') };

const WebhookEndpoint = Component('WebhookEndpoint', 'A URL that receives webhooks.', {
  ...endpointFields,
  ...endpointEnd,
});

const WebhookEndpointWithSecret = Component('WebhookEndpointWithSecret', 'An endpoint with its current secret.', {
  ...endpointFields,
  secret: Type.String({
    description: 'The secret that signs its webhooks. Store it: it is shown only here.',
  }),
  ...endpointEnd,
});

const DeletedWebhookEndpoint = Component('DeletedWebhookEndpoint', 'An endpoint that was deleted.', {
  id: Id('whk', 'Identifier of the deleted endpoint.'),
  object: Type.Literal('webhook_endpoint'),
  deleted: Type.Literal(true),
});

/** `intro.ready` → `IntroReady`. */
export const pascalCase = (type: string): string =>
  type.replace(/(?:^|[._])([a-z])/g, (_match, letter: string) => letter.toUpperCase());

/** The body of a webhook. */
export const webhookPayload = (
  type: string,
  { data }: (typeof WEBHOOK_EVENTS)[WebhookEventType] | typeof WEBHOOK_TEST,
) =>
  Type.Object(
    {
      type: Type.Literal(type),
      timestamp: Timestamp('When it happened.'),
      data,
    },
    { 'x-component': `${pascalCase(type)}Payload` },
  );

export type CreateWebhookEndpoint = Static<typeof CreateWebhookEndpoint>;
export type UpdateWebhookEndpoint = Static<typeof UpdateWebhookEndpoint>;
export type WebhookEndpoint = Static<typeof WebhookEndpoint>;
export type WebhookEndpointWithSecret = Static<typeof WebhookEndpointWithSecret>;

export const webhookEndpointExample: WebhookEndpoint = {
  id: ENDPOINT,
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

const { url, description, events } = webhookEndpointExample;
const withSecret: WebhookEndpointWithSecret = {
  ...webhookEndpointExample,
  secret: 'whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oDazfgh3y9hkY=',
};

/** The time of the last change that the data shows; deadlines and the times of appointments are not changes. */
function timeOf(data: object): string {
  if ('status' in data && data.status === 'expired') return introExample.expires_at ?? '';
  const times = [...JSON.stringify(data).matchAll(/"(?!expires|occurred|starts)\w+_at":"([^"]+)"/g)].map(
    ([, at]) => at ?? '',
  );
  return times.sort().at(-1) ?? webhookEndpointExample.created_at;
}

export const webhookExample = (type: WebhookEventType | typeof WEBHOOK_TEST.type) => {
  const data: object = type === WEBHOOK_TEST.type ? WEBHOOK_TEST.example : WEBHOOK_EVENTS[type].example;
  return { type, timestamp: timeOf(data), data };
};

export const ENDPOINT_ID = idParams('The endpoint identifier.', webhookEndpointExample);

export const WEBHOOK_ENDPOINT_OPERATIONS = define('Webhooks', {
  createWebhookEndpoint: {
    route: 'POST /v1/webhook_endpoints',
    role: 'manager',
    summary: 'Create an endpoint',
    isClosedToAgents: true,
    description:
      'Registers a URL that receives webhooks, and returns the secret that signs them. Store the secret: it is not shown again. ' +
      'Creating an endpoint sends nothing. An organization can have up to 20 endpoints.',
    body: {
      kind: 'required',
      schema: CreateWebhookEndpoint,
      examples: {
        'Selected types, with a note': { url, description, events },
        'All events': { url: 'https://alerts.acme.example/hooks/foreword' },
      },
    },
    success: returns(201, WebhookEndpointWithSecret, 'The endpoint, with its secret.', withSecret),
    errors: ['webhook_endpoint_limit'],
  },
  listWebhookEndpoints: {
    route: 'GET /v1/webhook_endpoints',
    summary: 'List endpoints',
    description: 'Newest first.',
    query: PageQuery,
    success: returns(200, ListOf(WebhookEndpoint), 'One page of endpoints.', listExample(webhookEndpointExample)),
  },
  retrieveWebhookEndpoint: {
    route: 'GET /v1/webhook_endpoints/{id}',
    summary: 'Retrieve an endpoint',
    description: 'Returns an endpoint without its secret.',
    params: ENDPOINT_ID,
    success: returns(200, WebhookEndpoint, 'The endpoint.', webhookEndpointExample),
  },
  updateWebhookEndpoint: {
    route: 'POST /v1/webhook_endpoints/{id}',
    role: 'manager',
    summary: 'Update an endpoint',
    isClosedToAgents: true,
    description:
      'Changes the given fields. While the endpoint is off, its pending and new messages become `failed`. After you turn it on, it ' +
      'receives new messages, and a replay sends the missed ones.',
    params: ENDPOINT_ID,
    body: {
      kind: 'required',
      schema: UpdateWebhookEndpoint,
      examples: {
        'Other types': { events: ['intro.ready', 'intro.delivery_failed'] },
        'Another note': { description: 'CRM of the west region' },
        'Turn it off': { active: false },
      },
    },
    success: returns(200, WebhookEndpoint, 'The updated endpoint.', {
      ...webhookEndpointExample,
      events: ['intro.ready', 'intro.delivery_failed'],
    }),
  },
  deleteWebhookEndpoint: {
    route: 'DELETE /v1/webhook_endpoints/{id}',
    role: 'manager',
    summary: 'Delete an endpoint',
    isClosedToAgents: true,
    description: 'Stops all webhooks to this endpoint. This cannot be undone.',
    params: ENDPOINT_ID,
    success: returns(200, DeletedWebhookEndpoint, 'The endpoint was deleted.', {
      id: webhookEndpointExample.id,
      object: 'webhook_endpoint',
      deleted: true,
    }),
  },
  rotateWebhookSecret: {
    route: 'POST /v1/webhook_endpoints/{id}/rotate_secret',
    role: 'manager',
    summary: 'Rotate the secret',
    isClosedToAgents: true,
    description:
      'Creates a new secret. For 24 hours, webhooks have two signatures, one with the new secret and one with the old one, so ' +
      'that you can switch without losing any. A second rotation within that time ends the oldest of the three secrets at once.',
    params: ENDPOINT_ID,
    success: returns(200, WebhookEndpointWithSecret, 'The endpoint, with its new secret.', withSecret),
  },
});
