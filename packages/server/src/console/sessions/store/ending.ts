import { type Db, forTenant, type Tenant } from '../../../db/tenancy.ts';

/** Ends one session, or all but one, and returns how many ended. */
export async function endSessions(
  db: Db,
  tenant: Tenant,
  memberId: string,
  which: { only: string } | { allBut: string },
  now: Date,
): Promise<number> {
  const mine = forTenant(db, tenant)
    .updateTable('console_sessions')
    .set({ ended_at: now })
    .where('member_id', '=', memberId)
    .where('ended_at', 'is', null);
  const chosen = 'only' in which ? mine.where('id', '=', which.only) : mine.where('id', '!=', which.allBut);
  return Number((await chosen.executeTakeFirstOrThrow()).numUpdatedRows);
}

/**
 * Ends the members' sessions and invalidates their unused sign-in links. Deactivation alone blocks both, but they would work
 * again after a reactivation.
 */
export async function endAccess(db: Db, tenant: Tenant, memberIds: readonly string[], now: Date): Promise<void> {
  if (memberIds.length === 0) return;
  await forTenant(db, tenant)
    .updateTable('console_sessions')
    .set({ ended_at: now })
    .where('member_id', 'in', memberIds)
    .where('ended_at', 'is', null)
    .execute();
  await forTenant(db, tenant)
    .updateTable('signin_links')
    .set({ used_at: now })
    .where('member_id', 'in', memberIds)
    .where('used_at', 'is', null)
    .execute();
}
