import { type Static, Type } from 'typebox';
import { AnyId, Email, ExternalText, Lane, Name, Nullable, oneOf, Phone } from './fields.ts';
import { define, EVERY_POST } from './operation.ts';
import { EmptyBody, IdParams, ListMembersQuery, NoQuery } from './requests.ts';
import { ListOf, Member } from './resources.ts';

const closed = { additionalProperties: false } as const;

const MEMBER_ID = IdParams('The member identifier.', 'mem_01kahzv8e1f0rtx5m2q6n9d3bw');

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
      'x-problem': 'must name each lane once',
      description: 'Lanes that the member works in; empty means all.',
      examples: [['retail']],
    }),
  ),
};

export const CreateMember = Type.Object(
  { external_id: Type.Optional(external_id), first_name, last_name, email: Email, ...details },
  {
    ...closed,
    'x-component': 'CreateMember',
    description: 'A member to add, or to update if one has this `external_id`.',
  },
);

export const UpdateMember = Type.Object(
  {
    external_id: Type.Optional(Nullable(external_id, 'Your own id for the member. `null` removes it.')),
    first_name: Type.Optional(first_name),
    last_name: Type.Optional(last_name),
    email: Type.Optional(Email),
    ...details,
  },
  { ...closed, 'x-component': 'UpdateMember', description: 'The fields to change; the others stay as they are.' },
);

export const DeactivateMember = Type.Object(
  {
    open_intros: Type.Optional(
      Type.Union(
        [
          oneOf(['keep', 'cancel'], '`keep`: the member can still record them. `cancel`: their links stop working.'),
          Type.Object(
            {
              reassign_to: AnyId(
                'The active member who records them from now on. Intros that are already recorded are kept.',
                'mem_01kahzv8e1f0rtx5m2q6n9d3bw',
              ),
            },
            { ...closed, 'x-component': 'ReassignIntros', description: 'Another member records the open intros.' },
          ),
        ],
        {
          'x-problem': 'must be keep, cancel or {"reassign_to": "mem_…"}',
          description: "The action for the member's intros that are not sent. Default: `keep`.",
          examples: ['cancel'],
        },
      ),
    ),
  },
  {
    ...closed,
    'x-component': 'DeactivateMember',
    description: "The action for the member's open intros. The body can be omitted.",
  },
);

export const MEMBER_OPERATIONS = define({
  listMembers: {
    method: 'GET',
    path: '/v1/members',
    operationId: 'listMembers',
    tag: 'Members',
    summary: 'List members',
    description: 'The people who record, newest first. Use this list to look up member ids.',
    query: ListMembersQuery,
    success: { status: 200, schema: ListOf(Member), description: 'One page of members.' },
    errors: ['validation_failed'],
  },
  retrieveMember: {
    method: 'GET',
    path: '/v1/members/{id}',
    operationId: 'retrieveMember',
    tag: 'Members',
    summary: 'Retrieve a member',
    description: 'Returns a member, active or deactivated.',
    params: MEMBER_ID,
    query: NoQuery,
    success: { status: 200, schema: Member, description: 'The member.' },
    errors: ['validation_failed', 'not_found'],
  },
  createMember: {
    method: 'POST',
    path: '/v1/members',
    operationId: 'createMember',
    tag: 'Members',
    summary: 'Create or update a member',
    isDestructive: true,
    description:
      'Adds a member, or updates the one with this `external_id`, active or not: the given fields change, the others stay as they ' +
      'are. Two requests with the same `external_id` never create two members. New members have the role `member` and get no ' +
      'email. The email of an owner or manager changes only in the console, because they sign in with it. Keys are permanent: ' +
      'use one for each version of your record, such as `acme_crm:rep_17:v42`.',
    query: NoQuery,
    body: { kind: 'required', schema: CreateMember },
    success: { status: 200, schema: Member, description: 'The member, created or updated.' },
    errors: [...EVERY_POST],
  },
  updateMember: {
    method: 'POST',
    path: '/v1/members/{id}',
    operationId: 'updateMember',
    tag: 'Members',
    summary: 'Update a member',
    isDestructive: true,
    description:
      'Changes the given fields. `null` removes the phone number, the title or the `external_id`. A new email signs the member ' +
      'out of the console. The email of an owner or manager changes only in the console.',
    params: MEMBER_ID,
    query: NoQuery,
    body: { kind: 'required', schema: UpdateMember },
    success: { status: 200, schema: Member, description: 'The updated member.' },
    errors: [...EVERY_POST, 'not_found'],
  },
  deactivateMember: {
    method: 'POST',
    path: '/v1/members/{id}/deactivate',
    operationId: 'deactivateMember',
    tag: 'Members',
    summary: 'Deactivate a member',
    isDestructive: true,
    description:
      'The member gets no new intros and is signed out of the console. `open_intros` decides about intros that are not sent: ' +
      'they are kept, cancelled or reassigned to another member, who is notified. Recorded intros show the member, so they are ' +
      'not reassigned but kept. For a member who is already deactivated, nothing changes.',
    params: MEMBER_ID,
    query: NoQuery,
    body: { kind: 'optional', schema: DeactivateMember },
    success: { status: 200, schema: Member, description: 'The member, deactivated.' },
    errors: [...EVERY_POST, 'not_found', 'last_owner'],
  },
  reactivateMember: {
    method: 'POST',
    path: '/v1/members/{id}/reactivate',
    operationId: 'reactivateMember',
    role: 'manager',
    tag: 'Members',
    summary: 'Reactivate a member',
    description:
      'The member can get new intros again. If their pages show the card of the organization, they show the videos again. ' +
      'For an active member, nothing changes.',
    params: MEMBER_ID,
    query: NoQuery,
    body: { kind: 'empty', schema: EmptyBody },
    success: { status: 200, schema: Member, description: 'The member, active.' },
    errors: [...EVERY_POST, 'not_found'],
  },
});

export type CreateMember = Static<typeof CreateMember>;
export type UpdateMember = Static<typeof UpdateMember>;
export type DeactivateMember = Static<typeof DeactivateMember>;
