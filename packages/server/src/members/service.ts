import { ERRORS, type Lane, type List, type ListMembersQuery, type Member } from '@foreword/contract';
import { readPage } from '../db/lists.ts';
import { isUniqueViolation } from '../db/pools.ts';
import { columnsOf, type Database, type Db, type Row, type Tenant, type Tx } from '../db/tenancy.ts';
import type { Clock } from '../platform/clock.ts';
import { ApiError, invalid } from '../platform/errors.ts';
import { ID_PATTERN, newId } from '../platform/ids.ts';
import { pick } from '../platform/json.ts';
import { type AuditedChange, changedFields, recordChange } from '../privacy/audit/index.ts';
import { type Actor, bouncedSince, type MemberAction, refuseAction, refuseLanes, removesOwner } from './rules.ts';
import {
  findAnotherOwner,
  findMember,
  insertMember,
  listMembers as listRows,
  lockTeam,
  type MemberChange,
  updateMember,
} from './store.ts';

export function presentMember(row: Row<'members'>): Member {
  return {
    id: row.id,
    object: 'member',
    ...pick(row, 'external_id', 'first_name', 'last_name', 'email', 'phone', 'title', 'title_es', 'lanes', 'active'),
    ...pick(row, 'likeness_withdrawn_at', 'environment', 'created_at'),
  };
}

export type NewTeamMember = Pick<Row<'members'>, 'first_name' | 'last_name' | 'email'> &
  Partial<Pick<Row<'members'>, 'phone' | 'title' | 'title_es' | 'lanes' | 'role' | 'external_id' | 'notify_by'>>;

export const toRow = (tenant: Tenant, member: NewTeamMember, now: Date) => ({
  ...columnsOf(tenant),
  id: newId('mem', now),
  role: 'member' as const,
  ...member,
  created_at: now,
});

export async function createMember(
  db: Db,
  clock: Clock,
  tenant: Tenant,
  member: NewTeamMember,
): Promise<Row<'members'>> {
  await lockTeam(db, tenant);
  const row = await insertMember(db, toRow(tenant, member, clock()));
  // External ids are unique in an organization, including deactivated members.
  if (row === null) throw idTaken();
  await recordChange(db, tenant, { action: 'member.added', object: row.id });
  return row;
}

export function listMembers(db: Database, tenant: Tenant, query: ListMembersQuery): Promise<List<Member>> {
  return readPage(query, {
    exists: async (id) => (await findMember(db.kysely, tenant, id)) !== null,
    rows: (page) =>
      listRows(db.kysely, tenant, { ...page, email: query.email, externalId: query.external_id, active: query.active }),
    present: presentMember,
  });
}

/** Newest first, without paging. */
export const listAllMembers = (db: Db, tenant: Tenant): Promise<Row<'members'>[]> => listRows(db, tenant);

/** The editor of the team, and the lanes of their organization. */
export interface TeamEditor {
  readonly tenant: Tenant;
  /** The member who edits; null for an integration or an operator. */
  readonly memberId: string | null;
  readonly role: Actor;
  readonly possibleLanes: readonly Lane[];
}

export const memberNotFound = (): ApiError => new ApiError('not_found', 'No member with this id in your organization.');
const lastOwner = (): ApiError => new ApiError('last_owner', ERRORS.last_owner.example);
const editConflict = (): ApiError =>
  new ApiError(
    'edit_conflict',
    'Another user changed this member while you were editing. Your changes were not saved. Review theirs first.',
  );
const idTaken = (): ApiError => invalid('external_id', 'already belongs to another member');

export const throwIf = (refusal: ApiError | null): void => {
  if (refusal !== null) throw refusal;
};

export async function requireMember(tx: Db, tenant: Tenant, id: string): Promise<Row<'members'>> {
  const row = ID_PATTERN.test(id) ? await findMember(tx, tenant, id) : null;
  if (row === null) throw memberNotFound();
  return row;
}

export async function addMember(
  tx: Tx,
  clock: Clock,
  { tenant, role, possibleLanes }: TeamEditor,
  member: NewTeamMember,
): Promise<Row<'members'>> {
  throwIf(refuseAction(role, null, member));
  throwIf(refuseLanes(possibleLanes, member.lanes));
  return createMember(tx, clock, tenant, member);
}

/** Refuses to remove the last owner. The lock makes two owners who demote each other run one after the other. */
async function keepAnOwner(tx: Tx, tenant: Tenant, before: Row<'members'>, action: MemberAction): Promise<void> {
  if (!removesOwner(before, action)) return;
  await lockTeam(tx, tenant);
  if ((await findAnotherOwner(tx, tenant, before.id)) === null) throw lastOwner();
}

async function write(
  tx: Tx,
  tenant: Tenant,
  id: string,
  change: MemberChange,
  was?: MemberChange,
): Promise<Row<'members'>> {
  try {
    const row = await updateMember(tx, tenant, id, change, was);
    // Members are never deleted, so with `was` no row means that another user changed this member.
    if (row === null) throw was === undefined ? memberNotFound() : editConflict();
    return row;
  } catch (error) {
    throw isUniqueViolation(error) ? idTaken() : error;
  }
}

/** A photo is removed when its member withdraws consent, and none may be added. */
const refusePhoto = (
  { likeness_withdrawn_at: withdrawnAt }: Pick<Row<'members'>, 'likeness_withdrawn_at'>,
  photo: string | null | undefined,
): ApiError | null =>
  withdrawnAt === null || photo === undefined || photo === null
    ? null
    : invalid('photo', 'cannot be added: the member withdrew the consent to the use of their likeness');

type Change = Partial<NewTeamMember> & Pick<MemberChange, 'photo'>;

/** Changes only the given fields. With `was`, fails if any of those fields has changed since. */
export async function changeMember(
  tx: Tx,
  { tenant, role, possibleLanes }: TeamEditor,
  id: string,
  change: Change,
  was?: Change,
): Promise<Row<'members'>> {
  // Locked before the checks: a member a manager gives a new email must not become an owner in between.
  if (change.role !== undefined || change.email !== undefined) await lockTeam(tx, tenant);
  const before = await requireMember(tx, tenant, id);
  throwIf(refuseAction(role, before, change));
  throwIf(refuseLanes(possibleLanes, change.lanes));
  throwIf(refusePhoto(before, change.photo));
  await keepAnOwner(tx, tenant, before, change);
  if (Object.keys(change).length === 0) return before;
  const row = await write(tx, tenant, id, change, was);
  await recordMemberChange(tx, tenant, before, row);
  return row;
}

/** The fields that changing a member may replace. Others have their own actions. */
const RECORDED_FIELDS = [
  ...(['first_name', 'last_name', 'email', 'phone', 'title', 'title_es', 'external_id', 'lanes', 'role'] as const),
  ...(['notify_by', 'words_per_minute', 'language', 'photo', 'weekly_summary_off_at'] as const),
];

/** Writes nothing when both are equal. */
export async function recordMemberChange(
  tx: Tx,
  tenant: Tenant,
  before: Row<'members'>,
  after: Row<'members'>,
): Promise<void> {
  const change = describeChange(before, after);
  if (change !== null) await recordChange(tx, tenant, change);
}

export function describeChange(before: Row<'members'>, after: Row<'members'>): AuditedChange | null {
  const fields = changedFields(before, Object.fromEntries(RECORDED_FIELDS.map((name) => [name, after[name]])));
  if (fields.length === 0) return null;
  return { action: fields.includes('role') ? 'member.role_changed' : 'member.changed', object: after.id, fields };
}

/** By a link in the email. Keeps the time of the first click. */
export async function turnSummaryOff(tx: Tx, tenant: Tenant, before: Row<'members'>, now: Date): Promise<void> {
  const off = { weekly_summary_off_at: now };
  const after = await updateMember(tx, tenant, before.id, off, { weekly_summary_off_at: null });
  const change = after === null ? null : describeChange(before, after);
  if (change !== null) await recordChange(tx, tenant, { ...change, by: before.id });
}

/** A deactivated member gets no new intros and is signed out everywhere. */
export async function deactivateMember(
  tx: Tx,
  { tenant, role, memberId }: TeamEditor,
  id: string,
): Promise<Row<'members'>> {
  // Locked, so that two members deactivated at the same time do not get each other's open intros.
  await lockTeam(tx, tenant);
  const before = await requireMember(tx, tenant, id);
  if (id === memberId) {
    throw new ApiError('forbidden', "You can't deactivate yourself. Ask another owner or manager.");
  }
  throwIf(refuseAction(role, before, { active: false }));
  await keepAnOwner(tx, tenant, before, { active: false });
  if (!before.active) return before;
  const row = await write(tx, tenant, id, { active: false });
  await recordChange(tx, tenant, { action: 'member.deactivated', object: id });
  return row;
}

/** Also shows the member on their video pages again. */
export async function reactivateMember(tx: Tx, { tenant, role }: TeamEditor, id: string): Promise<Row<'members'>> {
  const before = await requireMember(tx, tenant, id);
  throwIf(refuseAction(role, before, { active: true }));
  const row = await write(tx, tenant, id, { active: true, pages_replaced_at: null });
  if (!before.active) await recordChange(tx, tenant, { action: 'member.reactivated', object: id });
  return row;
}

/** Shows the organization's card on the member's video pages from now on. */
export async function replacePages(
  tx: Tx,
  { tenant, role }: TeamEditor,
  id: string,
  now: Date,
): Promise<Row<'members'>> {
  const before = await requireMember(tx, tenant, id);
  throwIf(refuseAction(role, before, { active: before.active }));
  if (before.active) throw new ApiError('member_active', ERRORS.member_active.example);
  if (before.pages_replaced_at !== null) return before;
  const row = await write(tx, tenant, id, { pages_replaced_at: now });
  await recordChange(tx, tenant, { action: 'member.pages_replaced', object: id });
  return row;
}

export async function restorePages(tx: Tx, { tenant, role }: TeamEditor, id: string): Promise<Row<'members'>> {
  const before = await requireMember(tx, tenant, id);
  throwIf(refuseAction(role, before, { active: before.active }));
  const row = await write(tx, tenant, id, { pages_replaced_at: null });
  if (before.pages_replaced_at !== null)
    await recordChange(tx, tenant, { action: 'member.pages_restored', object: id });
  return row;
}

/** The address works again. Bounces of emails that were sent before no longer count. */
export async function confirmEmail(tx: Tx, { tenant }: TeamEditor, id: string, now: Date): Promise<Row<'members'>> {
  const before = await requireMember(tx, tenant, id);
  if (bouncedSince(before) === null) return before;
  const confirmed = { bounced_email: null, email_bounced_at: null, email_bounce_reason: null, email_confirmed_at: now };
  const row = await write(tx, tenant, id, confirmed);
  await recordChange(tx, tenant, { action: 'member.changed', object: id, fields: ['email_confirmed_at'] });
  return row;
}
