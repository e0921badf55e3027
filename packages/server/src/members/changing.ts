import { ERRORS, type Role } from '@foreword/contract';
import type { Transaction } from 'kysely';
import type { Clock } from '../platform/clock.ts';
import { ApiError, invalid } from '../platform/errors.ts';
import { ID_PATTERN } from '../platform/ids.ts';
import type { MemberRow, Tables, Tenant } from '../tables.ts';
import { lockTeam } from './directory.ts';
import { type MemberAct, refuseAct, refuseLanes, takesOwner } from './rules.ts';
import { createMember, ExternalIdTakenError } from './service.ts';
import { findAnotherOwner, findMember, type MemberChange, updateMember } from './store.ts';

/** Who changes members, and what their organization lets members have. */
export interface TeamEditor {
  readonly tenant: Tenant;
  readonly memberId: string;
  readonly role: Role;
  readonly possibleLanes: readonly ('retail' | 'insurance')[];
}

export type NewTeamMember = Pick<MemberRow, 'first_name' | 'last_name' | 'email'> &
  Partial<Pick<MemberRow, 'phone' | 'title' | 'lanes' | 'role' | 'external_id' | 'notify_by'>>;

export const noMember = (): ApiError => new ApiError('not_found', 'No member with this id in your organization.');
const lastOwner = (): ApiError => new ApiError('last_owner', ERRORS.last_owner.example);
const changedMeanwhile = (): ApiError =>
  new ApiError(
    'edit_conflict',
    'Somebody else changed this member while you were editing. Nothing of yours was saved. Look at what they changed first.',
  );
const idTaken = (): ApiError => invalid('external_id', 'belongs to another member already');

const throwIf = (refusal: ApiError | null): void => {
  if (refusal !== null) throw refusal;
};

/** The member as they stand in this transaction, or 404. */
export async function requireMember(tx: Transaction<Tables>, tenant: Tenant, id: string): Promise<MemberRow> {
  const row = ID_PATTERN.test(id) ? await findMember(tx, tenant, id) : null;
  if (row === null) throw noMember();
  return row;
}

const isUniqueViolation = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && error.code === '23505';

export async function addMember(
  tx: Transaction<Tables>,
  clock: Clock,
  { tenant, role, possibleLanes }: TeamEditor,
  member: NewTeamMember,
): Promise<MemberRow> {
  throwIf(refuseAct(role, null, member));
  throwIf(refuseLanes(possibleLanes, member.lanes));
  try {
    return await createMember(tx, clock, tenant, {
      phone: null,
      external_id: null,
      lanes: [],
      role: 'member',
      ...member,
    });
  } catch (error) {
    throw error instanceof ExternalIdTakenError ? idTaken() : error;
  }
}

/** Refuses what would leave nobody who may give roles. Two who take each other's role away come one after the other. */
async function keepAnOwner(tx: Transaction<Tables>, tenant: Tenant, before: MemberRow, act: MemberAct): Promise<void> {
  if (!takesOwner(before, act)) return;
  await lockTeam(tx, tenant);
  if ((await findAnotherOwner(tx, tenant, before.id)) === null) throw lastOwner();
}

/** Of a member who was found in this transaction: they are never deleted. */
async function write(
  tx: Transaction<Tables>,
  tenant: Tenant,
  id: string,
  change: MemberChange,
  was?: MemberChange,
): Promise<MemberRow> {
  try {
    const row = await updateMember(tx, tenant, id, change, was);
    if (row === null) throw was === undefined ? noMember() : changedMeanwhile();
    return row;
  } catch (error) {
    throw isUniqueViolation(error) ? idTaken() : error;
  }
}

type Change = Partial<NewTeamMember> & Pick<MemberChange, 'photo'>;

/** Only what is named is changed; with `was`, only as long as that is what stands there. */
export async function changeMember(
  tx: Transaction<Tables>,
  { tenant, role, possibleLanes }: TeamEditor,
  id: string,
  change: Change,
  was?: Change,
): Promise<MemberRow> {
  // Whether the change is allowed hangs on these two: a manager's new address for a member must not arrive at an owner.
  if (change.role !== undefined || change.email !== undefined) await lockTeam(tx, tenant);
  const before = await requireMember(tx, tenant, id);
  throwIf(refuseAct(role, before, change));
  throwIf(refuseLanes(possibleLanes, change.lanes));
  await keepAnOwner(tx, tenant, before, change);
  return Object.keys(change).length === 0 ? before : write(tx, tenant, id, change, was);
}

/** Nothing new can be asked of them, and where they were signed in they are no more. */
export async function leaveTeam(
  tx: Transaction<Tables>,
  { tenant, role, memberId }: TeamEditor,
  id: string,
): Promise<MemberRow> {
  // Two who leave at the same time do not hand what is open to each other.
  await lockTeam(tx, tenant);
  const before = await requireMember(tx, tenant, id);
  if (id === memberId) {
    throw new ApiError('forbidden', 'You cannot deactivate yourself. Ask another owner or manager.');
  }
  throwIf(refuseAct(role, before, { active: false }));
  await keepAnOwner(tx, tenant, before, { active: false });
  return before.active ? write(tx, tenant, id, { active: false }) : before;
}

/** Back in the team, and back on the pages of their videos: they do work here again. */
export async function rejoinTeam(
  tx: Transaction<Tables>,
  { tenant, role }: TeamEditor,
  id: string,
): Promise<MemberRow> {
  const before = await requireMember(tx, tenant, id);
  throwIf(refuseAct(role, before, { active: true }));
  return write(tx, tenant, id, { active: true, pages_replaced_at: null });
}

/** On the pages of their videos the organization's card stands from now on. */
export async function replacePages(
  tx: Transaction<Tables>,
  { tenant, role }: TeamEditor,
  id: string,
  now: Date,
): Promise<MemberRow> {
  const before = await requireMember(tx, tenant, id);
  throwIf(refuseAct(role, before, { active: before.active }));
  if (before.active) throw new ApiError('member_active', ERRORS.member_active.example);
  return before.pages_replaced_at === null ? write(tx, tenant, id, { pages_replaced_at: now }) : before;
}

export async function restorePages(
  tx: Transaction<Tables>,
  { tenant, role }: TeamEditor,
  id: string,
): Promise<MemberRow> {
  const before = await requireMember(tx, tenant, id);
  throwIf(refuseAct(role, before, { active: before.active }));
  return write(tx, tenant, id, { pages_replaced_at: null });
}
