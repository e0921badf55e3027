import { sql, type Transaction } from 'kysely';
import type { Queryable } from '../platform/db.ts';
import type { Tables, Tenant, TestClockTable } from '../tables.ts';
import { acrossTenants, forTenant } from '../tenancy.ts';

export async function readClock(db: Queryable<Tables>, tenant: Tenant): Promise<TestClockTable | null> {
  return (await forTenant(db, tenant).selectFrom('test_clocks').selectAll().executeTakeFirst()) ?? null;
}

export const listClocks = (db: Queryable<Tables>): Promise<TestClockTable[]> =>
  acrossTenants(db).selectFrom('test_clocks').selectAll().execute();

/** Locks the clock until the transaction ends, and creates one that shows the real time if there is none. */
export async function lockClock(tx: Transaction<Tables>, tenant: Tenant, now: Date): Promise<TestClockTable> {
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

/**
 * When something of the organization is due next: a deadline or a message. Reads its open intros instead of the queues of all
 * organizations. A message about a closed intro is due only if it is a text to the recipient; the others are dropped later.
 */
export async function findNextDue(
  db: Queryable<Tables>,
  { organizationId, environment }: Tenant,
): Promise<Date | null> {
  const { rows } = await sql<{ next: Date | null }>`
    with open as materialized (
      select id, expires_at from intros
      where organization_id = ${organizationId} and environment = ${environment} and status in ('requested', 'ready')
    )
    select min(due) as next from (
      select expires_at as due from open
      union all
      select m.due_at from open cross join lateral (
        select due_at from messages
        where organization_id = ${organizationId} and intro_id = open.id and status = 'scheduled' and purpose <> 'deliver'
        offset 0
      ) m
      union all
      select due_at from messages
      where organization_id = ${organizationId} and environment = ${environment} and status = 'scheduled'
        and purpose = 'deliver'
      union all
      select due_at from messages
      where organization_id = ${organizationId} and environment = ${environment} and status = 'scheduled'
        and purpose in ('reply', 'answer')
    ) x`.execute(db);
  return rows[0]?.next ?? null;
}
