import { Email, ExternalText, Lane, Name, Phone } from '@foreword/contract';
import { Type } from 'typebox';
import {
  createMember,
  deactivateMember,
  ExternalIdTakenError,
  listAllMembers,
  presentMember,
} from '../members/index.ts';
import { testTenant } from '../organizations/index.ts';
import { systemClock } from '../platform/clock.ts';
import type { MemberRow } from '../tables.ts';
import { choice, databaseCommand, Organization, type Shown } from './command.ts';
import { Failure } from './failure.ts';
import { refuseLanes, requireOrganization } from './organizations.ts';
import { showList, showObject } from './print.ts';

const ROLES = ['owner', 'manager', 'member'] as const;

const present = (row: MemberRow): Shown => ({ ...presentMember(row), role: row.role });

export const memberCommands = [
  databaseCommand({
    path: ['member', 'create'],
    says: 'Adds a member: a person of the organization who records intros.',
    input: Type.Object({
      org: Organization,
      'first-name': Name('First name.', 'Ana'),
      'last-name': Name('Last name.', 'Ng'),
      email: Email,
      phone: Type.Optional(Phone),
      'external-id': Type.Optional(ExternalText('Your own id for the member, unique in the organization.', 'rep_17')),
      lane: Type.Optional(Type.Array(Lane, { description: 'A lane the member works in. Default: all.' })),
      notify: Type.Optional(
        choice(['text', 'email', 'both'], 'How the member hears that there is something to record. Default: text.'),
      ),
      role: Type.Optional(choice(ROLES, 'What the member may do in the console. Default: member.')),
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
        throw new Failure(
          `Another member of this organization has the external id "${input['external-id']}". Choose another one.`,
        );
      }
    },
    show: (row) => showObject(present(row)),
  }),
  databaseCommand({
    path: ['member', 'deactivate'],
    operand: 'ID',
    says: 'Deactivates a member: nothing new can be asked of them. What they recorded stays.',
    input: Type.Object({ ID: Type.String({ description: 'Id of the member, as foreword member list shows it.' }) }),
    example: 'foreword member deactivate mem_01kahzv8e1f0rtx5m2q6n9d3bw',
    async run(tx, { ID: id }) {
      const row = await deactivateMember(tx, id);
      if (row === null) throw new Failure(`There is no member with the id "${id}". See foreword member list.`);
      return row;
    },
    show: (row) => showObject(present(row)),
  }),
  databaseCommand({
    path: ['member', 'list'],
    says: 'Lists the members of an organization, newest first, deactivated ones included.',
    input: Type.Object({ org: Organization }),
    example: 'foreword member list --org "$ORG"',
    async run(tx, { org }) {
      const { id } = await requireOrganization(tx, org);
      return listAllMembers(tx, testTenant(id));
    },
    show: (rows) => showList(rows.map(present)),
  }),
];
