import { type Static, type TSchema, Type } from 'typebox';
import { Declined } from './declines.ts';
import { DELIVERY_DELAYS, DELIVERY_FAILURES, EVENT_FAILURES, NOTIFICATION_FAILURES } from './errors.ts';
import {
  Environment,
  EventStatus,
  Id,
  IntroStatus,
  Lane,
  Metadata,
  Nullable,
  openEnum,
  RecipientLanguage,
  Responsibility,
  ScriptLanguage,
  Slug,
  Timestamp,
  TouchpointContext,
  Trade,
} from './fields.ts';
import { IntroReply } from './replies.ts';

const ReferenceView = Type.Object(
  {
    source: Nullable(Type.String(), 'System that the record is in.'),
    type: Nullable(Type.String(), 'Kind of record.'),
    id: Nullable(Type.String(), 'Identifier in that system.'),
  },
  {
    'x-component': 'StoredReference',
    description: 'The record in your own system, as you sent it.',
    examples: [{ source: 'acme_crm', type: 'appointment', id: 'appt_8812' }],
  },
);

const AppointmentView = Type.Object(
  {
    starts_at: Timestamp('When the appointment starts, in UTC.'),
    timezone: Type.String({ description: 'IANA time zone.' }),
  },
  {
    'x-component': 'StoredAppointment',
    description: 'A meeting with a date and time.',
    examples: [{ starts_at: '2026-03-12T19:30:00.000Z', timezone: 'America/Chicago' }],
  },
);

const ContextView = Type.Object(
  {
    title: Nullable(Type.String(), 'The line above the video.'),
    appointment: Nullable(AppointmentView, 'The appointment that the intro is about.'),
    trade: Nullable(Trade, 'As sent with the event.'),
    lane: Nullable(Lane, 'As sent with the event.'),
  },
  { 'x-component': 'IntroContext', description: 'The appointment or other subject of the page and the script.' },
);

const IntroMedia = Type.Object(
  {
    page_url: Type.String({
      format: 'uri',
      description: 'The page with the video; the same as `delivery.recipient_url`.',
    }),
    poster_url: Type.String({ format: 'uri', description: 'A still picture of the video, as JPEG.' }),
    preview_url: Type.String({
      format: 'uri',
      description:
        'A moving picture of a few seconds without sound, as animated WebP. Until it is made, some seconds after the intro is ' +
        '`ready`, the address returns the poster.',
    }),
    duration_seconds: Type.Number({ minimum: 0, description: 'Length of the video.', examples: [14.6] }),
    share_text: Type.String({
      description: 'A sentence for your message, with the link to the page at its end.',
      examples: ['Ana from Acme Roofing recorded a short video for you: https://intros.acme.example/i/7Kq2mXw9TzLb'],
    }),
  },
  { 'x-component': 'IntroMedia', description: 'The video of an intro, for messages that you send.' },
);

export const Intro = Type.Object(
  {
    id: Id('int', 'Identifier of the intro.'),
    object: Type.Literal('intro', { description: 'Always `intro`.' }),
    status: IntroStatus,
    touchpoint: Nullable(
      Slug,
      'Slug of the touchpoint whose event created the intro; null when it was created directly.',
    ),
    member: Type.Object(
      {
        id: Id('mem', 'Identifier of the member.'),
        external_id: Nullable(Type.String(), 'Your own id, stored on the member.'),
        first_name: Type.String({ description: 'First name.', examples: ['Ana'] }),
        last_name: Type.String({ description: 'Last name.', examples: ['Ng'] }),
      },
      { 'x-component': 'IntroMember', description: 'The member who records.' },
    ),
    recipient: Type.Object(
      {
        first_name: Type.String({ description: 'First name.', examples: ['Dana'] }),
        last_name: Nullable(Type.String(), 'Last name.'),
        phone: Type.String({ description: 'Mobile number in E.164 format.', examples: ['+14155550123'] }),
        language: RecipientLanguage,
      },
      { 'x-component': 'IntroRecipient', description: 'The person whom the intro is for.' },
    ),
    reference: Nullable(ReferenceView, 'As sent; null when not sent.'),
    context: Nullable(ContextView, 'The appointment or other subject of the page and the script; null when not sent.'),
    instructions: Nullable(
      Type.Object(
        { script: Nullable(Type.String(), 'The rendered script.'), script_language: ScriptLanguage },
        { 'x-component': 'IntroInstructions', description: 'The words for the member to say.' },
      ),
      'The words for the member to say; null when not sent.',
    ),
    recipient_opted_out: Type.Boolean({
      description: 'True when the recipient has opted out of text messages. Foreword sends none; neither should you.',
    }),
    delivery: Type.Object(
      {
        responsibility: Responsibility,
        recipient_url: Nullable(
          Type.String({ format: 'uri' }),
          "The recipient's page; null until the video is recorded.",
        ),
        scheduled_for: Nullable(
          Timestamp('When the text to the recipient is due.'),
          'Set while the intro is `ready` and Foreword has yet to send its text; otherwise null.',
        ),
        reason: Nullable(
          openEnum(
            'UnsentReason',
            [...new Set([...Object.keys(DELIVERY_DELAYS), ...Object.keys(DELIVERY_FAILURES)])],
            'A stable code. New codes may be added.',
          ),
          `Why an intro that Foreword delivers is not sent. While it is \`requested\`: \`recipient_opted_out\`. While the text is scheduled: ${Object.entries(
            DELIVERY_DELAYS,
          )
            .map(([code, meaning]) => `\`${code}\`: ${meaning}`)
            .join(
              ' ',
            )} If it is not sent: the code of \`error\`, such as \`no_text_provider\`. Null when there is no reason to wait.`,
        ),
        error: Nullable(
          Type.Object(
            {
              code: openEnum(
                'DeliveryErrorCode',
                Object.keys(DELIVERY_FAILURES),
                'A stable code. New codes may be added.',
              ),
              message: Type.String({ description: 'The same as readable text.' }),
            },
            { 'x-component': 'DeliveryError', description: 'Why an intro could not be delivered.' },
          ),
          'Why Foreword could not deliver the intro; null when there is no error.',
        ),
      },
      { 'x-component': 'IntroDelivery', description: 'Who sends the link to the recipient, and the link.' },
    ),
    media: Nullable(
      IntroMedia,
      'For messages that you send: set while the intro is `ready` or `sent` and its page shows the video. The pictures open ' +
        'without signing in, and stop working together with the page. Loading them does not count as opening.',
    ),
    reply: Nullable(IntroReply, 'The last reply of the recipient; null when there is none. The timeline has all.'),
    declined: Declined,
    member_notified_at: Nullable(
      Timestamp('When the first message that asks the member to record was sent.'),
      'When the first message that asks the current member to record was sent. Null before, if none could be sent, and after ' +
        'retention has removed the messages.',
    ),
    notification_error: Nullable(
      Type.Object(
        {
          code: openEnum(
            'NotificationErrorCode',
            Object.keys(NOTIFICATION_FAILURES),
            'A stable code. New codes may be added.',
          ),
          message: Type.String({ description: 'The same as readable text.' }),
        },
        { 'x-component': 'NotificationError', description: 'Why no message reached the member.' },
      ),
      'Why no message reached the current member; null if one did, if one is pending, or while no provider is connected.',
    ),
    metadata: Metadata,
    environment: Environment,
    version: Type.Integer({
      minimum: 1,
      description: 'Increases with each change, so that copies can be ordered.',
    }),
    created_at: Timestamp('When the intro was created.'),
    expires_at: Nullable(Timestamp('When it expires if it is not sent before; null once it can no longer expire.')),
    recorded_at: Nullable(Timestamp('When the video was recorded.')),
    sent_at: Nullable(Timestamp('When the link was sent to the recipient.')),
    opened_at: Nullable(Timestamp('When a person first opened the page.')),
    watched_at: Nullable(Timestamp('When the video was first watched to the end.')),
    cancelled_at: Nullable(Timestamp('When it was cancelled.')),
    taken_down_at: Nullable(Timestamp('When the page of the sent intro was taken down.')),
    likeness_withdrawn_at: Nullable(Timestamp('When its member withdrew consent, which deleted the video.')),
    erased_at: Nullable(Timestamp('When the recipient was erased: the first name is `Erased`, and the number empty.')),
  },
  { 'x-component': 'Intro', description: 'One short personal video, requested from one member for one recipient.' },
);

const eventFields = {
  id: Id('evt', 'Identifier of the event.'),
  object: Type.Literal('touchpoint_event', { description: 'Always `touchpoint_event`.' }),
  status: EventStatus,
  touchpoint: Type.String({ description: 'The slug you sent.', examples: ['new_appointment'] }),
  reference: Nullable(ReferenceView, 'As sent; null when not sent.'),
  metadata: Metadata,
  occurred_at: Timestamp('When the event happened in your system: the time you sent, in UTC.'),
  environment: Environment,
  created_at: Timestamp('When the event was accepted.'),
};

export const EventError = Type.Object(
  {
    code: openEnum('TouchpointEventErrorCode', Object.keys(EVENT_FAILURES), 'A stable code. New codes may be added.'),
    message: Type.String({ description: 'The reason as readable text.' }),
  },
  { 'x-component': 'TouchpointEventError', description: 'Present when status is `failed`.' },
);

export const AcceptedEvent = Type.Object(eventFields, {
  'x-component': 'AcceptedTouchpointEvent',
  description: 'The receipt for a touchpoint event: `accepted`, or `duplicate` when the key was already used.',
});

export const TouchpointEvent = Type.Object(
  {
    ...eventFields,
    resolved: Type.Object(
      {
        touchpoint: Type.Object(
          {
            slug: Type.String({ description: 'Slug.' }),
            name: Type.String({ description: 'Its name at the time of the match.' }),
          },
          { 'x-component': 'ResolvedTouchpoint', description: 'The touchpoint that the event was matched to.' },
        ),
        member: Type.Object(
          { id: Id('mem', 'The member.'), external_id: Nullable(Type.String(), 'Your own id of the member.') },
          { 'x-component': 'ResolvedMember', description: 'The member that the event was matched to.' },
        ),
      },
      { 'x-component': 'ResolvedObjects', description: 'The objects that the event was matched to.' },
    ),
    intro: Nullable(Id('int', 'The intro this event created.'), 'Null until the event is processed.'),
    error: Type.Optional(EventError),
  },
  { 'x-component': 'TouchpointEvent', description: 'A business event that your system reported.' },
);

export const Touchpoint = Type.Object(
  {
    id: Id('tp', 'Identifier of the touchpoint.'),
    object: Type.Literal('touchpoint', { description: 'Always `touchpoint`.' }),
    slug: Slug,
    name: Type.String({ description: 'Name of the touchpoint.', examples: ['New appointment'] }),
    context: TouchpointContext,
    active: Type.Boolean({ description: 'False when the organization turned it off; events for it are rejected.' }),
    languages: Type.Array(ScriptLanguage, { description: 'The languages that it has a script in.' }),
  },
  {
    'x-component': 'Touchpoint',
    description: "A business event for which the organization requests an intro. The organization's team edits it.",
  },
);

export const Member = Type.Object(
  {
    id: Id('mem', 'Identifier of the member.'),
    object: Type.Literal('member', { description: 'Always `member`.' }),
    external_id: Nullable(Type.String(), 'Your own id, stored on the member.'),
    first_name: Type.String({ description: 'First name.', examples: ['Ana'] }),
    last_name: Type.String({ description: 'Last name.', examples: ['Ng'] }),
    email: Type.String({ description: 'Email address.', examples: ['ana@acme.example'] }),
    phone: Nullable(Type.String(), 'Mobile number in E.164 format.'),
    title: Nullable(Type.String(), 'The job title that recipients see.'),
    title_es: Nullable(Type.String(), 'The job title on pages in Spanish. Null: they show `title`.'),
    lanes: Type.Array(Lane, { description: 'Lanes that the member works in; empty means all.' }),
    active: Type.Boolean({ description: 'False when the member is deactivated.' }),
    likeness_withdrawn_at: Nullable(Timestamp('When they withdrew consent to be shown. They get no intros.')),
    environment: Environment,
    created_at: Timestamp('When the member was added.'),
  },
  { 'x-component': 'Member', description: 'A person in the organization who records intros.' },
);

/** Lists of a component are components, too. */
function listOptions(item: TSchema) {
  const { 'x-component': name } = item as { 'x-component'?: string };
  return name === undefined ? {} : { 'x-component': `${name}List`, description: 'One page of a list.' };
}

export const ListOf = <T extends TSchema>(item: T) =>
  Type.Object(
    {
      object: Type.Literal('list', { description: 'Always `list`.' }),
      data: Type.Array(item, { description: 'The objects of this page.' }),
      has_more: Type.Boolean({ description: 'True when more objects follow; request them with `starting_after`.' }),
    },
    listOptions(item),
  );

export type Intro = Static<typeof Intro>;
export type AcceptedEvent = Static<typeof AcceptedEvent>;
export type TouchpointEvent = Static<typeof TouchpointEvent>;
export type Touchpoint = Static<typeof Touchpoint>;
export type Member = Static<typeof Member>;
/** A problem of one field, with a message that starts with the field. */
export interface FieldProblem {
  field: string;
  message: string;
}
/** The body of every error response. */
export interface ErrorBody {
  error: { code: string; message: string; field?: string; problems?: readonly FieldProblem[]; object_id?: string };
}
export type List<T> = { object: 'list'; data: T[]; has_more: boolean };
