import { sql } from 'kysely';
import { acrossTenants, columnsOf, type Db, forTenant, type Row, type Tenant, tenantOf } from '../../db/tenancy.ts';

export type ConsentRow = Row<'likeness_consents'>;
export type RemovalRow = Row<'likeness_removals'>;

export type GivenConsent = Pick<ConsentRow, 'id' | 'member_id' | 'version' | 'language' | 'text' | 'given_by'>;

/** False when the member has agreed to this version before, and has not withdrawn it. */
export async function insertConsent(db: Db, tenant: Tenant, consent: GivenConsent, now: Date): Promise<boolean> {
  const { numInsertedOrUpdatedRows } = await forTenant(db, tenant)
    .insertInto('likeness_consents')
    .values({ ...columnsOf(tenant), ...consent, given_at: now })
    .onConflict((on) =>
      on.columns(['organization_id', 'member_id', 'version']).where('withdrawn_at', 'is', null).doNothing(),
    )
    .executeTakeFirstOrThrow();
  return numInsertedOrUpdatedRows === 1n;
}

export interface Withdrawal {
  readonly memberId: string;
  /** The id of the member who decided it; null for the operator. */
  readonly by: string | null;
  /** Who records the open intros instead. Null: they are closed. */
  readonly reassignTo: string | null;
}

/** Ends all consents of the member. One who gave none gets a record of the withdrawal alone. */
export async function endConsents(
  db: Db,
  tenant: Tenant,
  { id, memberId, by }: { id: string } & Pick<Withdrawal, 'memberId' | 'by'>,
  now: Date,
): Promise<void> {
  const withdrawn = { withdrawn_at: now, withdrawn_by: by };
  const { numUpdatedRows } = await forTenant(db, tenant)
    .updateTable('likeness_consents')
    .set(withdrawn)
    .where('member_id', '=', memberId)
    .where('withdrawn_at', 'is', null)
    .executeTakeFirst();
  if (numUpdatedRows > 0n) return;
  await forTenant(db, tenant)
    .insertInto('likeness_consents')
    .values({ ...columnsOf(tenant), id, member_id: memberId, ...withdrawn })
    .execute();
}

export async function insertRemoval(
  db: Db,
  tenant: Tenant,
  { memberId, by, reassignTo }: Withdrawal,
  now: Date,
): Promise<void> {
  const withdrawn = { withdrawn_at: now, withdrawn_by: by, reassign_to: reassignTo };
  await forTenant(db, tenant)
    .insertInto('likeness_removals')
    .values({ ...columnsOf(tenant), member_id: memberId, ...withdrawn })
    .execute();
}

/** Newest first. */
export const listConsents = (db: Db, tenant: Tenant, memberId: string): Promise<ConsentRow[]> =>
  forTenant(db, tenant)
    .selectFrom('likeness_consents')
    .selectAll()
    .where('member_id', '=', memberId)
    .orderBy('id', 'desc')
    .execute();

/** The work of the last withdrawal. */
export async function findRemoval(db: Db, tenant: Tenant, memberId: string): Promise<RemovalRow | null> {
  const row = await forTenant(db, tenant)
    .selectFrom('likeness_removals')
    .selectAll()
    .where('member_id', '=', memberId)
    .orderBy('withdrawn_at', 'desc')
    .limit(1)
    .executeTakeFirst();
  return row ?? null;
}

/** Claims the oldest withdrawal whose work no worker does. Later writes name the claim, so a worker that lost it changes nothing. */
export async function claimRemoval(db: Db, times: { now: Date; abandonedBefore: Date }): Promise<RemovalRow | null> {
  const { rows } = await sql<RemovalRow>`
    with next as (
      select organization_id, member_id, withdrawn_at from likeness_removals
      where finished_at is null and (claimed_at is null or claimed_at < ${times.abandonedBefore})
      order by withdrawn_at limit 1 for update skip locked
    )
    update likeness_removals r set claimed_at = ${times.now}
    from next
    where r.organization_id = next.organization_id and r.member_id = next.member_id and r.withdrawn_at = next.withdrawn_at
    returning r.*`.execute(acrossTenants(db));
  return rows[0] ?? null;
}

export type RemovalCounts = Pick<RemovalRow, 'closed' | 'reassigned' | 'taken_down' | 'videos'>;

const updateClaimed = (db: Db, row: RemovalRow) =>
  forTenant(db, tenantOf(row))
    .updateTable('likeness_removals')
    .where('member_id', '=', row.member_id)
    .where('withdrawn_at', '=', row.withdrawn_at)
    .where('claimed_at', '=', row.claimed_at)
    .where('finished_at', 'is', null);

/** Adds to what was removed, and renews the claim. Null when another worker has taken over. */
export async function reportProgress(
  db: Db,
  claimed: RemovalRow,
  done: Partial<RemovalCounts>,
  now: Date,
): Promise<RemovalRow | null> {
  const row = await updateClaimed(db, claimed)
    .set({
      claimed_at: now,
      closed: sql`closed + ${done.closed ?? 0}`,
      reassigned: sql`reassigned + ${done.reassigned ?? 0}`,
      taken_down: sql`taken_down + ${done.taken_down ?? 0}`,
      // Counted from the start after a crash, because all files are deleted again.
      videos: sql`greatest(videos, ${done.videos ?? 0})`,
    })
    .returningAll()
    .executeTakeFirst();
  return row ?? null;
}

/** Returns false when another worker has taken over. */
export async function finishRemoval(db: Db, claimed: RemovalRow, now: Date): Promise<boolean> {
  const { numUpdatedRows } = await updateClaimed(db, claimed).set({ finished_at: now }).executeTakeFirst();
  return numUpdatedRows === 1n;
}

/**
 * Starts the work again for members who withdrew and have open intros or a photo: a request that began before the withdrawal may
 * have added them.
 */
export async function reopenRemovals(db: Db): Promise<void> {
  await sql`
    update likeness_removals r set finished_at = null, claimed_at = null
    from members m
    where m.likeness_withdrawn_at is not null and m.organization_id = r.organization_id and m.id = r.member_id
      and r.withdrawn_at = m.likeness_withdrawn_at and r.finished_at is not null
      and (m.photo is not null or exists (
        select from intros i
        where i.organization_id = m.organization_id and i.member_id = m.id and i.status in ('requested', 'ready')
      ))`.execute(acrossTenants(db));
}
