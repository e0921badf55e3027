import { Email, ExternalText, Lane, Name, NOTIFY_BY, Phone } from '@foreword/contract';
import { Type } from 'typebox';
import { readConfig } from '../config.ts';
import { makeSignInPath } from '../console/index.ts';
import {
  createMember,
  deactivateAnyMember,
  ExternalIdTakenError,
  findActiveByEmail,
  findAnyMember,
  listAllMembers,
  presentMember,
  updateMember,
} from '../members/index.ts';
import { testTenant } from '../organizations/index.ts';
import { systemClock } from '../platform/clock.ts';
import type { MemberRow } from '../tables.ts';
import { choice, databaseCommand, Organization, type Shown } from './command.ts';
import { Failure, UsageError } from './failure.ts';
import { emptyAsNull, Text } from './fields.ts';
import { refuseLanes, requireOrganization } from './organizations.ts';
import { showList, showObject } from './print.ts';

const ROLES = ['owner', 'manager', 'member'] as const;

const present = (row: MemberRow): Shown => ({
  ...presentMember(row),
  role: row.role,
  title: row.title,
  photo: row.photo,
  notify: row.notify_by,
});

const MemberId = Type.String({ description: 'ID of the member (see foreword member list).' });

const noMember = (id: string): Failure =>
  new Failure(`There is no member with the id "${id}". See foreword member list.`);

export const memberCommands = [
  databaseCommand({
    path: ['member', 'create'],
    summary: 'Adds a member to an organization.',
    input: Type.Object({
      org: Organization,
      'first-name': Name('First name.', 'Ana'),
      'last-name': Name('Last name.', 'Ng'),
      email: Email,
      phone: Type.Optional(Phone),
      'external-id': Type.Optional(ExternalText('Your own ID for the member, unique in the organization.', 'rep_17')),
      lane: Type.Optional(Type.Array(Lane, { description: 'A lane that the member works in. Default: all.' })),
      notify: Type.Optional(choice(NOTIFY_BY, 'How to notify the member about intros to record. Default: text.')),
      role: Type.Optional(choice(ROLES, 'Role in the console. Default: member.')),
    }),
    example:
      'foreword member create --org "$ORG" --first-name Ana --last-name Ng --email ana@acme.example --external-id rep_17',
    async run(tx, input) {
      const lanes = input.lane ?? [];
      const organization = await requireOrganization(tx, input.org);
      refuseLanes(organization.industry, lanes);
      try {
        return await createMember(tx, systemClock, testTenant(organization.id), {
          first_name: input['first-name'],
          last_name: input['last-name'],
          email: input.email,
          phone: input.phone ?? null,
          external_id: input['external-id'] ?? null,
          lanes,
          role: input.role ?? 'member',
          ...(input.notify !== undefined && { notify_by: input.notify }),
        });
      } catch (error) {
        if (!(error instanceof ExternalIdTakenError)) throw error;
        throw new Failure(`Another member of this organization already has the external id "${input['external-id']}".`);
      }
    },
    show: (row) => showObject(present(row)),
  }),
  databaseCommand({
    path: ['member', 'set'],
    operand: 'ID',
    summary: 'Changes the name, contact details, title, photo or notifications of a member.',
    input: Type.Object({
      ID: MemberId,
      'first-name': Type.Optional(Name('First name.', 'Ana')),
      'last-name': Type.Optional(Name('Last name.', 'Ng')),
      email: Type.Optional(Email),
      phone: Type.Optional(Phone),
      title: Type.Optional(Text(100, 'Job title, as shown to recipients.')),
      photo: Type.Optional(Type.String({ description: 'A PNG or JPEG file, cropped to the center. "" removes it.' })),
      notify: Type.Optional(choice(NOTIFY_BY, 'How to notify the member about intros to record.')),
    }),
    example: 'foreword member set mem_01kahzv8e1f0rtx5m2q6n9d3bw --title "project manager" --photo ana.jpg',
    check({ ID, ...changes }) {
      if (Object.keys(changes).length === 0) {
        throw new UsageError('Nothing to change: give at least one of --title, --phone, --photo, --notify, …');
      }
    },
    async run(tx, { ID: id, 'first-name': firstName, 'last-name': lastName, email, phone, title, photo, notify }) {
      const found = await findAnyMember(tx, id);
      if (found === null) throw noMember(id);
      const { organization_id: org } = found;
      const keyFor = (hash: string): string => `${org}/members/${id}-${hash}.jpg`;
      const row = await updateMember(tx, testTenant(org), id, {
        ...(firstName !== undefined && { first_name: firstName }),
        ...(lastName !== undefined && { last_name: lastName }),
        ...(email !== undefined && { email }),
        ...(phone !== undefined && { phone }),
        ...(title !== undefined && { title: emptyAsNull(title) }),
        ...(notify !== undefined && { notify_by: notify }),
        ...(photo !== undefined && {
          photo:
            photo === ''
              ? null
              : await (await import('./pictures.ts')).storePicture(readConfig(), {
                  file: photo,
                  shape: 'face',
                  keyFor,
                }),
        }),
      });
      if (row === null) throw noMember(id);
      return row;
    },
    show: (row) => showObject(present(row)),
  }),
  databaseCommand({
    path: ['member', 'deactivate'],
    operand: 'ID',
    summary: 'Deactivates a member, who gets no new intros. Their recorded intros stay.',
    input: Type.Object({ ID: MemberId }),
    example: 'foreword member deactivate mem_01kahzv8e1f0rtx5m2q6n9d3bw',
    async run(tx, { ID: id }) {
      const row = await deactivateAnyMember(tx, id);
      if (row === null) throw noMember(id);
      return row;
    },
    show: (row) => showObject(present(row)),
  }),
  databaseCommand({
    path: ['member', 'list'],
    summary: 'Lists the members of an organization, newest first, including deactivated ones.',
    input: Type.Object({ org: Organization }),
    example: 'foreword member list --org "$ORG"',
    async run(tx, { org }) {
      const { id } = await requireOrganization(tx, org);
      return listAllMembers(tx, testTenant(id));
    },
    show: (rows) => showList(rows.map(present)),
  }),
];

export const signInCommands = [
  databaseCommand({
    path: ['signin'],
    summary: 'Creates a one-time console sign-in link for a member. It expires after 15 minutes.',
    input: Type.Object({ org: Organization, email: Email }),
    example: 'foreword signin --org "$ORG" --email ana@acme.example',
    async run(tx, { org, email }) {
      const { id: organizationId } = await requireOrganization(tx, org);
      const tenant = testTenant(organizationId);
      const [member, another] = await findActiveByEmail(tx, tenant, email);
      if (member === undefined) {
        throw new Failure(
          `This organization has no active member with that email. See foreword member list --org ${org}.`,
        );
      }
      if (another !== undefined) {
        throw new Failure('Several active members share that email. Change it for all but one of them.');
      }
      const path = await makeSignInPath(tx, systemClock(), { tenant, id: member.id });
      return { url: readConfig().publicUrl + path, member: member.id };
    },
    show: ({ url, member }) =>
      showObject(
        { object: 'signin_link', url, member },
        'Anyone who opens this link is signed in as this member. Send it only to them.',
      ),
  }),
];
