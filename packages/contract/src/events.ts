import { EVENT_FAILURES } from './errors.ts';
import {
  Environment,
  EventStatus,
  ExternalText,
  Id,
  Instant,
  Lane,
  Metadata,
  Nullable,
  oneOf,
  openEnum,
  Responsibility,
  ScriptLanguage,
  Slug,
  severalOf,
  Timestamp,
  Trade,
} from './fields.ts';
import {
  Appointment,
  Intro,
  introExample,
  MemberChoice,
  memberChoiceExample,
  Recipient,
  Reference,
  ReferenceView,
  recipientExample,
} from './intros.ts';
import { createdPeriod, define, idParams, ListOf, listExample, paging, returns, wait } from './operation.ts';
import { STORED_EVENT_STATUSES } from './plain/index.ts';
import { ClosedObject, Component, RequestComponent, type Static, Type } from './schema.ts';

const eventFields = {
  id: Id('evt', 'Identifier of the event.'),
  object: Type.Literal('touchpoint_event'),
  status: EventStatus,
  touchpoint: Type.String({ description: 'The slug you sent.' }),
  reference: Nullable(ReferenceView, 'As sent; null when not sent.'),
  metadata: Metadata,
  occurred_at: Timestamp('When the event happened in your system: the time you sent, in UTC.'),
  environment: Environment,
  created_at: Timestamp('When the event was accepted.'),
};

const EventError = Component('TouchpointEventError', 'Present when status is `failed`.', {
  code: openEnum('TouchpointEventErrorCode', Object.keys(EVENT_FAILURES), 'A stable code. New codes may be added.'),
  message: Type.String({ description: 'The reason as readable text.' }),
});

const AcceptedEvent = Type.Object(eventFields, {
  'x-component': 'AcceptedTouchpointEvent',
  description: 'The receipt for a touchpoint event: `accepted`, or `duplicate` when the key was already used.',
});

export const TouchpointEvent = Component('TouchpointEvent', 'A business event that your system reported.', {
  ...eventFields,
  resolved: Component('ResolvedObjects', 'The objects that the event was matched to.', {
    touchpoint: Component('ResolvedTouchpoint', 'The touchpoint that the event was matched to.', {
      slug: Type.String({ description: 'Slug.' }),
      name: Type.String({ description: 'Its name at the time of the match.' }),
    }),
    member: Component('ResolvedMember', 'The member that the event was matched to.', {
      id: Id('mem', 'The member.'),
      external_id: Nullable(Type.String(), 'Your own id of the member.'),
    }),
  }),
  intro: Nullable(Id('int', 'The intro this event created.'), 'Null until the event is processed.'),
  error: Type.Optional(EventError),
});

const CreateTouchpointEvent = RequestComponent('CreateTouchpointEvent', 'A business event.', {
  touchpoint: Slug,
  occurred_at: Instant('When the event happened in your system'),
  member: MemberChoice,
  recipient: Recipient,
  reference: Type.Optional(Reference),
  context: Type.Optional(
    RequestComponent(
      'TouchpointEventContext',
      'Details of the event. A touchpoint with context `appointment` requires `appointment`.',
      { appointment: Type.Optional(Appointment), trade: Type.Optional(Trade), lane: Type.Optional(Lane) },
    ),
  ),
  metadata: Type.Optional(Metadata),
});

const ListEventsQuery = ClosedObject({
  status: Type.Optional(severalOf(STORED_EVENT_STATUSES, 'Only events with this status.')),
  touchpoint: Type.Optional(Slug),
  reference_id: Type.Optional(ExternalText('The id you sent in `reference.id`.', 'appt_8812')),
  ...createdPeriod,
  ...paging,
});

const RetrieveEventQuery = ClosedObject(wait('the status is no longer `accepted`'));

const { member, recipient, reference, context, recipient_opted_out, metadata } = Intro.properties;

const DraftedIntro = Component('DryRunIntro', 'The intro that the event would create.', {
  recipient,
  reference,
  context,
  instructions: Component('DryRunInstructions', 'The words for the member to say.', {
    script: Type.String({ description: 'The rendered script.' }),
    script_language: ScriptLanguage,
    words: Type.Integer({ minimum: 0, description: 'Number of words in the script.' }),
    seconds: Type.Number({
      minimum: 0,
      description:
        'How long the member needs to read it, estimated from their own pace if it is known. About 15 is ideal.',
    }),
  }),
  recipient_opted_out,
  delivery: Component('DryRunDelivery', 'Who would send the link.', { responsibility: Responsibility }),
  metadata,
  expires_at: Timestamp('When it would expire if it were created now.'),
});

const DryRunResult = Component('DryRun', 'The result that an event would have now.', {
  object: Type.Literal('dry_run'),
  status: oneOf(['processed', 'failed'], 'The status that the event would get.'),
  touchpoint: TouchpointEvent.properties.resolved.properties.touchpoint,
  member,
  intro: Nullable(DraftedIntro, 'The intro that the event would create; null when status is `failed`.'),
  error: Nullable(EventError, 'Why processing the event would fail; null when status is `processed`.'),
  environment: Environment,
});
export type DryRunResult = Static<typeof DryRunResult>;

export type AcceptedEvent = Static<typeof AcceptedEvent>;
export type TouchpointEvent = Static<typeof TouchpointEvent>;
export type CreateTouchpointEvent = Static<typeof CreateTouchpointEvent>;
export type ListEventsQuery = Static<typeof ListEventsQuery>;

/** Its intro is the example of intros. */
const receiptExample: AcceptedEvent = {
  id: 'evt_01kkc1kss8w00d7hgn7s1a31f2',
  object: 'touchpoint_event',
  status: 'accepted',
  touchpoint: 'new_appointment',
  reference: introExample.reference,
  metadata: introExample.metadata,
  occurred_at: '2026-03-10T14:15:00.000Z',
  environment: 'test',
  created_at: '2026-03-10T14:15:02.184Z',
};

export const eventExample: TouchpointEvent = {
  ...receiptExample,
  status: 'processed',
  resolved: {
    touchpoint: { slug: 'new_appointment', name: 'New appointment' },
    member: { id: introExample.member.id, external_id: introExample.member.external_id },
  },
  intro: introExample.id,
};

/** The recipient opted out of text messages earlier. */
export const failedEventExample: TouchpointEvent = {
  ...eventExample,
  status: 'failed',
  intro: null,
  error: { code: 'recipient_opted_out', message: EVENT_FAILURES.recipient_opted_out },
};

const dryRunExample: DryRunResult = {
  object: 'dry_run',
  status: 'processed',
  touchpoint: eventExample.resolved.touchpoint,
  member: introExample.member,
  intro: {
    recipient: introExample.recipient,
    reference: introExample.reference,
    context: introExample.context,
    instructions: { script: introExample.instructions?.script ?? '', script_language: 'en', words: 20, seconds: 8 },
    recipient_opted_out: false,
    delivery: { responsibility: 'service' },
    metadata: introExample.metadata,
    expires_at: '2026-03-12T19:30:00.000Z',
  },
  error: null,
  environment: 'test',
};

const minimal = {
  occurred_at: '2026-03-10T14:15:00Z',
  member: memberChoiceExample,
  recipient: { first_name: recipientExample.first_name, phone: recipientExample.phone },
};

const CREATE_EXAMPLES = {
  'An appointment was booked': {
    touchpoint: 'new_appointment',
    ...minimal,
    recipient: recipientExample,
    reference: introExample.reference,
    context: { appointment: { starts_at: '2026-03-12T14:30:00', timezone: 'America/Chicago' }, lane: 'retail' },
    metadata: introExample.metadata,
  },
  'A job moved on, for a recipient who prefers Spanish': {
    touchpoint: 'project_update',
    ...minimal,
    recipient: { ...minimal.recipient, language: 'es' },
    reference: { source: 'acme_crm', type: 'job', id: 'job_502' },
    context: { trade: 'gutters' },
  },
  'Only the required fields': { touchpoint: 'project_complete', ...minimal },
};

const EVENT_ID = idParams('The event id returned when the event was sent.', eventExample);

export const EVENT_OPERATIONS = define('Touchpoint events', {
  createTouchpointEvent: {
    route: 'POST /v1/touchpoint-events',
    summary: 'Report an event',
    description:
      "Reports a business event. The organization's touchpoint determines script, page and delivery. After a 202 nothing else " +
      'is needed: store the id, and retrieve the event to find the intro it created. Repeating the request with the same ' +
      'Idempotency-Key and body returns the same event with status `duplicate` and creates nothing.',
    allowsEventKeys: true,
    isBatched: true,
    body: { kind: 'required', schema: CreateTouchpointEvent, examples: CREATE_EXAMPLES },
    success: returns(202, AcceptedEvent, 'The event is stored and will be processed.', {
      examples: {
        accepted: receiptExample,
        duplicate: { ...receiptExample, status: 'duplicate' },
      },
    }),
    keyExample: 'acme_crm:appt_8812:new_appointment:2026-03-12T19:30Z',
    errors: ['member_not_found', 'member_ambiguous', 'touchpoint_not_found'],
  },
  listEvents: {
    route: 'GET /v1/events',
    summary: 'List events',
    description: 'Newest first. Filters are combined with AND.',
    allowsEventKeys: true,
    query: ListEventsQuery,
    success: returns(200, ListOf(TouchpointEvent), 'One page of events.', listExample(eventExample)),
    filterExample: { status: 'processed' },
  },
  retrieveEvent: {
    route: 'GET /v1/events/{id}',
    summary: 'Retrieve an event',
    description:
      'Returns the status of an event, what it was matched to, and the intro it created. With `wait`, responds as soon as the ' +
      'event is processed or has failed. A key may have 500 waiting requests; further ones get the current state at once.',
    allowsEventKeys: true,
    params: EVENT_ID,
    query: RetrieveEventQuery,
    success: returns(200, TouchpointEvent, 'The event.', eventExample),
  },
  retryEvent: {
    route: 'POST /v1/events/{id}/retry',
    role: 'manager',
    summary: 'Retry a failed event',
    description:
      'Processes a `failed` event again, once its cause is fixed. It stays the same event with the same Idempotency-Key, and becomes ' +
      '`accepted`, then `processed` or `failed`. Each retry needs an Idempotency-Key of its own.',
    allowsEventKeys: true,
    params: EVENT_ID,
    success: returns(202, TouchpointEvent, 'The event, which will be processed again.', {
      ...eventExample,
      status: 'accepted',
      intro: null,
    }),
    errors: ['event_not_failed'],
  },
  dryRun: {
    route: 'POST /v1/dry_run',
    summary: 'Try an event without sending it',
    description:
      'Takes the body of `POST /v1/touchpoint-events` and returns the same errors. For an event that would be accepted, returns the ' +
      'result that processing would have now: the intro with its rendered title and script, or the reason why there would be none. ' +
      'Creates nothing, notifies no one and needs no `Idempotency-Key`. Counts as a read for the rate limit.',
    changesNothing: true,
    allowsEventKeys: true,
    body: { kind: 'required', schema: CreateTouchpointEvent, examples: CREATE_EXAMPLES },
    success: returns(200, DryRunResult, 'The result that the event would have.', dryRunExample),
    errors: ['touchpoint_not_found', 'member_not_found', 'member_ambiguous'],
  },
});
