import type pg from 'pg';
import type { Queryable } from '../platform/db.ts';
import type { ApiKeyRow, Tables, Tenant } from '../tables.ts';
import { forTenant } from '../tenancy.ts';

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

/** By id alone where no organization is known, as to the operator's command. Revoking twice keeps the first time. */
export async function revokeKey(
  db: Queryable<Tables>,
  id: string,
  now: Date,
  tenant?: Tenant,
): Promise<ApiKeyRow | null> {
  let query = db
    .updateTable('api_keys')
    .set((eb) => ({ revoked_at: eb.fn.coalesce('revoked_at', eb.val(now)) }))
    .where('id', '=', id);
  if (tenant !== undefined) {
    query = query.where('organization_id', '=', tenant.organizationId).where('environment', '=', tenant.environment);
  }
  return (await query.returningAll().executeTakeFirst()) ?? null;
}

/** When keys were last used, of many at once. A node that saw an earlier use than another one changes nothing. */
const NOTE_USE = {
  name: 'note use of keys',
  text: `
update api_keys k set last_used_at = u.at
from unnest($1::text[], $2::text[], $3::timestamptz[]) as u(organization_id, id, at)
where k.organization_id = u.organization_id and k.id = u.id and (k.last_used_at is null or k.last_used_at < u.at)`,
};

export interface KeyUse {
  readonly organizationId: string;
  readonly keyId: string;
  readonly at: Date;
}

export async function noteUse(pool: pg.Pool, uses: readonly KeyUse[]): Promise<void> {
  const columns = [
    uses.map(({ organizationId }) => organizationId),
    uses.map(({ keyId }) => keyId),
    uses.map(({ at }) => at),
  ];
  await pool.query({ ...NOTE_USE, values: columns });
}

export function listKeys(db: Queryable<Tables>, organizationId: string): Promise<ApiKeyRow[]> {
  return db
    .selectFrom('api_keys')
    .selectAll()
    .where('organization_id', '=', organizationId)
    .orderBy('id', 'desc')
    .execute();
}

export async function findKeyName(db: Queryable<Tables>, tenant: Tenant, id: string): Promise<string | null> {
  const row = await forTenant(db, tenant).selectFrom('api_keys').select('name').where('id', '=', id).executeTakeFirst();
  return row?.name ?? null;
}
