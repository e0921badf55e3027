import type { Services } from '../../app/services.ts';
import type { Db, Row, Tenant, Tx } from '../../db/tenancy.ts';
import type { Clock } from '../../platform/clock.ts';
import { ApiError } from '../../platform/errors.ts';
import { newId } from '../../platform/ids.ts';
import { changedFields, recordChange } from '../../privacy/audit/index.ts';
import { checkLimits, hashKey, type KeyLimits, makeKey, NO_LIMITS, noticeBefore, withinScope } from './rules.ts';
import { countActiveKeys, insertKey, lockKey, markExpiring, revokeKey as markRevoked, updateLimits } from './store.ts';

const SHOWN_ENDING = 4;

const pickLimits = ({ expires_at, allowed_ips, scope, recording_links, agent_writes }: Row<'api_keys'>) => ({
  expires_at,
  allowed_ips,
  scope,
  recording_links,
  agent_writes,
});

interface NewKeyOptions extends Partial<KeyLimits> {
  readonly cell?: string | undefined;
}

/** Active keys of an organization, which needs one for each system that it connects. */
const MAX_KEYS = 50;

/** Call it in a transaction, so that the count and the new key agree. */
export async function createKey(
  db: Db,
  clock: Clock,
  tenant: Tenant,
  name: string,
  { cell, ...wanted }: NewKeyOptions = {},
): Promise<{ key: string; row: Row<'api_keys'> }> {
  const now = clock();
  const limits = { ...NO_LIMITS, ...wanted };
  checkLimits(limits, now);
  if ((await countActiveKeys(db, tenant, now)) >= MAX_KEYS) {
    const message = `This organization has ${MAX_KEYS} active API keys, which is the limit. Revoke one first.`;
    throw new ApiError('api_key_limit', message);
  }
  const key = makeKey(cell);
  const row: Row<'api_keys'> = {
    organization_id: tenant.organizationId,
    environment: tenant.environment,
    id: newId('key', now),
    name,
    hash: hashKey(key),
    ending: key.slice(-SHOWN_ENDING),
    created_at: now,
    revoked_at: null,
    last_used_at: null,
    expires_at: limits.expiresAt,
    allowed_ips: limits.allowedIps === null ? null : [...limits.allowedIps],
    expiry_notified_at: null,
    scope: limits.scope,
    recording_links: limits.recordingLinks,
    agent_writes: limits.agentWrites,
  };
  await insertKey(db, tenant, row);
  await recordChange(db, tenant, { action: 'key.created', object: row.id });
  return { key, row };
}

/** In a transaction, so that the commit also sends the notification. */
export async function revokeKey(tx: Tx, clock: Clock, tenant: Tenant, id: string): Promise<Row<'api_keys'> | null> {
  const before = await lockKey(tx, tenant, id);
  const row = await markRevoked(tx, tenant, id, clock());
  // Revoking a key twice changes nothing.
  if (before !== null) await recordChange(tx, tenant, { action: 'key.revoked', object: id });
  return row;
}

/**
 * In a transaction, like `revokeKey`. Null for a key that does not exist or was revoked. A narrower scope removes the
 * permissions that it excludes.
 */
export async function changeKey(
  tx: Tx,
  clock: Clock,
  tenant: Tenant,
  id: string,
  limits: Partial<KeyLimits>,
): Promise<Row<'api_keys'> | null> {
  const key = await lockKey(tx, tenant, id);
  if (key === null) return null;
  const { scope = key.scope } = limits;
  checkLimits({ ...limits, scope }, clock());
  const row = await updateLimits(tx, tenant, id, withinScope(limits, scope));
  const fields = changedFields<Row<'api_keys'>>(key, pickLimits(row ?? key));
  if (fields.length > 0) await recordChange(tx, tenant, { action: 'key.changed', object: id, fields });
  return row;
}

/** Notifies the owners of keys that expire within a week. Only one node marks a key, and the email is stored with the mark. */
export async function notifyOfExpiringKeys(
  deps: Pick<Services, 'db' | 'clock'> & {
    notify: (tx: Tx, key: Row<'api_keys'>) => Promise<void>;
  },
): Promise<void> {
  const now = deps.clock();
  await deps.db.kysely.transaction().execute(async (tx) => {
    for (const key of await markExpiring(tx, now, noticeBefore(now))) await deps.notify(tx, key);
  });
}
