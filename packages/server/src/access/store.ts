import { sql } from 'kysely';
import type pg from 'pg';
import type { Queryable } from '../platform/db.ts';
import type { ApiKeyRow, Tables, Tenant } from '../tables.ts';
import { acrossTenants, forTenant } from '../tenancy.ts';

/** Notifies every node of a revoked key. */
export const REVOKED_CHANNEL = 'foreword_key_revoked';

export async function insertKey(db: Queryable<Tables>, tenant: Tenant, row: ApiKeyRow): Promise<void> {
  await forTenant(db, tenant).insertInto('api_keys').values(row).execute();
}

/** Across tenants, because the key determines the tenant. */
export async function findLiveKey(db: Queryable<Tables>, hash: Buffer): Promise<(Tenant & { keyId: string }) | null> {
  const row = await acrossTenants(db)
    .selectFrom('api_keys')
    .select(['organization_id', 'environment', 'id'])
    .where('hash', '=', hash)
    .where('revoked_at', 'is', null)
    .executeTakeFirst();
  return row ? { organizationId: row.organization_id, environment: row.environment, keyId: row.id } : null;
}

/** Revokes a key and notifies every node on commit. Without a tenant for the operator's command. Keeps the first time of two. */
export async function revokeKey(
  db: Queryable<Tables>,
  id: string,
  now: Date,
  tenant?: Tenant,
): Promise<ApiKeyRow | null> {
  const update =
    tenant === undefined ? acrossTenants(db).updateTable('api_keys') : forTenant(db, tenant).updateTable('api_keys');
  const row = await update
    .set((eb) => ({ revoked_at: eb.fn.coalesce('revoked_at', eb.val(now)) }))
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirst();
  if (row !== undefined) await sql`select pg_notify(${REVOKED_CHANNEL}, ${id})`.execute(db);
  return row ?? null;
}

/** Records the last use of many keys. Never replaces a later time from another node. */
const RECORD_USE = {
  name: 'record key use',
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

export async function recordUse(pool: pg.Pool, uses: readonly KeyUse[]): Promise<void> {
  const columns = [
    uses.map(({ organizationId }) => organizationId),
    uses.map(({ keyId }) => keyId),
    uses.map(({ at }) => at),
  ];
  await pool.query({ ...RECORD_USE, values: columns });
}

export function listKeys(db: Queryable<Tables>, organizationId: string): Promise<ApiKeyRow[]> {
  return acrossTenants(db)
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

const TAKE_TOKENS = {
  name: 'take_tokens',
  text: 'select granted, remaining from take_tokens($1, $2, $3, $4, $5, $6, $7)',
};

/** Takes tokens from the bucket that all nodes share: those that `waiting` requests need, and up to `ahead` more. */
export async function takeTokens(
  pool: pg.Pool,
  bucket: { organizationId: string; keyId: string; kind: 'read' | 'write'; perSecond: number; burst: number },
  { waiting, ahead }: { waiting: number; ahead: number },
): Promise<{ granted: number; remaining: number }> {
  const { organizationId, keyId, kind, perSecond, burst } = bucket;
  const { rows } = await pool.query<{ granted: number; remaining: number }>({
    ...TAKE_TOKENS,
    values: [organizationId, keyId, kind, perSecond, burst, waiting, ahead],
  });
  return rows[0] ?? { granted: 0, remaining: 0 };
}
