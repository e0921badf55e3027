import { Email, ROLES, Type } from '@foreword/contract';
import { makeSignInPath } from '../console/index.ts';
import type { Row, Tx } from '../db/tenancy.ts';
import { findActiveByEmail, listAllMembers } from '../members/index.ts';
import { testTenant } from '../organizations/index.ts';
import { readLinkConfig } from './connection.ts';
import { enumerate, organizationCommand } from './database-command.ts';
import { showFields } from './print.ts';
import { Failure, UsageError } from './terminal.ts';

async function findByEmail(tx: Tx, { id }: Row<'organizations'>, email: string): Promise<Row<'members'>> {
  const [member, another] = await findActiveByEmail(tx, testTenant(id), email);
  if (member === undefined) {
    throw new Failure(`This organization has no active member with that email. See foreword member list --org ${id}.`);
  }
  if (another !== undefined) {
    throw new Failure('Several active members share that email. Change it for all but one of them.');
  }
  return member;
}

/** The only owner, otherwise the only member. */
async function findOnly(tx: Tx, { id, name }: Row<'organizations'>): Promise<Row<'members'>> {
  const active = (await listAllMembers(tx, testTenant(id))).filter((member) => member.active);
  const owners = active.filter(({ role }) => role === 'owner');
  const [only, ...others] = owners.length > 0 ? owners : active;
  if (only === undefined) {
    throw new Failure(`${name} has no active member. Add one with foreword member create --role owner.`);
  }
  if (others.length === 0) return only;
  const listed = active
    .toSorted((a, b) => ROLES.indexOf(b.role) - ROLES.indexOf(a.role))
    .map(({ email, first_name, last_name, role }) => `${email} (${first_name} ${last_name}, ${role})`);
  throw new UsageError(`${name} has several members. Choose one with --email EMAIL: ${enumerate(listed)}.`);
}

export const signInCommand = organizationCommand({
  name: 'signin',
  summary: 'Creates a one-time console sign-in link for a member. It expires after 15 minutes.',
  input: {
    email: Type.Optional(
      Type.String({
        ...Email,
        description: 'Email of the member. Default: the only owner, otherwise the only member.',
      }),
    ),
  },
  async run({ tx, organization, tenant, now }, { email }) {
    const { publicUrl } = await readLinkConfig();
    const { id } = await (email === undefined ? findOnly(tx, organization) : findByEmail(tx, organization, email));
    return { object: 'signin_link', url: publicUrl + (await makeSignInPath(tx, now, { tenant, id })), member: id };
  },
  show: (link) =>
    showFields(link, link, 'Anyone who opens this link is signed in as this member. Send it only to them.'),
});
