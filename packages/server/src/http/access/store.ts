import { sql } from 'kysely';
import type pg from 'pg';
import { planned } from '../../db/statements.ts';
import {
  acrossTenants,
  type Db,
  forTenant,
  lockOrganization,
  type Row,
  type Tenant,
  type Tx,
} from '../../db/tenancy.ts';
import type { KeyLimits } from './rules.ts';

/** Notifies every node of a revoked or changed key. */
export const CHANGED_CHANNEL = 'foreword_key_revoked';

export async function insertKey(db: Db, tenant: Tenant, row: Row<'api_keys'>): Promise<void> {
  await forTenant(db, tenant).insertInto('api_keys').values(row).execute();
}

/** Locks the organization, so that two keys created at the same time do not exceed a limit together. */
export async function countActiveKeys(tx: Db, tenant: Tenant, now: Date): Promise<number> {
  await lockOrganization(tx, tenant);
  const { count } = await acrossTenants(tx)
    .selectFrom('api_keys')
    .select((of) => of.fn.countAll<string>().as('count'))
    .where('organization_id', '=', tenant.organizationId)
    .where('revoked_at', 'is', null)
    .where((where) => where.or([where('expires_at', 'is', null), where('expires_at', '>', now)]))
    .executeTakeFirstOrThrow();
  return Number(count);
}

/** A key that was not revoked, with its limits. Across tenants, because the key determines the tenant. */
export async function findLiveKey(db: Db, hash: Buffer) {
  const row = await acrossTenants(db)
    .selectFrom('api_keys')
    .select([
      'organization_id',
      'environment',
      'id',
      'scope',
      'recording_links',
      'agent_writes',
      'expires_at',
      'allowed_ips',
    ])
    .where('hash', '=', hash)
    .where('revoked_at', 'is', null)
    .executeTakeFirst();
  if (row === undefined) return null;
  const { organization_id: organizationId, environment, id: keyId, expires_at, allowed_ips, ...access } = row;
  return { caller: { organizationId, environment, keyId, by: keyId, ...access }, expires_at, allowed_ips };
}

/** Notifies every node on commit, which then reads the key again. */
const notifyNodes = (db: Db, id: string) => sql`select pg_notify(${CHANGED_CHANNEL}, ${id})`.execute(db);

/** Revokes a key and notifies every node on commit. Keeps the first time of two. */
export async function revokeKey(db: Db, tenant: Tenant, id: string, now: Date): Promise<Row<'api_keys'> | null> {
  const row = await forTenant(db, tenant)
    .updateTable('api_keys')
    .set((eb) => ({ revoked_at: eb.fn.coalesce('revoked_at', eb.val(now)) }))
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirst();
  if (row !== undefined) await notifyNodes(db, id);
  return row ?? null;
}

/** Null for a key that does not exist or was revoked. */
export async function lockKey(tx: Tx, tenant: Tenant, id: string): Promise<Row<'api_keys'> | null> {
  const keys = forTenant(tx, tenant).selectFrom('api_keys').selectAll();
  const key = keys.where('id', '=', id).where('revoked_at', 'is', null).forUpdate();
  return (await key.executeTakeFirst()) ?? null;
}

/** Changes only the given limits. Null for a key that does not exist or was revoked. */
export async function updateLimits(
  db: Db,
  tenant: Tenant,
  id: string,
  limits: Partial<KeyLimits>,
): Promise<Row<'api_keys'> | null> {
  const row = await forTenant(db, tenant)
    .updateTable('api_keys')
    .set((eb) => ({
      // Without a limit, nothing changes.
      name: eb.ref('name'),
      ...limits,
      // The owners are notified of the new date.
      ...(limits.expires_at !== undefined && { expiry_notified_at: null }),
    }))
    .where('id', '=', id)
    .where('revoked_at', 'is', null)
    .returningAll()
    .executeTakeFirst();
  if (row !== undefined) await notifyNodes(db, id);
  return row ?? null;
}

/** Marks the keys that expire before `before`, and that were created with more notice, as notified. */
export const markExpiring = (tx: Tx, now: Date, before: Date): Promise<Row<'api_keys'>[]> =>
  acrossTenants(tx)
    .updateTable('api_keys')
    .set({ expiry_notified_at: now })
    .where('expires_at', '>', now)
    .where('expires_at', '<=', before)
    .where('revoked_at', 'is', null)
    .where('expiry_notified_at', 'is', null)
    .where(sql<boolean>`expires_at - created_at > ${before}::timestamptz - ${now}::timestamptz`)
    .returningAll()
    .execute();

/** Records the last use of many keys. Never replaces a later time from another node. */
const RECORD_USE = planned(`
update api_keys k set last_used_at = u.at
from unnest($1::text[], $2::text[], $3::timestamptz[]) as u(organization_id, id, at)
where k.organization_id = u.organization_id and k.id = u.id and (k.last_used_at is null or k.last_used_at < u.at)`);

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
  await pool.query(RECORD_USE, columns);
}

export function listKeys(db: Db, organizationId: string): Promise<Row<'api_keys'>[]> {
  return acrossTenants(db)
    .selectFrom('api_keys')
    .selectAll()
    .where('organization_id', '=', organizationId)
    .orderBy('id', 'desc')
    .execute();
}

/** The name of the key that a first start prints. */
export const DEMO_KEY_NAME = 'Demo';

/** Keys that were created together with their organization: only the demo is. */
export function listDemoKeys(db: Db): Promise<Row<'api_keys'>[]> {
  return acrossTenants(db)
    .selectFrom('api_keys as k')
    .innerJoin('organizations as o', 'o.id', 'k.organization_id')
    .selectAll('k')
    .where('k.name', '=', DEMO_KEY_NAME)
    .where(sql<boolean>`k.created_at < o.created_at + interval '1 second'`)
    .execute();
}

export async function findKeyName(db: Db, tenant: Tenant, id: string): Promise<string | null> {
  const row = await forTenant(db, tenant).selectFrom('api_keys').select('name').where('id', '=', id).executeTakeFirst();
  return row?.name ?? null;
}

const TAKE_TOKENS = planned('select granted, remaining from take_tokens($1, $2, $3, $4, $5, $6, $7)');

export interface SharedBucket {
  readonly organizationId: string;
  /** The id of the organization for the bucket of all its keys. */
  readonly keyId: string;
  readonly kind: 'read' | 'write';
  readonly perSecond: number;
  readonly burst: number;
}

/** Takes tokens from the bucket that all nodes share: those for which requests wait, and up to `ahead` more. */
export async function takeTokens(
  pool: pg.Pool,
  bucket: SharedBucket,
  { waiting, ahead }: { waiting: number; ahead: number },
): Promise<{ granted: number; remaining: number }> {
  const { organizationId, keyId, kind, perSecond, burst } = bucket;
  const values = [organizationId, keyId, kind, perSecond, burst, waiting, ahead];
  const { rows } = await pool.query<{ granted: number; remaining: number }>(TAKE_TOKENS, values);
  return rows[0] ?? { granted: 0, remaining: 0 };
}
