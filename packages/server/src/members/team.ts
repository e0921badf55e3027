import { ERRORS, type Lane } from '@foreword/contract';
import type { Transaction } from 'kysely';
import type { Clock } from '../platform/clock.ts';
import type { Queryable } from '../platform/db.ts';
import { ApiError, invalid } from '../platform/errors.ts';
import { ID_PATTERN } from '../platform/ids.ts';
import type { MemberRow, Tables, Tenant } from '../tables.ts';
import { type Actor, type MemberAction, refuseAction, refuseLanes, removesOwner } from './rules.ts';
import { createMember, ExternalIdTakenError } from './service.ts';
import { findAnotherOwner, findMember, lockTeam, type MemberChange, updateMember } from './store.ts';

/** Who edits the team, and the lanes their organization offers. */
export interface TeamEditor {
  readonly tenant: Tenant;
  /** The member who edits; null for an integration or an operator. */
  readonly memberId: string | null;
  readonly role: Actor;
  readonly possibleLanes: readonly Lane[];
}

export type NewTeamMember = Pick<MemberRow, 'first_name' | 'last_name' | 'email'> &
  Partial<Pick<MemberRow, 'phone' | 'title' | 'lanes' | 'role' | 'external_id' | 'notify_by'>>;

export const memberNotFound = (): ApiError => new ApiError('not_found', 'No member with this id in your organization.');
const lastOwner = (): ApiError => new ApiError('last_owner', ERRORS.last_owner.example);
const editConflict = (): ApiError =>
  new ApiError(
    'edit_conflict',
    'Another user changed this member while you were editing. Your changes were not saved. Review theirs first.',
  );
const idTaken = (): ApiError => invalid('external_id', 'already belongs to another member');

const throwIf = (refusal: ApiError | null): void => {
  if (refusal !== null) throw refusal;
};

export async function requireMember(tx: Queryable<Tables>, tenant: Tenant, id: string): Promise<MemberRow> {
  const row = ID_PATTERN.test(id) ? await findMember(tx, tenant, id) : null;
  if (row === null) throw memberNotFound();
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
  throwIf(refuseAction(role, null, member));
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

/** Refuses to remove the last owner. The lock makes two owners who demote each other run one after the other. */
async function keepAnOwner(
  tx: Transaction<Tables>,
  tenant: Tenant,
  before: MemberRow,
  action: MemberAction,
): Promise<void> {
  if (!removesOwner(before, action)) return;
  await lockTeam(tx, tenant);
  if ((await findAnotherOwner(tx, tenant, before.id)) === null) throw lastOwner();
}

async function write(
  tx: Transaction<Tables>,
  tenant: Tenant,
  id: string,
  change: MemberChange,
  was?: MemberChange,
): Promise<MemberRow> {
  try {
    const row = await updateMember(tx, tenant, id, change, was);
    // Members are never deleted, so with `was` no row means that another user changed this member.
    if (row === null) throw was === undefined ? memberNotFound() : editConflict();
    return row;
  } catch (error) {
    throw isUniqueViolation(error) ? idTaken() : error;
  }
}

type Change = Partial<NewTeamMember> & Pick<MemberChange, 'photo'>;

/** Changes only the given fields. With `was`, fails if any of those fields has changed since. */
export async function changeMember(
  tx: Transaction<Tables>,
  { tenant, role, possibleLanes }: TeamEditor,
  id: string,
  change: Change,
  was?: Change,
): Promise<MemberRow> {
  // Locked before the checks: a member a manager gives a new email must not become an owner in between.
  if (change.role !== undefined || change.email !== undefined) await lockTeam(tx, tenant);
  const before = await requireMember(tx, tenant, id);
  throwIf(refuseAction(role, before, change));
  throwIf(refuseLanes(possibleLanes, change.lanes));
  await keepAnOwner(tx, tenant, before, change);
  return Object.keys(change).length === 0 ? before : write(tx, tenant, id, change, was);
}

/** A deactivated member gets no new intros and is signed out everywhere. */
export async function deactivateMember(
  tx: Transaction<Tables>,
  { tenant, role, memberId }: TeamEditor,
  id: string,
): Promise<MemberRow> {
  // Locked, so that two members deactivated at the same time do not get each other's open intros.
  await lockTeam(tx, tenant);
  const before = await requireMember(tx, tenant, id);
  if (id === memberId) {
    throw new ApiError('forbidden', "You can't deactivate yourself. Ask another owner or manager.");
  }
  throwIf(refuseAction(role, before, { active: false }));
  await keepAnOwner(tx, tenant, before, { active: false });
  return before.active ? write(tx, tenant, id, { active: false }) : before;
}

/** Also shows the member on their video pages again. */
export async function reactivateMember(
  tx: Transaction<Tables>,
  { tenant, role }: TeamEditor,
  id: string,
): Promise<MemberRow> {
  const before = await requireMember(tx, tenant, id);
  throwIf(refuseAction(role, before, { active: true }));
  return write(tx, tenant, id, { active: true, pages_replaced_at: null });
}

/** Shows the organization's card on the member's video pages from now on. */
export async function replacePages(
  tx: Transaction<Tables>,
  { tenant, role }: TeamEditor,
  id: string,
  now: Date,
): Promise<MemberRow> {
  const before = await requireMember(tx, tenant, id);
  throwIf(refuseAction(role, before, { active: before.active }));
  if (before.active) throw new ApiError('member_active', ERRORS.member_active.example);
  return before.pages_replaced_at === null ? write(tx, tenant, id, { pages_replaced_at: now }) : before;
}

export async function restorePages(
  tx: Transaction<Tables>,
  { tenant, role }: TeamEditor,
  id: string,
): Promise<MemberRow> {
  const before = await requireMember(tx, tenant, id);
  throwIf(refuseAction(role, before, { active: before.active }));
  return write(tx, tenant, id, { pages_replaced_at: null });
}
