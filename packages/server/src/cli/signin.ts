import { Email, type Role } from '@foreword/contract';
import type { Transaction } from 'kysely';
import { type Static, Type } from 'typebox';
import { readConfig } from '../config.ts';
import { makeSignInPath } from '../console/index.ts';
import type { Row, Tables } from '../db/tenancy.ts';
import { findActiveByEmail, findMember, listAllMembers } from '../members/index.ts';
import { listOrganizations, testTenant } from '../organizations/index.ts';
import { readLinkConfig } from './address.ts';
import { type Command, checkValues, Organization, type Outcome } from './command.ts';
import { commandClock, inTransaction } from './connection.ts';
import { Failure, UsageError } from './failure.ts';
import { enumerate, requireOrganization } from './organizations.ts';
import { showObject } from './print.ts';
import { canAsk, choose } from './prompt.ts';

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

async function findByEmail(
  tx: Transaction<Tables>,
  { id }: Row<'organizations'>,
  email: string,
): Promise<Row<'members'>> {
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
async function findDefault(
  tx: Transaction<Tables>,
  organization: Row<'organizations'>,
): Promise<Row<'members'> | Question> {
  const active = (await listAllMembers(tx, testTenant(organization.id))).filter((member) => member.active);
  const owners = active.filter(({ role }) => role === 'owner');
  const [only] = owners.length > 0 ? owners : active;
  if (only === undefined) {
    throw new Failure(`${organization.name} has no active member. Add one with foreword member create --role owner.`);
  }
  const isOnly = owners.length === 1 || (owners.length === 0 && active.length === 1);
  return isOnly ? only : askForMember(active, organization);
}

async function findWanted(
  tx: Transaction<Tables>,
  organization: Row<'organizations'>,
  { email, member: id }: Wanted,
): Promise<Row<'members'> | Question> {
  if (id !== undefined) {
    const chosen = await findMember(tx, testTenant(organization.id), id);
    if (chosen?.active !== true) throw new Failure('This member was just deactivated.');
    return chosen;
  }
  return email === undefined ? findDefault(tx, organization) : findByEmail(tx, organization, email);
}

async function signIn(tx: Transaction<Tables>, wanted: Wanted): Promise<Result> {
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

const show = (url: string, member: string): Outcome => ({
  ...showObject(
    { object: 'signin_link', url, member },
    'Anyone who opens this link is signed in as this member. Send it only to them.',
  ),
  exitCode: 0,
});

const Input = Type.Object({
  org: Organization,
  email: Type.Optional(
    Type.String({ ...Email, description: 'Email of the member. Default: the only owner, otherwise the only member.' }),
  ),
});

export const signInCommand: Command = {
  path: ['signin'],
  summary: 'Creates a one-time console sign-in link for a member. It expires after 15 minutes.',
  operand: undefined,
  input: Input,
  example: 'foreword signin',
  async perform(values) {
    checkValues(signInCommand, Input, values);
    const config = readConfig();
    const { publicUrl } = await readLinkConfig();
    let wanted: Wanted = values as Static<typeof Input>;
    for (;;) {
      const known = wanted;
      const result: Result = await inTransaction(config, (tx) => signIn(tx, known));
      if ('path' in result) return show(publicUrl + result.path, result.member);
      wanted = await ask(result);
    }
  },
};
