import { acrossTenants, columnsOf, type Db, forTenant, type Row, type Tenant, type Tx } from '../../db/tenancy.ts';

export async function readClock(db: Db, tenant: Tenant): Promise<Row<'test_clocks'> | null> {
  return (await forTenant(db, tenant).selectFrom('test_clocks').selectAll().executeTakeFirst()) ?? null;
}

export const listClocks = (db: Db): Promise<Row<'test_clocks'>[]> =>
  acrossTenants(db).selectFrom('test_clocks').selectAll().execute();

/** Locks the clock until the transaction ends, and creates one that shows the real time if there is none. */
export async function lockClock(tx: Tx, tenant: Tenant, now: Date): Promise<Row<'test_clocks'>> {
  const own = forTenant(tx, tenant);
  await own
    .insertInto('test_clocks')
    .values({
      ...columnsOf(tenant),
      ...{ offset_seconds: 0, started_at: now, advanced_at: now },
    })
    .onConflict((on) => on.doNothing())
    .execute();
  return own.selectFrom('test_clocks').selectAll().forUpdate().executeTakeFirstOrThrow();
}

/** Locks the clock for one step. False if another worker has locked it, or it was reset. */
export async function lockForStep(tx: Tx, tenant: Tenant): Promise<boolean> {
  const row = await forTenant(tx, tenant)
    .selectFrom('test_clocks')
    .select('offset_seconds')
    .forUpdate()
    .skipLocked()
    .executeTakeFirst();
  return row !== undefined;
}

export async function setOffset(tx: Tx, tenant: Tenant, offsetS: number, now: Date): Promise<void> {
  await forTenant(tx, tenant).updateTable('test_clocks').set({ offset_seconds: offsetS, advanced_at: now }).execute();
}

export async function deleteClock(tx: Tx, tenant: Tenant): Promise<void> {
  await forTenant(tx, tenant).deleteFrom('test_clocks').execute();
}
