import type { Queryable } from '../platform/db.ts';
import type { ApiKeyRow, Tables, Tenant } from '../tables.ts';

export async function insertKey(db: Queryable<Tables>, row: ApiKeyRow): Promise<void> {
  await db.insertInto('api_keys').values(row).execute();
}

/** The one query without an organization: the key is what tells it. */
export async function findLiveKey(db: Queryable<Tables>, hash: Buffer): Promise<(Tenant & { keyId: string }) | null> {
  const row = await db
    .selectFrom('api_keys')
    .select(['organization_id', 'environment', 'id'])
    .where('hash', '=', hash)
    .where('revoked_at', 'is', null)
    .executeTakeFirst();
  return row ? { organizationId: row.organization_id, environment: row.environment, keyId: row.id } : null;
}

/** By id alone: the operator's command knows no organization. Revoking twice keeps the first time. */
export async function revokeKey(db: Queryable<Tables>, id: string, now: Date): Promise<ApiKeyRow | null> {
  const row = await db
    .updateTable('api_keys')
    .set((eb) => ({ revoked_at: eb.fn.coalesce('revoked_at', eb.val(now)) }))
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirst();
  return row ?? null;
}

export function listKeys(db: Queryable<Tables>, organizationId: string): Promise<ApiKeyRow[]> {
  return db
    .selectFrom('api_keys')
    .selectAll()
    .where('organization_id', '=', organizationId)
    .orderBy('id', 'desc')
    .execute();
}
