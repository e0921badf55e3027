import { type Static, Type } from 'typebox';
import {
  AnyId,
  Email,
  ExternalText,
  Instant,
  Lane,
  Language,
  Metadata,
  MetadataFilter,
  Name,
  OptionalId,
  PHONE_PATTERN,
  Phone,
  Responsibility,
  Script,
  Slug,
  severalOf,
  Title,
  Trade,
  ZonedTime,
} from './fields.ts';
import { INTRO_STATUSES, STORED_EVENT_STATUSES } from './plain/index.ts';

const closed = { additionalProperties: false } as const;

const MemberChoice = Type.Object(
  {
    id: OptionalId("The member's id, listed by `GET /v1/members`.", 'mem_01kahzv8e1f0rtx5m2q6n9d3bw'),
    external_id: Type.Optional(ExternalText('Your own id, stored on the member.', 'rep_17')),
    email: Type.Optional(Email),
  },
  {
    ...closed,
    'x-component': 'MemberSelector',
    'x-choices': { id: 'MemberById', external_id: 'MemberByExternalId', email: 'MemberByEmail' },
    minProperties: 1,
    maxProperties: 1,
    description: 'The member who records: exactly one of `id`, `external_id`, `email`.',
    examples: [{ external_id: 'rep_17' }],
  },
);

const Recipient = Type.Object(
  {
    first_name: Name('First name.', 'Dana'),
    last_name: Type.Optional(Name('Last name.', 'Reyes')),
    phone: Phone,
    language: Type.Optional(Language),
  },
  {
    ...closed,
    'x-component': 'Recipient',
    description: 'The person whom the intro is for.',
    examples: [{ first_name: 'Dana', phone: '+14155550123' }],
  },
);

const Reference = Type.Object(
  {
    source: Type.Optional(ExternalText('System that the record is in.', 'acme_crm')),
    type: Type.Optional(ExternalText('Kind of record, such as appointment, job, deal or contact.', 'appointment')),
    id: Type.Optional(ExternalText('Identifier in that system.', 'appt_8812')),
  },
  {
    ...closed,
    'x-component': 'Reference',
    description: 'The record in your own system; returned with the intro and the event.',
  },
);

const Appointment = Type.Object(
  {
    starts_at: ZonedTime('When it starts'),
    timezone: Type.String({
      minLength: 1,
      format: 'iana-timezone',
      'x-problem': 'must be an IANA time zone, such as America/Chicago',
      description: 'IANA time zone.',
      examples: ['America/Chicago'],
    }),
  },
  { ...closed, 'x-component': 'Appointment', description: 'A meeting with a date and time.' },
);

export const CreateTouchpointEvent = Type.Object(
  {
    touchpoint: Slug,
    occurred_at: Instant('When the event happened in your system'),
    member: MemberChoice,
    recipient: Recipient,
    reference: Type.Optional(Reference),
    context: Type.Optional(
      Type.Object(
        { appointment: Type.Optional(Appointment), trade: Type.Optional(Trade), lane: Type.Optional(Lane) },
        {
          ...closed,
          'x-component': 'TouchpointEventContext',
          description: 'Details of the event. A touchpoint with context `appointment` requires `appointment`.',
        },
      ),
    ),
    metadata: Type.Optional(Metadata),
  },
  { ...closed, 'x-component': 'CreateTouchpointEvent', description: 'A business event.' },
);

export const CreateIntro = Type.Object(
  {
    member: MemberChoice,
    recipient: Recipient,
    reference: Type.Optional(Reference),
    context: Type.Optional(
      Type.Object(
        { title: Type.Optional(Title), appointment: Type.Optional(Appointment) },
        { ...closed, 'x-component': 'CreateIntroContext', description: 'The content of the page.' },
      ),
    ),
    instructions: Type.Optional(
      Type.Object(
        { script: Type.Optional(Script) },
        { ...closed, 'x-component': 'CreateIntroInstructions', description: 'The words for the member to say.' },
      ),
    ),
    delivery: Type.Optional(
      Type.Object(
        { responsibility: Type.Optional(Responsibility) },
        {
          ...closed,
          'x-component': 'CreateIntroDelivery',
          description: 'Who sends the link to the recipient. Default: `integration`.',
        },
      ),
    ),
    metadata: Type.Optional(Metadata),
  },
  {
    ...closed,
    'x-component': 'CreateIntro',
    description: 'The intro: member, recipient, context, script and delivery.',
  },
);

export const EmptyBody = Type.Object(
  {},
  { ...closed, 'x-component': 'EmptyBody', description: 'No fields. The body can also be omitted.' },
);

export const DEFAULT_PAGE_SIZE = 20;
const MAX_PAGE_SIZE = 100;

const paging = {
  limit: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: MAX_PAGE_SIZE,
      default: DEFAULT_PAGE_SIZE,
      'x-problem': `must be a whole number from 1 to ${MAX_PAGE_SIZE}`,
      description: 'Page size.',
    }),
  ),
  starting_after: Type.Optional(Type.String({ minLength: 1, description: 'The last id of the previous page.' })),
};

const createdAt = (description: string) => Type.Optional(Instant(description, ' (write a + as %2B)'));

/** The period of a list; `readPeriod` reads it. */
export const createdPeriod = {
  created_after: createdAt('Only objects created at this time or later'),
  created_before: createdAt('Only objects created before this time'),
};

export const ListIntrosQuery = Type.Object(
  {
    status: Type.Optional(severalOf(INTRO_STATUSES, 'Status of the intro.')),
    member: OptionalId('A member id.', 'mem_01kahzv8e1f0rtx5m2q6n9d3bw'),
    reference_id: Type.Optional(ExternalText('The id you sent in `reference.id`.', 'appt_8812')),
    touchpoint: Type.Optional(Slug),
    recipient_phone: Type.Optional(
      Type.String({
        pattern: PHONE_PATTERN,
        'x-problem': 'must be a number in E.164 format, such as +14155550123; write the plus sign as %2B',
        description: "The recipient's number in E.164 format.",
        examples: ['+14155550123'],
      }),
    ),
    metadata: Type.Optional(MetadataFilter),
    ...createdPeriod,
    ...paging,
  },
  closed,
);

export const ListEventsQuery = Type.Object(
  {
    status: Type.Optional(severalOf(STORED_EVENT_STATUSES, 'Only events with this status.')),
    touchpoint: Type.Optional(Slug),
    reference_id: Type.Optional(ExternalText('The id you sent in `reference.id`.', 'appt_8812')),
    ...createdPeriod,
    ...paging,
  },
  closed,
);

export const ListMembersQuery = Type.Object(
  {
    ...paging,
    email: Type.Optional(Email),
    external_id: Type.Optional(ExternalText('Your own id, stored on the member.', 'rep_17')),
    active: Type.Optional(
      Type.Boolean({ 'x-problem': 'must be true or false', description: 'Only active or only deactivated members.' }),
    ),
  },
  closed,
);

export const ListOptOutsQuery = Type.Object({ ...paging, phone: Type.Optional(Phone) }, closed);

const WAIT_MAX_S = 30;

const wait = (until: string) => ({
  wait: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: WAIT_MAX_S,
      default: 0,
      'x-problem': `must be a whole number of seconds from 0 to ${WAIT_MAX_S}`,
      description: `Waits up to this many seconds until ${until}, then responds with the current state.`,
    }),
  ),
});

export const RetrieveEventQuery = Type.Object(wait('the status is no longer `accepted`'), closed);
export const RetrieveIntroQuery = Type.Object(
  {
    ...wait("the intro's `version` is higher than `version`"),
    version: Type.Optional(
      Type.Integer({
        minimum: 0,
        description: 'With `wait`: the last version that you know. Default: the version when the request arrives.',
      }),
    ),
  },
  closed,
);

export const PageQuery = Type.Object(paging, closed);
export const NoQuery = Type.Object({}, closed);
export const IdParams = (description: string, example: string) =>
  Type.Object({ id: AnyId(description, example) }, closed);

export type MemberChoice = Static<typeof MemberChoice>;
export type CreateTouchpointEvent = Static<typeof CreateTouchpointEvent>;
export type CreateIntro = Static<typeof CreateIntro>;
export type ListIntrosQuery = Static<typeof ListIntrosQuery>;
export type ListEventsQuery = Static<typeof ListEventsQuery>;
export type ListMembersQuery = Static<typeof ListMembersQuery>;
export type PageQuery = Static<typeof PageQuery>;
