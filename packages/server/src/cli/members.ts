import { Email, ExternalText, Lane, lanesOf, Name, NOTIFY_BY, Phone } from '@foreword/contract';
import type { Transaction } from 'kysely';
import { type Static, Type } from 'typebox';
import { recordChange } from '../audit/index.ts';
import { readConfig } from '../config.ts';
import { endAccess, resetPasskeys } from '../console/index.ts';
import type { Row, Tables, Tenant } from '../db/tenancy.ts';
import {
  changeMember,
  createMember,
  deactivateAnyMember,
  ExternalIdTakenError,
  findAnotherOwner,
  findAnyMember,
  listAllMembers,
  presentMember,
  reactivateMember,
  type TeamEditor,
} from '../members/index.ts';
import { testTenant } from '../organizations/index.ts';
import { ApiError } from '../platform/errors.ts';
import { choice, databaseCommand, Organization } from './command.ts';
import { commandClock } from './connection.ts';
import { Failure, orFailure, UsageError } from './failure.ts';
import { emptyAsNull, Text } from './fields.ts';
import { refuseLanes, requireOrganization } from './organizations.ts';
import { showList, showObject } from './print.ts';

const ROLES = ['owner', 'manager', 'member'] as const;

const present = (row: Row<'members'>) => ({
  ...presentMember(row),
  role: row.role,
  photo: row.photo,
  notify: row.notify_by,
});

const EXTERNAL_ID = 'Your own ID for the member, unique in the organization.';
const EXTERNAL_ID_MAX = 255;

const SAMPLE_ID = 'mem_01kahzv8e1f0rtx5m2q6n9d3bw';
const MemberId = Type.String({ description: 'ID of the member (see foreword member list).' });

const noMember = (id: string): Failure =>
  new Failure(`There is no member with the id "${id}". See foreword member list.`);

const externalIdTaken = (id: string | undefined): Failure =>
  new Failure(`Another member of this organization already has the external ID "${id}".`);

const tenantOf = ({ organization_id: id }: Row<'members'>): Tenant => testTenant(id);

async function requireAnyMember(tx: Transaction<Tables>, id: string): Promise<Row<'members'>> {
  const row = await findAnyMember(tx, id);
  if (row === null) throw noMember(id);
  return row;
}

/** The operator may do what an owner may do. */
async function editorFor(tx: Transaction<Tables>, member: Row<'members'>): Promise<TeamEditor> {
  const organization = await requireOrganization(tx, member.organization_id);
  return { tenant: tenantOf(member), memberId: null, role: 'owner', possibleLanes: lanesOf(organization) };
}

const MemberChanges = Type.Object({
  'first-name': Type.Optional(Name('First name.', 'Ana')),
  'last-name': Type.Optional(Name('Last name.', 'Ng')),
  email: Type.Optional(Email),
  phone: Type.Optional(Phone),
  title: Type.Optional(Text(100, 'Job title, as shown to recipients.')),
  'title-es': Type.Optional(Text(100, 'Job title on pages in Spanish. "": they show --title.')),
  photo: Type.Optional(Type.String({ description: 'A PNG or JPEG file, cropped to the center. "" removes it.' })),
  notify: Type.Optional(choice(NOTIFY_BY, 'How to notify the member about intros to record.')),
  'external-id': Type.Optional(Text(EXTERNAL_ID_MAX, EXTERNAL_ID)),
  lane: Type.Optional(Type.Array(Lane, { description: 'A lane that the member works in. Replaces the current ones.' })),
  role: Type.Optional(choice(ROLES, 'Role in the console. An organization keeps at least one owner.')),
});

async function storePhoto({ organization_id: org, id }: Row<'members'>, file: string): Promise<string | null> {
  if (file === '') return null;
  const { storePicture } = await import('./pictures.ts');
  const keyFor = (hash: string): string => `${org}/members/${id}-${hash}.jpg`;
  return storePicture(readConfig(), { file, shape: 'face', keyFor });
}

/** Contains only the fields that were given; the others stay unchanged. */
const toChange = async (before: Row<'members'>, given: Static<typeof MemberChanges>) => ({
  ...(given['first-name'] !== undefined && { first_name: given['first-name'] }),
  ...(given['last-name'] !== undefined && { last_name: given['last-name'] }),
  ...(given.email !== undefined && { email: given.email }),
  ...(given.phone !== undefined && { phone: given.phone }),
  ...(given.title !== undefined && { title: emptyAsNull(given.title) }),
  ...(given['title-es'] !== undefined && { title_es: emptyAsNull(given['title-es']) }),
  ...(given.notify !== undefined && { notify_by: given.notify }),
  ...(given['external-id'] !== undefined && { external_id: emptyAsNull(given['external-id']) }),
  ...(given.lane !== undefined && { lanes: given.lane }),
  ...(given.role !== undefined && { role: given.role }),
  ...(given.photo !== undefined && { photo: await storePhoto(before, given.photo) }),
});

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
      'external-id': Type.Optional(ExternalText(EXTERNAL_ID, 'rep_17')),
      lane: Type.Optional(Type.Array(Lane, { description: 'A lane that the member works in. Default: all.' })),
      notify: Type.Optional(choice(NOTIFY_BY, 'How to notify the member about intros to record. Default: text.')),
      role: Type.Optional(choice(ROLES, 'Role in the console. Default: member.')),
    }),
    example: 'foreword member create --first-name Ana --last-name Ng --email ana@acme.example --external-id rep_17',
    async run(tx, input) {
      const lanes = input.lane ?? [];
      const organization = await requireOrganization(tx, input.org);
      refuseLanes(organization.industry, lanes);
      try {
        return await createMember(tx, commandClock, testTenant(organization.id), {
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
        throw externalIdTaken(input['external-id']);
      }
    },
    show: (row) => showObject(present(row)),
  }),
  databaseCommand({
    path: ['member', 'set'],
    operand: 'ID',
    summary: 'Changes the details of a member, such as the role, the lanes or the notifications.',
    input: Type.Object({ ID: MemberId, ...MemberChanges.properties }),
    example: `foreword member set ${SAMPLE_ID} --title "project manager" --role owner`,
    check({ ID, ...changes }) {
      if (Object.keys(changes).length === 0) {
        throw new UsageError(
          'Nothing to change: give at least one of --title, --phone, --role, --lane, --external-id, --notify, …',
        );
      }
    },
    async run(tx, { ID: id, ...given }) {
      const before = await requireAnyMember(tx, id);
      const editor = await editorFor(tx, before);
      const row = await changeMember(tx, editor, id, await toChange(before, given)).catch((error: unknown) => {
        if (!(error instanceof ApiError)) throw error;
        if (error.field === 'external_id') throw externalIdTaken(given['external-id']);
        if (error.field === 'lanes') throw new UsageError(error.message.replace('lanes', '--lane'));
        throw new Failure(error.message);
      });
      // Members sign in with their email, so a new one ends the sessions that the old one started.
      if (row.email.toLowerCase() !== before.email.toLowerCase()) {
        await endAccess(tx, tenantOf(row), [id], commandClock());
      }
      return row;
    },
    show: (row) => showObject(present(row)),
  }),
  databaseCommand({
    path: ['member', 'deactivate'],
    operand: 'ID',
    summary: 'Deactivates a member, who gets no new intros. Their recorded intros stay.',
    input: Type.Object({ ID: MemberId }),
    example: `foreword member deactivate ${SAMPLE_ID}`,
    async run(tx, { ID: id }) {
      const before = await requireAnyMember(tx, id);
      const row = (await deactivateAnyMember(tx, id)) ?? before;
      if (before.active) await recordChange(tx, tenantOf(row), { action: 'member.deactivated', object: id });
      const isLastOwner = row.role === 'owner' && (await findAnotherOwner(tx, tenantOf(row), id)) === null;
      return { row, isLastOwner };
    },
    show: ({ row, isLastOwner }) => ({
      ...showObject(present(row)),
      ...(isLastOwner && {
        complaint: 'This organization has no active owner now. Use foreword member set ID --role owner.',
      }),
    }),
  }),
  databaseCommand({
    path: ['member', 'activate'],
    operand: 'ID',
    summary: 'Activates a deactivated member, who gets new intros and can sign in again.',
    input: Type.Object({ ID: MemberId }),
    example: `foreword member activate ${SAMPLE_ID}`,
    async run(tx, { ID: id }) {
      const found = await requireAnyMember(tx, id);
      if (found.active) return found;
      const row = await orFailure(reactivateMember(tx, await editorFor(tx, found), id));
      // Deactivating with the command does not end sessions, and they must not work again.
      await endAccess(tx, tenantOf(row), [id], commandClock());
      return row;
    },
    show: (row) => showObject(present(row)),
  }),
  databaseCommand({
    path: ['member', 'reset-passkeys'],
    operand: 'ID',
    summary: 'Removes all passkeys of a member who lost them, and signs the member out.',
    input: Type.Object({ ID: MemberId }),
    example: `foreword member reset-passkeys ${SAMPLE_ID}`,
    async run(tx, { ID: id }) {
      const row = await requireAnyMember(tx, id);
      return { row, removed: await resetPasskeys(tx, tenantOf(row), id, commandClock()) };
    },
    show: ({ row, removed }) => showObject({ ...present(row), removed_passkeys: removed }),
  }),
  databaseCommand({
    path: ['member', 'list'],
    summary: 'Lists the members of an organization, newest first, including deactivated ones.',
    input: Type.Object({ org: Organization }),
    example: 'foreword member list',
    async run(tx, { org }) {
      const { id } = await requireOrganization(tx, org);
      return listAllMembers(tx, testTenant(id));
    },
    show: (rows) =>
      showList(rows.map(present), ({ id, first_name, last_name, email, role, active }) => ({
        id,
        name: `${first_name} ${last_name}`,
        email,
        role,
        active,
      })),
  }),
];
