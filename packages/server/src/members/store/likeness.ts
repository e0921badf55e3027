import { type Db, forTenant, type Tenant } from '../../db/tenancy.ts';

/** When the member withdrew the consent to the use of their likeness; null if it was not withdrawn. Later withdrawals wait. */
export async function lockLikeness(db: Db, tenant: Tenant, id: string): Promise<Date | null> {
  const row = await forTenant(db, tenant)
    .selectFrom('members')
    .select('likeness_withdrawn_at')
    .where('id', '=', id)
    .forShare()
    .executeTakeFirst();
  return row?.likeness_withdrawn_at ?? null;
}

/** Returns false when it was withdrawn before. */
export async function endLikeness(db: Db, tenant: Tenant, id: string, now: Date): Promise<boolean> {
  const { numUpdatedRows } = await forTenant(db, tenant)
    .updateTable('members')
    .set({ likeness_withdrawn_at: now })
    .where('id', '=', id)
    .where('likeness_withdrawn_at', 'is', null)
    .executeTakeFirst();
  return numUpdatedRows === 1n;
}

export async function restoreLikeness(db: Db, tenant: Tenant, id: string): Promise<void> {
  await forTenant(db, tenant)
    .updateTable('members')
    .set({ likeness_withdrawn_at: null })
    .where('id', '=', id)
    .where('likeness_withdrawn_at', 'is not', null)
    .execute();
}

/** Removes exactly this photo. */
export async function clearPhoto(db: Db, tenant: Tenant, id: string, photo: string): Promise<void> {
  await forTenant(db, tenant)
    .updateTable('members')
    .set({ photo: null })
    .where('id', '=', id)
    .where('photo', '=', photo)
    .execute();
}
