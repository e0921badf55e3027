import type { Queryable } from '../platform/db.ts';
import type { Tables, Tenant, TouchpointRow } from '../tables.ts';

export async function insertTouchpoints(db: Queryable<Tables>, rows: TouchpointRow[]): Promise<void> {
  if (rows.length > 0) await db.insertInto('touchpoints').values(rows).execute();
}

export function listTouchpoints(db: Queryable<Tables>, tenant: Tenant): Promise<TouchpointRow[]> {
  return db
    .selectFrom('touchpoints')
    .selectAll()
    .where('organization_id', '=', tenant.organizationId)
    .where('environment', '=', tenant.environment)
    .orderBy('position')
    .orderBy('id')
    .execute();
}

export type TouchpointChange = Partial<
  Pick<TouchpointRow, 'active' | 'name' | 'delivery' | 'text_message' | 'reminds' | 'action_label' | 'action_url'>
>;

export async function updateTouchpoint(
  db: Queryable<Tables>,
  tenant: Tenant,
  slug: string,
  change: TouchpointChange,
  now: Date,
): Promise<TouchpointRow | null> {
  const row = await db
    .updateTable('touchpoints')
    .set({ ...change, updated_at: now })
    .where('organization_id', '=', tenant.organizationId)
    .where('environment', '=', tenant.environment)
    .where('slug', '=', slug)
    .returningAll()
    .executeTakeFirst();
  return row ?? null;
}
