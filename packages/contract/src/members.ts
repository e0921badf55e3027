import { AnyId, Email, Environment, ExternalText, Id, Lane, Name, Nullable, Phone, Timestamp } from './fields.ts';
import { introExample } from './intros.ts';
import { define, idParams, ListOf, listExample, paging, returns } from './operation.ts';
import { ClosedObject, Component, RequestComponent, type Static, Type } from './schema.ts';

const Member = Component('Member', 'A person in the organization who records intros.', {
  id: Id('mem', 'Identifier of the member.'),
  object: Type.Literal('member'),
  external_id: Nullable(Type.String(), 'Your own id, stored on the member.'),
  first_name: Type.String({ description: 'First name.' }),
  last_name: Type.String({ description: 'Last name.' }),
  email: Type.String({ description: 'Email address.' }),
  phone: Nullable(Type.String(), 'Mobile number in E.164 format.'),
  title: Nullable(Type.String(), 'The job title that recipients see.'),
  title_es: Nullable(Type.String(), 'The job title on pages in Spanish. Null: they show `title`.'),
  lanes: Type.Array(Lane, { description: 'Lanes that the member works in; empty means all.' }),
  active: Type.Boolean({ description: 'False when the member is deactivated.' }),
  likeness_withdrawn_at: Nullable(Timestamp('When they withdrew consent to be shown. They get no intros.')),
  environment: Environment,
  created_at: Timestamp('When the member was added.'),
});

const ListMembersQuery = ClosedObject({
  ...paging,
  email: Type.Optional(Email),
  external_id: Type.Optional(ExternalText('Your own id, stored on the member.', 'rep_17')),
  active: Type.Optional(
    Type.Boolean({ 'x-problem': 'must be true or false', description: 'Only active or only deactivated members.' }),
  ),
});

const first_name = Name('First name.', 'Ana');
const last_name = Name('Last name.', 'Ng');
const external_id = ExternalText('Your own id for the member, unique in the organization.', 'rep_17');
const details = {
  phone: Type.Optional(Nullable(Phone, 'Mobile number in E.164 format. `null` removes it.')),
  title: Type.Optional(
    Nullable(Name('Job title.', 'project manager'), 'The job title that recipients see. `null` removes it.'),
  ),
  title_es: Type.Optional(
    Nullable(
      Name('Job title in Spanish.', 'gerente de proyecto'),
      'The job title on pages in Spanish. `null` removes it: they show `title`.',
    ),
  ),
  lanes: Type.Optional(
    Type.Array(Lane, {
      maxItems: 2,
      uniqueItems: true,
      'x-problem': 'must be a list that names each lane once',
      description: 'Lanes that the member works in; empty means all.',
      examples: [['retail']],
    }),
  ),
};

const CreateMember = RequestComponent('CreateMember', 'A member to add, or to update if one has this `external_id`.', {
  external_id: Type.Optional(external_id),
  first_name,
  last_name,
  email: Email,
  ...details,
});

const UpdateMember = RequestComponent('UpdateMember', 'The fields to change; the others stay as they are.', {
  external_id: Type.Optional(Nullable(external_id, 'Your own id for the member. `null` removes it.')),
  first_name: Type.Optional(first_name),
  last_name: Type.Optional(last_name),
  email: Type.Optional(Email),
  ...details,
});

const DeactivateMember = RequestComponent(
  'DeactivateMember',
  "The action for the member's open intros. The body can be omitted.",
  {
    open_intros: Type.Optional(
      Type.Union(
        [
          Type.Enum(['keep', 'cancel'], {
            type: 'string',
            description: '`keep`: the member can still record them. `cancel`: their links stop working.',
          }),
          RequestComponent('ReassignIntros', 'Another member records the open intros.', {
            reassign_to: AnyId(
              'The active member who records them from now on. Intros that are already recorded are kept.',
              'mem_01kahzv8e1f0rtx5m2q6n9d3bw',
            ),
          }),
        ],
        {
          'x-problem': 'must be keep, cancel or {"reassign_to": "mem_…"}',
          description: "The action for the member's intros that are not sent. Default: `keep`.",
          examples: ['cancel'],
        },
      ),
    ),
  },
);

export type Member = Static<typeof Member>;
export type NamedMember = Pick<Member, 'id' | 'first_name' | 'last_name'>;

/** The member of the example of intros. */
const memberExample: Member = {
  id: introExample.member.id,
  object: 'member',
  external_id: introExample.member.external_id,
  first_name: introExample.member.first_name,
  last_name: introExample.member.last_name,
  email: 'ana@acme.example',
  phone: '+15005550117',
  title: 'project manager',
  title_es: 'gerente de proyecto',
  lanes: [],
  active: true,
  likeness_withdrawn_at: null,
  environment: 'test',
  created_at: '2026-02-02T15:00:00.118Z',
};

const { external_id: crmId, first_name: first, last_name: last, email, phone, title } = memberExample;

const CREATE_EXAMPLES = {
  'From a CRM: creates the member, or updates the one with this external_id': {
    external_id: crmId,
    first_name: first,
    last_name: last,
    email,
    phone,
    title,
  },
  'Only the required fields: always creates a member': {
    first_name: 'Ira',
    last_name: 'Cole',
    email: 'ira@acme.example',
  },
};

const MEMBER_ID = idParams('The member identifier.', memberExample);

export const MEMBER_OPERATIONS = define('Members', {
  listMembers: {
    route: 'GET /v1/members',
    summary: 'List members',
    description: 'The people who record, newest first. Use this list to look up member ids.',
    query: ListMembersQuery,
    success: returns(200, ListOf(Member), 'One page of members.', listExample(memberExample)),
    filterExample: { external_id: 'rep_17' },
  },
  retrieveMember: {
    route: 'GET /v1/members/{id}',
    summary: 'Retrieve a member',
    description: 'Returns a member, active or deactivated.',
    params: MEMBER_ID,
    success: returns(200, Member, 'The member.', memberExample),
  },
  createMember: {
    route: 'POST /v1/members',
    summary: 'Create or update a member',
    isDestructive: true,
    description:
      'Adds a member, or updates the one with this `external_id`, active or not: the given fields change, the others stay as they ' +
      'are. Two requests with the same `external_id` never create two members. New members have the role `member` and get no ' +
      'email. The email of an owner or manager changes only in the console, because they sign in with it. Keys are permanent: ' +
      'use one for each version of your record, such as `acme_crm:rep_17:v42`.',
    body: { kind: 'required', schema: CreateMember, examples: CREATE_EXAMPLES },
    success: returns(200, Member, 'The member, created or updated.', memberExample),
    keyExample: 'acme_crm:rep_17:v42',
  },
  updateMember: {
    route: 'POST /v1/members/{id}',
    summary: 'Update a member',
    isDestructive: true,
    description:
      'Changes the given fields. `null` removes the phone number, the title or the `external_id`. A new email signs the member ' +
      'out of the console. The email of an owner or manager changes only in the console.',
    params: MEMBER_ID,
    body: {
      kind: 'required',
      schema: UpdateMember,
      examples: {
        'Another phone number': { phone: '+15005550132' },
        'Remove the phone number and the title': { phone: null, title: null },
      },
    },
    success: returns(200, Member, 'The updated member.', { ...memberExample, phone: '+15005550132' }),
  },
  deactivateMember: {
    route: 'POST /v1/members/{id}/deactivate',
    role: 'manager',
    summary: 'Deactivate a member',
    isDestructive: true,
    description:
      'The member gets no new intros and is signed out of the console. `open_intros` decides about intros that are not sent: ' +
      'they are kept, cancelled or reassigned to another member, who is notified. Recorded intros show the member, so they are ' +
      'not reassigned but kept. For a member who is already deactivated, nothing changes.',
    params: MEMBER_ID,
    body: {
      kind: 'optional',
      schema: DeactivateMember,
      examples: {
        'Keep open intros: the member can still record them': { open_intros: 'keep' },
        'Cancel open intros': { open_intros: 'cancel' },
      },
    },
    success: returns(200, Member, 'The member, deactivated.', { ...memberExample, active: false }),
    errors: ['last_owner'],
  },
  reactivateMember: {
    route: 'POST /v1/members/{id}/reactivate',
    role: 'manager',
    summary: 'Reactivate a member',
    description:
      'The member can get new intros again. If their pages show the card of the organization, they show the videos again. ' +
      'For an active member, nothing changes.',
    params: MEMBER_ID,
    success: returns(200, Member, 'The member, active.', memberExample),
  },
});

export type CreateMember = Static<typeof CreateMember>;
export type UpdateMember = Static<typeof UpdateMember>;
export type DeactivateMember = Static<typeof DeactivateMember>;
export type ListMembersQuery = Static<typeof ListMembersQuery>;
