/** The SQL of touchpoints and their history. */

import type { TouchpointField } from '@foreword/contract';
import { sql } from 'kysely';
import { acrossTenants, type Db, forTenant, type Row, type Tenant } from '../db/tenancy.ts';

export async function insertTouchpoints(db: Db, rows: Row<'touchpoints'>[]): Promise<void> {
  if (rows.length > 0) await acrossTenants(db).insertInto('touchpoints').values(rows).execute();
}

/** False when the organization already has a touchpoint with this slug. */
export async function insertTouchpoint(db: Db, row: Row<'touchpoints'>): Promise<boolean> {
  const { numInsertedOrUpdatedRows } = await acrossTenants(db)
    .insertInto('touchpoints')
    .values(row)
    .onConflict((on) => on.columns(['slug', 'organization_id', 'environment']).doNothing())
    .executeTakeFirstOrThrow();
  return numInsertedOrUpdatedRows === 1n;
}

const touchpoints = (db: Db, tenant: Tenant) => forTenant(db, tenant).selectFrom('touchpoints').selectAll();

/** In the organization's own order. */
export function listTouchpoints(db: Db, tenant: Tenant): Promise<Row<'touchpoints'>[]> {
  return touchpoints(db, tenant).orderBy('position').orderBy('id').execute();
}

export async function findTouchpoint(db: Db, tenant: Tenant, slug: string): Promise<Row<'touchpoints'> | null> {
  return (await touchpoints(db, tenant).where('slug', '=', slug).executeTakeFirst()) ?? null;
}

export async function findTouchpointById(db: Db, tenant: Tenant, id: string): Promise<Row<'touchpoints'> | null> {
  return (await touchpoints(db, tenant).where('id', '=', id).executeTakeFirst()) ?? null;
}

/** Other changes to this touchpoint wait until the transaction ends. */
export async function lockTouchpoint(db: Db, tenant: Tenant, slug: string): Promise<Row<'touchpoints'> | null> {
  return (await touchpoints(db, tenant).where('slug', '=', slug).forUpdate().executeTakeFirst()) ?? null;
}

/**
 * Lists all touchpoints in order; other transactions that add or move one wait. Locks the organization's row, because new
 * touchpoints have no row to lock yet, in a mode that does not block foreign key checks.
 */
export async function lockOrder(db: Db, tenant: Tenant): Promise<Row<'touchpoints'>[]> {
  await db
    .selectFrom('organizations')
    .select('id')
    .where('id', '=', tenant.organizationId)
    .forNoKeyUpdate()
    .executeTakeFirstOrThrow();
  return listTouchpoints(db, tenant);
}

export type TouchpointChange = Partial<Pick<Row<'touchpoints'>, TouchpointField>>;

/** The caller holds the lock on the touchpoint. */
export function updateTouchpoint(
  db: Db,
  tenant: Tenant,
  { id, version }: Pick<Row<'touchpoints'>, 'id' | 'version'>,
  change: TouchpointChange,
  now: Date,
): Promise<Row<'touchpoints'>> {
  return forTenant(db, tenant)
    .updateTable('touchpoints')
    .set({ ...change, updated_at: now, version: version + 1 })
    .where('id', '=', id)
    .where('version', '=', version)
    .returningAll()
    .executeTakeFirstOrThrow();
}

/** Sets positions to the order of `ids`. The position is not edited content, so the version stays. */
export async function setPositions(db: Db, tenant: Tenant, ids: readonly string[]): Promise<void> {
  await sql`
    update touchpoints t set position = o.place - 1
    from unnest(${ids}::text[]) with ordinality as o(id, place)
    where ${forTenant(db, tenant).owns('t')} and t.id = o.id and t.position <> o.place - 1`.execute(db);
}
