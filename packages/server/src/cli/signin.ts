import { Email, type Role, Type } from '@foreword/contract';
import { readConfig } from '../app/config/index.ts';
import { makeSignInPath } from '../console/index.ts';
import type { Row, Tx } from '../db/tenancy.ts';
import { findActiveByEmail, listAllMembers } from '../members/index.ts';
import { listOrganizations, testTenant } from '../organizations/index.ts';
import { defineCommand, Organization } from './command.ts';
import { commandClock, inTransaction, readLinkConfig } from './connection.ts';
import { enumerate, requireOrganization } from './database-command.ts';
import { showFields } from './print.ts';
import { canAsk, choose, Failure, UsageError } from './terminal.ts';

/** The user's choices so far. */
interface Wanted {
  readonly org?: string;
  readonly email?: string;
  /** Chosen from a list, where several members may share an email. */
  readonly member?: string;
}

/** Several members or organizations match. */
interface Question {
  readonly problem: string;
  readonly flag: string;
  readonly options: readonly { readonly value: string; readonly name: string; readonly wanted: Wanted }[];
}

type Result = { readonly path: string; readonly member: string } | Question;

const ORDER: readonly Role[] = ['owner', 'manager', 'member'];

const askForOrganization = (all: readonly Row<'organizations'>[], wanted: Wanted): Question => ({
  problem: 'There are several organizations.',
  flag: '--org ID',
  options: all.map(({ id, name }) => ({ value: id, name, wanted: { ...wanted, org: id } })),
});

const askForMember = (all: readonly Row<'members'>[], organization: Row<'organizations'>): Question => ({
  problem: `${organization.name} has several members.`,
  flag: '--email EMAIL',
  options: all
    .toSorted((a, b) => ORDER.indexOf(a.role) - ORDER.indexOf(b.role))
    .map(({ id, email, first_name, last_name, role }) => ({
      value: email,
      name: `${first_name} ${last_name}, ${role}`,
      wanted: { org: organization.id, member: id },
    })),
});

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

/** The chosen member; by default the only owner, otherwise the only member. */
async function findWanted(
  tx: Tx,
  organization: Row<'organizations'>,
  { email, member: id }: Wanted,
): Promise<Row<'members'> | Question> {
  if (email !== undefined) return findByEmail(tx, organization, email);
  const active = (await listAllMembers(tx, testTenant(organization.id))).filter((member) => member.active);
  if (id !== undefined) {
    const chosen = active.find((member) => member.id === id);
    if (chosen === undefined) throw new Failure('This member was just deactivated.');
    return chosen;
  }
  const owners = active.filter(({ role }) => role === 'owner');
  const [only, ...others] = owners.length > 0 ? owners : active;
  if (only === undefined) {
    throw new Failure(`${organization.name} has no active member. Add one with foreword member create --role owner.`);
  }
  return others.length === 0 ? only : askForMember(active, organization);
}

async function signIn(tx: Tx, wanted: Wanted): Promise<Result> {
  const all = wanted.org === undefined ? await listOrganizations(tx) : [];
  if (all.length > 1) return askForOrganization(all, wanted);
  const organization = await requireOrganization(tx, wanted.org);
  const member = await findWanted(tx, organization, wanted);
  if ('flag' in member) return member;
  const path = await makeSignInPath(tx, commandClock(), { tenant: testTenant(organization.id), id: member.id });
  return { path, member: member.id };
}

/** On a terminal, lets the user choose. Otherwise the error lists what to add to the command. */
async function ask({ problem, flag, options }: Question): Promise<Wanted> {
  if (!canAsk()) {
    const listed = enumerate(options.map(({ value, name }) => `${value} (${name})`));
    throw new UsageError(`${problem} Choose one with ${flag}: ${listed}.`);
  }
  const position = await choose(
    `${problem} Which one signs in?`,
    options.map(({ value, name }) => `${name} (${value})`),
  );
  return options[position]?.wanted ?? {};
}

export const signInCommand = defineCommand(
  {
    name: 'signin',
    summary: 'Creates a one-time console sign-in link for a member. It expires after 15 minutes.',
    input: {
      org: Organization,
      email: Type.Optional(
        Type.String({
          ...Email,
          description: 'Email of the member. Default: the only owner, otherwise the only member.',
        }),
      ),
    },
  },
  async (given) => {
    const config = readConfig();
    const { publicUrl } = await readLinkConfig();
    let wanted: Wanted = given;
    for (;;) {
      const known = wanted;
      const result: Result = await inTransaction(config, (tx) => signIn(tx, known));
      if ('path' in result) {
        const link = { object: 'signin_link', url: publicUrl + result.path, member: result.member };
        return showFields(link, link, 'Anyone who opens this link is signed in as this member. Send it only to them.');
      }
      wanted = await ask(result);
    }
  },
);
