import { sql } from 'kysely';
import type { Queryable } from '../platform/db.ts';
import type { Tables, Tenant, TouchpointRow } from '../tables.ts';

export async function insertTouchpoints(db: Queryable<Tables>, rows: TouchpointRow[]): Promise<void> {
  if (rows.length > 0) await db.insertInto('touchpoints').values(rows).execute();
}

/** False when another one of the organization has this slug. */
export async function insertTouchpoint(db: Queryable<Tables>, row: TouchpointRow): Promise<boolean> {
  const { numInsertedOrUpdatedRows } = await db
    .insertInto('touchpoints')
    .values(row)
    .onConflict((on) => on.columns(['slug', 'organization_id', 'environment']).doNothing())
    .executeTakeFirstOrThrow();
  return numInsertedOrUpdatedRows === 1n;
}

const own = (db: Queryable<Tables>, tenant: Tenant) =>
  db
    .selectFrom('touchpoints')
    .selectAll()
    .where('organization_id', '=', tenant.organizationId)
    .where('environment', '=', tenant.environment);

export function listTouchpoints(db: Queryable<Tables>, tenant: Tenant): Promise<TouchpointRow[]> {
  return own(db, tenant).orderBy('position').orderBy('id').execute();
}

export async function findTouchpoint(
  db: Queryable<Tables>,
  tenant: Tenant,
  slug: string,
): Promise<TouchpointRow | null> {
  return (await own(db, tenant).where('slug', '=', slug).executeTakeFirst()) ?? null;
}

/** Whoever changes it next waits until this transaction ends. */
export async function lockTouchpoint(
  db: Queryable<Tables>,
  tenant: Tenant,
  slug: string,
): Promise<TouchpointRow | null> {
  return (await own(db, tenant).where('slug', '=', slug).forUpdate().executeTakeFirst()) ?? null;
}

/**
 * All of them in order, for whoever adds one or moves one: they take turns. By a row that each of them locks, since those to
 * come have none yet; of the kind that keys of other tables do not wait for.
 */
export async function lockOrder(db: Queryable<Tables>, tenant: Tenant): Promise<TouchpointRow[]> {
  await db
    .selectFrom('organizations')
    .select('id')
    .where('id', '=', tenant.organizationId)
    .forNoKeyUpdate()
    .executeTakeFirstOrThrow();
  return listTouchpoints(db, tenant);
}

export type TouchpointChange = Partial<
  Pick<
    TouchpointRow,
    | 'name'
    | 'context'
    | 'lane'
    | 'active'
    | 'delivery'
    | 'days_to_record'
    | 'page_title'
    | 'script'
    | 'action_label'
    | 'action_url'
    | 'text_message'
    | 'reminds'
  >
>;

/** Of one that is locked. */
export function updateTouchpoint(
  db: Queryable<Tables>,
  tenant: Tenant,
  { id, version }: Pick<TouchpointRow, 'id' | 'version'>,
  change: TouchpointChange,
  now: Date,
): Promise<TouchpointRow> {
  return db
    .updateTable('touchpoints')
    .set({ ...change, updated_at: now, version: version + 1 })
    .where('organization_id', '=', tenant.organizationId)
    .where('environment', '=', tenant.environment)
    .where('id', '=', id)
    .where('version', '=', version)
    .returningAll()
    .executeTakeFirstOrThrow();
}

/** The place of each is that in the list. It is not part of what is edited, so it makes no new version. */
export async function placeTouchpoints(db: Queryable<Tables>, tenant: Tenant, ids: readonly string[]): Promise<void> {
  await sql`
    update touchpoints t set position = o.place - 1
    from unnest(${ids}::text[]) with ordinality as o(id, place)
    where t.organization_id = ${tenant.organizationId} and t.environment = ${tenant.environment} and t.id = o.id
      and t.position <> o.place - 1`.execute(db);
}
