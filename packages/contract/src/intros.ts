import { DELIVERY_DELAYS, DELIVERY_FAILURES, NOTIFICATION_FAILURES } from './errors.ts';
import {
  Email,
  Environment,
  ExternalText,
  Id,
  IntroStatus,
  Lane,
  Language,
  Metadata,
  MetadataFilter,
  Name,
  Nullable,
  OptionalId,
  oneOf,
  openEnum,
  Phone,
  RecipientLanguage,
  Responsibility,
  Script,
  ScriptLanguage,
  Slug,
  severalOf,
  Timestamp,
  Title,
  Trade,
  ZonedTime,
} from './fields.ts';
import { createdPeriod, define, idParams, ListOf, listExample, paging, returns, wait } from './operation.ts';
import {
  CLICK_TYPES,
  DECLINE_MESSAGE_MAX_LENGTH,
  DECLINE_REASONS,
  DELIVERY_STATUSES,
  INTRO_STATUSES,
  RECORDING_LINK_LIFE_S,
  REPLY_TYPES,
  type ReplyType,
} from './plain/index.ts';
import { ClosedObject, Component, RequestComponent, type Static, Type } from './schema.ts';

/** `message`: the recipient replied to the text, instead of tapping a button on the page. */
export type IntroReplyType = ReplyType | 'message';
export const INTRO_REPLY_TYPES: readonly IntroReplyType[] = [...REPLY_TYPES, 'message'];

const IntroReply = Component('IntroReply', 'The reply that the recipient sent from the page, or to the text.', {
  type: openEnum(
    'IntroReplyType',
    INTRO_REPLY_TYPES,
    '`confirm`: the recipient confirms the appointment. `reschedule`: they need another time. `thanks`: they thank the member, ' +
      'for a video without an appointment. `question`: they have a question. `message`: they replied to the text. New types may ' +
      'be added.',
  ),
  label: Type.String({
    description:
      "The words on the button that the recipient tapped, as worded by the organization's team. For a `message`: Text message.",
  }),
  message: Nullable(Type.String(), 'The text of a `question` or a `message`; null for other replies.'),
  note: Nullable(Type.String(), 'For `reschedule`: when it would suit the recipient, if they said so.'),
  channel: openEnum(
    'IntroReplyChannel',
    ['page', 'text'],
    '`page`: the recipient replied on the page. `text`: they replied to the text. New channels may be added.',
  ),
  replied_at: Timestamp('When the recipient replied.'),
  settled_at: Nullable(
    Timestamp('When the team marked it as done.'),
    'When the team marked it as done, or answered it by text.',
  ),
});

const IntroClick = Component('IntroClick', 'Something that the recipient tapped on the page.', {
  type: openEnum(
    'IntroClickType',
    CLICK_TYPES,
    "`action`: the touchpoint's button. `call`, `text`: a phone number. `calendar`: the appointment. `contact`: the contact card. " +
      'New types may be added.',
  ),
  clicked_at: Timestamp('When it was tapped for the first time.'),
});

const IntroDecline = Component('IntroDecline', 'The member declined to record the intro.', {
  reason: openEnum(
    'IntroDeclineReason',
    DECLINE_REASONS,
    '`not_meeting`: the member is not meeting the recipient. `away`: the member is away. `details_wrong`: something about the ' +
      'intro is wrong. `other`: `message` says why, unless the member declined with a text that says no more. New reasons may be added.',
  ),
  message: Nullable(Type.String(), "The member's own words; null when there are none."),
  declined_at: Timestamp('When the member declined.'),
});

/** The field of an intro. */
const Declined = Nullable(
  IntroDecline,
  'Set while the intro is `requested` and its member has declined to record it: reassign it or cancel it. Null again once it is ' +
    'reassigned or recorded.',
);

/** The body with which the recorder and the console decline an intro. */
export const DeclineBody = ClosedObject({
  reason: oneOf(DECLINE_REASONS, 'Why the member declines.'),
  message: Type.Optional(
    Type.Union([Type.String({ maxLength: DECLINE_MESSAGE_MAX_LENGTH, pattern: '^[^\\p{Cc}\\p{Cs}]*$' }), Type.Null()], {
      'x-problem': `must be text of up to ${DECLINE_MESSAGE_MAX_LENGTH} characters without control characters`,
    }),
  ),
});
export type DeclineBody = Static<typeof DeclineBody>;

/** The body with which a member hands an intro over. */
export const HandOverBody = ClosedObject({
  member: Type.String({ 'x-problem': 'must be the id of an active member' }),
});
export type HandOverBody = Static<typeof HandOverBody>;

export const ReferenceView = Component('StoredReference', 'The record in your own system, as you sent it.', {
  source: Nullable(Type.String(), 'System that the record is in.'),
  type: Nullable(Type.String(), 'Kind of record.'),
  id: Nullable(Type.String(), 'Identifier in that system.'),
});

const AppointmentView = Component('StoredAppointment', 'A meeting with a date and time.', {
  starts_at: Timestamp('When the appointment starts, in UTC.'),
  timezone: Type.String({ description: 'IANA time zone.' }),
});

const ContextView = Component('IntroContext', 'The appointment or other subject of the page and the script.', {
  title: Nullable(Type.String(), 'The line above the video.'),
  appointment: Nullable(AppointmentView, 'The appointment that the intro is about.'),
  trade: Nullable(Trade, 'As sent with the event.'),
  lane: Nullable(Lane, 'As sent with the event.'),
});

const IntroMedia = Component('IntroMedia', 'The video of an intro, for messages that you send.', {
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
  duration_seconds: Type.Number({ minimum: 0, description: 'Length of the video.' }),
  share_text: Type.String({
    description: 'A sentence for your message, with the link to the page at its end.',
  }),
});

export const Intro = Component('Intro', 'One short personal video, requested from one member for one recipient.', {
  id: Id('int', 'Identifier of the intro.'),
  object: Type.Literal('intro'),
  status: IntroStatus,
  touchpoint: Nullable(
    Slug,
    'Slug of the touchpoint whose event created the intro; null when it was created directly.',
  ),
  member: Component('IntroMember', 'The member who records.', {
    id: Id('mem', 'Identifier of the member.'),
    external_id: Nullable(Type.String(), 'Your own id, stored on the member.'),
    first_name: Type.String({ description: 'First name.' }),
    last_name: Type.String({ description: 'Last name.' }),
  }),
  recipient: Component('IntroRecipient', 'The person whom the intro is for.', {
    first_name: Type.String({ description: 'First name.' }),
    last_name: Nullable(Type.String(), 'Last name.'),
    phone: Type.String({ description: 'Mobile number in E.164 format.' }),
    language: RecipientLanguage,
  }),
  reference: Nullable(ReferenceView, 'As sent; null when not sent.'),
  context: Nullable(ContextView, 'The appointment or other subject of the page and the script; null when not sent.'),
  instructions: Nullable(
    Component('IntroInstructions', 'The words for the member to say.', {
      script: Nullable(Type.String(), 'The rendered script.'),
      script_language: ScriptLanguage,
    }),
    'The words for the member to say; null when not sent.',
  ),
  recipient_opted_out: Type.Boolean({
    description: 'True when the recipient has opted out of text messages. Foreword sends none; neither should you.',
  }),
  delivery: Component('IntroDelivery', 'Who sends the link to the recipient, and the link.', {
    responsibility: Responsibility,
    recipient_url: Nullable(Type.String({ format: 'uri' }), "The recipient's page; null until the video is recorded."),
    status: Nullable(
      openEnum(
        'DeliveryStatus',
        DELIVERY_STATUSES,
        '`sent`: the link was sent. `delivered`: the carrier delivered the text. `not_delivered`: it could not. `simulated`: the text ' +
          'to a test number was not sent. `not_sent`: the video is recorded, but its text was not sent; `error` says why. New ' +
          'statuses may be added.',
      ),
      'What became of the link; null before there is one and while it waits. `delivered` changes no `version`.',
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
      `Why an intro that Foreword delivers is not sent. While it is \`requested\`, or the recipient can still undo it: \`recipient_opted_out\`. While the text is scheduled: ${Object.entries(
        DELIVERY_DELAYS,
      )
        .map(([code, meaning]) => `\`${code}\`: ${meaning}`)
        .join(
          ' ',
        )} If it is not sent: the code of \`error\`, such as \`no_text_provider\`. Null when there is no reason to wait.`,
    ),
    error: Nullable(
      Component('DeliveryError', 'Why an intro could not be delivered.', {
        code: openEnum('DeliveryErrorCode', Object.keys(DELIVERY_FAILURES), 'A stable code. New codes may be added.'),
        message: Type.String({ description: 'The same as readable text.' }),
      }),
      'Why Foreword could not deliver the intro; null when there is no error.',
    ),
  }),
  media: Nullable(
    IntroMedia,
    'For messages that you send: set while the intro is `ready` or `sent` and its page shows the video. The pictures open ' +
      'without signing in, and stop working together with the page. Loading them does not count as opening.',
  ),
  clicks: Type.Array(IntroClick, {
    description: 'What the recipient tapped on the page, each type once, oldest first.',
  }),
  reply: Nullable(IntroReply, 'The last reply of the recipient; null when there is none. The timeline has all.'),
  declined: Declined,
  member_notified_at: Nullable(
    Timestamp('When the first message that asks the member to record was sent.'),
    'When the first message that asks the current member to record was sent. Null before, if none could be sent, and after ' +
      'retention has removed the messages.',
  ),
  notification_error: Nullable(
    Component('NotificationError', 'Why no message reached the member.', {
      code: openEnum(
        'NotificationErrorCode',
        Object.keys(NOTIFICATION_FAILURES),
        'A stable code. New codes may be added.',
      ),
      message: Type.String({ description: 'The same as readable text.' }),
    }),
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
  watched_percent: Type.Integer({ description: 'How far the video was watched: 0, 25, 50, 75 or 100.' }),
  cancelled_at: Nullable(Timestamp('When it was cancelled.')),
  taken_down_at: Nullable(Timestamp('When the page of the sent intro was taken down.')),
  likeness_withdrawn_at: Nullable(Timestamp('When its member withdrew consent, which deleted the video.')),
  erased_at: Nullable(Timestamp('When the recipient was erased: the first name is `Erased`, and the number empty.')),
});

export const MemberChoice = RequestComponent(
  'MemberSelector',
  'The member who records: exactly one of `id`, `external_id`, `email`.',
  {
    id: OptionalId("The member's id, listed by `GET /v1/members`.", 'mem_01kahzv8e1f0rtx5m2q6n9d3bw'),
    external_id: Type.Optional(ExternalText('Your own id, stored on the member.', 'rep_17')),
    email: Type.Optional(Email),
  },
  {
    'x-choices': { id: 'MemberById', external_id: 'MemberByExternalId', email: 'MemberByEmail' },
    minProperties: 1,
    maxProperties: 1,
    examples: [{ external_id: 'rep_17' }],
  },
);

export const Recipient = RequestComponent(
  'Recipient',
  'The person whom the intro is for.',
  {
    first_name: Name('First name.', 'Dana'),
    last_name: Type.Optional(Name('Last name.', 'Reyes')),
    phone: Phone,
    language: Type.Optional(Language),
  },
  { examples: [{ first_name: 'Dana', phone: '+14155550123' }] },
);

export const Reference = RequestComponent(
  'Reference',
  'The record in your own system; returned with the intro and the event.',
  {
    source: Type.Optional(ExternalText('System that the record is in.', 'acme_crm')),
    type: Type.Optional(ExternalText('Kind of record, such as appointment, job, deal or contact.', 'appointment')),
    id: Type.Optional(ExternalText('Identifier in that system.', 'appt_8812')),
  },
);

export const Appointment = RequestComponent('Appointment', 'A meeting with a date and time.', {
  starts_at: ZonedTime('When it starts'),
  timezone: Type.String({
    minLength: 1,
    format: 'iana-timezone',
    'x-problem': 'must be an IANA time zone, such as America/Chicago',
    description: 'IANA time zone.',
    examples: ['America/Chicago'],
  }),
});

export const CreateIntro = RequestComponent(
  'CreateIntro',
  'The intro: member, recipient, context, script and delivery.',
  {
    member: MemberChoice,
    recipient: Recipient,
    reference: Type.Optional(Reference),
    context: Type.Optional(
      RequestComponent('CreateIntroContext', 'The content of the page.', {
        title: Type.Optional(Title),
        appointment: Type.Optional(Appointment),
      }),
    ),
    instructions: Type.Optional(
      RequestComponent('CreateIntroInstructions', 'The words for the member to say.', {
        script: Type.Optional(Script),
      }),
    ),
    delivery: Type.Optional(
      RequestComponent('CreateIntroDelivery', 'Who sends the link to the recipient. Default: `integration`.', {
        responsibility: Type.Optional(Responsibility),
      }),
    ),
    metadata: Type.Optional(Metadata),
  },
);

export const ListIntrosQuery = ClosedObject({
  status: Type.Optional(severalOf(INTRO_STATUSES, 'Status of the intro.')),
  member: OptionalId('A member id.', 'mem_01kahzv8e1f0rtx5m2q6n9d3bw'),
  reference_id: Type.Optional(ExternalText('The id you sent in `reference.id`.', 'appt_8812')),
  touchpoint: Type.Optional(Slug),
  recipient_phone: Type.Optional(Phone),
  metadata: Type.Optional(MetadataFilter),
  ...createdPeriod,
  ...paging,
});

const RetrieveIntroQuery = ClosedObject({
  ...wait("the intro's `version` is higher than `version`"),
  version: Type.Optional(
    Type.Integer({
      minimum: 0,
      description: 'With `wait`: the last version that you know. Default: the version when the request arrives.',
    }),
  ),
});

const CorrectPhone = RequestComponent('CorrectPhone', "The recipient's right number.", { phone: Phone });

const MIN_LIFE_S = 60;

export const CreateRecordingLink = RequestComponent(
  'CreateRecordingLink',
  'How long the link works. The body can also be omitted.',
  {
    expires_in: Type.Optional(
      Type.Integer({
        minimum: MIN_LIFE_S,
        maximum: RECORDING_LINK_LIFE_S,
        default: RECORDING_LINK_LIFE_S,
        'x-problem': `must be a whole number of seconds from ${MIN_LIFE_S} to ${RECORDING_LINK_LIFE_S}`,
        description: 'After how many seconds the link expires.',
        examples: [300],
      }),
    ),
  },
);

export const RecordingLink = Component('RecordingLink', "A short-lived form of the member's link.", {
  object: Type.Literal('recording_link'),
  url: Type.String({
    format: 'uri',
    description: 'Opens the recorder without a sign-in. Show it only to the member.',
  }),
  expires_at: Timestamp('When the link expires. An upload that has started by then can finish.'),
});

export type CreateRecordingLink = Static<typeof CreateRecordingLink>;
export type RecordingLink = Static<typeof RecordingLink>;

export type Intro = Static<typeof Intro>;
/** In the order of the object. */
export const INTRO_API_FIELDS = Object.keys(Intro.properties) as (keyof Intro)[];
export type MemberChoice = Static<typeof MemberChoice>;
export type CreateIntro = Static<typeof CreateIntro>;
export type ListIntrosQuery = Static<typeof ListIntrosQuery>;

/** For an appointment with Dana, before Ana records it. All examples of intros, events and webhooks derive from it. */
export const introExample: Intro = {
  id: 'int_01kkc1kstqw00vm17f7jkshy89',
  object: 'intro',
  status: 'requested',
  touchpoint: 'new_appointment',
  member: { id: 'mem_01kgfdw8fpw00kk139a7nqyann', external_id: 'rep_17', first_name: 'Ana', last_name: 'Ng' },
  recipient: { first_name: 'Dana', last_name: 'Reyes', phone: '+14155550123', language: 'en' },
  reference: { source: 'acme_crm', type: 'appointment', id: 'appt_8812' },
  context: {
    title: 'Dana, meet Ana before your visit',
    appointment: { starts_at: '2026-03-12T19:30:00.000Z', timezone: 'America/Chicago' },
    trade: null,
    lane: 'retail',
  },
  instructions: {
    script: "Hi Dana, I'm Ana from Acme Roofing, and I'll be the one coming out on Thursday, March 12, at 2:30 PM.",
    script_language: 'en',
  },
  recipient_opted_out: false,
  delivery: {
    responsibility: 'service',
    recipient_url: null,
    status: null,
    scheduled_for: null,
    reason: null,
    error: null,
  },
  media: null,
  clicks: [],
  reply: null,
  declined: null,
  member_notified_at: null,
  notification_error: null,
  metadata: { crm_owner: 'west', priority: 2 },
  environment: 'test',
  version: 1,
  created_at: '2026-03-10T14:15:02.231Z',
  expires_at: '2026-03-12T19:30:00.000Z',
  recorded_at: null,
  sent_at: null,
  opened_at: null,
  watched_at: null,
  watched_percent: 0,
  cancelled_at: null,
  taken_down_at: null,
  likeness_withdrawn_at: null,
  erased_at: null,
};

const PAGE_URL = 'https://intros.acme.example/i/7Kq2mXw9TzLb';
const requested: Intro = { ...introExample, member_notified_at: '2026-03-10T14:15:02.608Z' };
const ready: Intro = {
  ...requested,
  status: 'ready',
  delivery: { ...introExample.delivery, recipient_url: PAGE_URL },
  media: {
    page_url: PAGE_URL,
    poster_url: `${PAGE_URL}/poster.jpg`,
    preview_url: `${PAGE_URL}/preview.webp`,
    duration_seconds: 14.6,
    share_text: `Ana from Acme Roofing recorded a short video for you: ${PAGE_URL}`,
  },
  version: 2,
  expires_at: '2026-04-09T14:33:47.465Z',
  recorded_at: '2026-03-10T14:33:47.465Z',
};
const sent: Intro = {
  ...ready,
  status: 'sent',
  delivery: { ...ready.delivery, status: 'sent' },
  version: 3,
  expires_at: null,
  sent_at: '2026-03-10T14:33:49.207Z',
};
const opened: Intro = { ...sent, version: 4, opened_at: '2026-03-10T14:52:20.884Z' };
const watched: Intro = { ...opened, version: 5, watched_at: '2026-03-10T14:52:38.416Z', watched_percent: 100 };

/** The example after each change. */
export const INTRO_STATES = {
  unreachable: {
    ...introExample,
    version: 2,
    notification_error: { code: 'email_bounces', message: NOTIFICATION_FAILURES.email_bounces },
  },
  reassigned: {
    ...requested,
    member: { id: 'mem_01kgj4wqd3w005ye26pf4tp1tw', external_id: 'rep_22', first_name: 'Marcus', last_name: 'Bell' },
    version: 2,
  },
  declined: {
    ...requested,
    version: 2,
    declined: { reason: 'away', message: null, declined_at: '2026-03-10T14:20:11.482Z' },
  },
  ready,
  undeliverable: {
    ...ready,
    delivery: {
      ...ready.delivery,
      status: 'not_sent',
      reason: 'invalid_number',
      error: { code: 'invalid_number', message: DELIVERY_FAILURES.invalid_number },
    },
    version: 3,
  },
  sent,
  opened,
  watched,
  clicked: { ...watched, version: 6, clicks: [{ type: 'call', clicked_at: '2026-03-10T14:52:44.902Z' }] },
  replied: {
    ...watched,
    version: 6,
    reply: {
      type: 'question',
      label: 'I have a question',
      message: 'Do you need access to the attic?',
      note: null,
      channel: 'page',
      replied_at: '2026-03-10T18:05:12.604Z',
      settled_at: null,
    },
  },
  takenDown: { ...watched, version: 6, media: null, taken_down_at: '2026-03-11T15:20:09.417Z' },
  cancelled: {
    ...requested,
    status: 'cancelled',
    version: 2,
    expires_at: null,
    cancelled_at: '2026-03-10T21:12:40.973Z',
  },
  expired: { ...requested, status: 'expired', version: 2 },
} as const satisfies Record<string, Intro>;

/** Created directly. */
const directExample: Intro = {
  ...introExample,
  id: 'int_01kkc8sjs7w00ym0rvvzh4s9yf',
  touchpoint: null,
  context: { title: 'A short hello from Ana', appointment: null, trade: null, lane: null },
  delivery: { ...introExample.delivery, responsibility: 'integration' },
  created_at: '2026-03-10T16:20:31.655Z',
  expires_at: '2026-03-17T16:20:31.655Z',
};

const recordingLinkExample: RecordingLink = {
  object: 'recording_link',
  url: `https://intros.acme.example/r/${introExample.id.slice(4)}0001vztQhtE8zFq7Hc2Vx9LmQ4sRw6T`,
  expires_at: '2026-03-10T14:36:07.000Z',
};

const { first_name, last_name, phone } = introExample.recipient;

export const memberChoiceExample = { external_id: introExample.member.external_id };
export const recipientExample = { first_name, last_name, phone };

const CREATE_EXAMPLES = {
  'Your system sends the link': {
    member: memberChoiceExample,
    recipient: recipientExample,
    reference: introExample.reference,
    context: { title: directExample.context?.title },
    instructions: { script: introExample.instructions?.script },
    delivery: { responsibility: 'integration' },
    metadata: introExample.metadata,
  },
  'Foreword texts the link, before an appointment': {
    member: { email: 'ana@acme.example' },
    recipient: recipientExample,
    context: { appointment: introExample.context?.appointment },
    delivery: { responsibility: 'service' },
  },
  'Only the required fields': { member: memberChoiceExample, recipient: { first_name, phone } },
};

export const INTRO_ID = idParams('The intro identifier.', introExample);

export const INTRO_OPERATIONS = define('Intros', {
  createIntro: {
    route: 'POST /v1/intros',
    summary: 'Create an intro',
    description:
      'Creates an intro directly, without a touchpoint: the request contains context, script and delivery. Repeating it with the ' +
      'same Idempotency-Key and body returns the original response with `Idempotent-Replayed: true`.',
    isBatched: true,
    body: { kind: 'required', schema: CreateIntro, examples: CREATE_EXAMPLES },
    success: returns(201, Intro, 'The intro, waiting for the member to record.', directExample),
    keyExample: 'acme_app:deal_314:hello',
    errors: ['member_not_found', 'member_ambiguous'],
  },
  listIntros: {
    route: 'GET /v1/intros',
    summary: 'List intros',
    description: 'Newest first. Filters are combined with AND.',
    query: ListIntrosQuery,
    success: returns(200, ListOf(Intro), 'One page of intros.', listExample(introExample)),
    filterExample: { status: 'requested' },
  },
  retrieveIntro: {
    route: 'GET /v1/intros/{id}',
    summary: 'Retrieve an intro',
    description:
      'Returns the current state of an intro. With `wait`, responds as soon as the intro has changed. A key may have 500 ' +
      'waiting requests; further ones get the current state at once.',
    params: INTRO_ID,
    query: RetrieveIntroQuery,
    success: returns(200, Intro, 'The intro.', {
      examples: { requested: introExample, ready: INTRO_STATES.ready, replied: INTRO_STATES.replied },
    }),
  },
  cancelIntro: {
    route: 'POST /v1/intros/{id}/cancel',
    role: 'member',
    summary: 'Cancel an intro',
    isDestructive: true,
    description:
      'For a cancelled or rescheduled appointment. A `requested` or `ready` intro becomes `cancelled` and its links stop working. ' +
      'An intro that was already sent, cancelled or expired does not change, and the response is still a 200.',
    params: INTRO_ID,
    success: returns(200, Intro, 'The intro after the request.', INTRO_STATES.cancelled),
  },
  markIntroSent: {
    route: 'POST /v1/intros/{id}/mark_sent',
    role: 'member',
    summary: 'Mark an intro as sent',
    description:
      'Records that your system has delivered the link, for intros whose `delivery.responsibility` is `integration`. When a person ' +
      'opens the page, this happens automatically. An intro that is already `sent` does not change.',
    params: INTRO_ID,
    success: returns(200, Intro, 'The intro, sent.', {
      ...INTRO_STATES.sent,
      delivery: { ...INTRO_STATES.sent.delivery, responsibility: 'integration' },
    }),
    errors: ['intro_not_ready', 'intro_closed'],
  },
  correctIntroPhone: {
    route: 'POST /v1/intros/{id}/correct_phone',
    role: 'manager',
    summary: "Correct the recipient's number",
    description:
      'Replaces a wrong number, also in other open intros of this recipient. If Foreword delivers the intro and it is recorded, its ' +
      'text is sent to the new number, under the same rules as the first one.',
    params: INTRO_ID,
    body: { kind: 'required', schema: CorrectPhone, examples: { 'The right number': { phone: '+14155550132' } } },
    success: returns(200, Intro, 'The intro with its new number.', {
      ...INTRO_STATES.ready,
      recipient: { ...introExample.recipient, phone: '+14155550132' },
      version: 4,
    }),
    errors: ['intro_closed', 'delivery_refused', 'too_soon'],
  },
  takeDownIntro: {
    route: 'POST /v1/intros/{id}/take_down',
    role: 'owner',
    summary: 'Take down the page of a sent intro',
    isDestructive: true,
    description:
      'The link of a `sent` intro shows a card of the organization instead of the video, and the addresses of the video and its ' +
      'pictures stop working. The `status` stays `sent`, and `taken_down_at` is set. This cannot be undone. An intro whose page ' +
      'was already taken down, or that is cancelled or expired, does not change. Cancel an intro that is not sent yet.',
    params: INTRO_ID,
    success: returns(200, Intro, 'The intro after the request.', INTRO_STATES.takenDown),
    errors: ['intro_not_sent'],
  },
  retryRecording: {
    route: 'POST /v1/intros/{id}/retry_recording',
    role: 'member',
    summary: 'Process a failed take again',
    description:
      'The last step of the timeline is `recording_refused`: processes that take again, for example after a fault of the service. ' +
      'Failed takes are stored for as long as originals are, a week by default. If it succeeds, the intro becomes `ready`.',
    params: INTRO_ID,
    success: returns(202, Intro, 'The intro; its take is being processed.', introExample),
    errors: ['intro_closed', 'recording_not_failed'],
  },
  createRecordingLink: {
    route: 'POST /v1/intros/{id}/recording_link',
    summary: 'Create a recording link',
    permission: 'recording_links',
    isClosedToAgents: true,
    description:
      'Returns a link that opens the recorder for this intro, for example behind a button in your own app. Anyone who has it can ' +
      `record, so it expires after ${RECORDING_LINK_LIFE_S / 60} minutes. ` +
      'A repeat with the same Idempotency-Key returns the same link until it expires, and then a new one.',
    params: INTRO_ID,
    body: {
      kind: 'optional',
      schema: CreateRecordingLink,
      examples: { 'Expires after five minutes': { expires_in: 300 } },
    },
    success: returns(201, RecordingLink, 'The link.', recordingLinkExample),
    errors: ['intro_closed'],
  },
});
