import type { Transaction } from 'kysely';
import { acrossTenants, forTenant, type Row, type Tables, type Tenant } from '../db/tenancy.ts';
import type { Queryable } from '../platform/db.ts';

export async function readClock(db: Queryable<Tables>, tenant: Tenant): Promise<Row<'test_clocks'> | null> {
  return (await forTenant(db, tenant).selectFrom('test_clocks').selectAll().executeTakeFirst()) ?? null;
}

export const listClocks = (db: Queryable<Tables>): Promise<Row<'test_clocks'>[]> =>
  acrossTenants(db).selectFrom('test_clocks').selectAll().execute();

/** Locks the clock until the transaction ends, and creates one that shows the real time if there is none. */
export async function lockClock(tx: Transaction<Tables>, tenant: Tenant, now: Date): Promise<Row<'test_clocks'>> {
  const own = forTenant(tx, tenant);
  await own
    .insertInto('test_clocks')
    .values({
      organization_id: tenant.organizationId,
      environment: tenant.environment,
      offset_seconds: 0,
      started_at: now,
      advanced_at: now,
    })
    .onConflict((on) => on.doNothing())
    .execute();
  return own.selectFrom('test_clocks').selectAll().forUpdate().executeTakeFirstOrThrow();
}

/** Locks the clock for one step. False if another worker has locked it, or it was reset. */
export async function lockForStep(tx: Transaction<Tables>, tenant: Tenant): Promise<boolean> {
  const row = await forTenant(tx, tenant)
    .selectFrom('test_clocks')
    .select('offset_seconds')
    .forUpdate()
    .skipLocked()
    .executeTakeFirst();
  return row !== undefined;
}

export async function setOffset(tx: Transaction<Tables>, tenant: Tenant, offsetS: number, now: Date): Promise<void> {
  await forTenant(tx, tenant).updateTable('test_clocks').set({ offset_seconds: offsetS, advanced_at: now }).execute();
}

export async function deleteClock(tx: Transaction<Tables>, tenant: Tenant): Promise<void> {
  await forTenant(tx, tenant).deleteFrom('test_clocks').execute();
}
