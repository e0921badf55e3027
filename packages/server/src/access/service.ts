import type { Transaction } from 'kysely';
import type { Clock } from '../platform/clock.ts';
import type { Queryable } from '../platform/db.ts';
import { newId } from '../platform/ids.ts';
import type { ApiKeyRow, Tables, Tenant } from '../tables.ts';
import { hashKey, makeKey } from './rules.ts';
import { insertKey, revokeKey as markRevoked } from './store.ts';

const SHOWN_ENDING = 4;

export async function createKey(
  db: Queryable<Tables>,
  clock: Clock,
  tenant: Tenant,
  name: string,
): Promise<{ key: string; row: ApiKeyRow }> {
  const now = clock();
  const key = makeKey();
  const row: ApiKeyRow = {
    organization_id: tenant.organizationId,
    environment: tenant.environment,
    id: newId('key', now),
    name,
    hash: hashKey(key),
    ending: key.slice(-SHOWN_ENDING),
    created_at: now,
    revoked_at: null,
    last_used_at: null,
  };
  await insertKey(db, tenant, row);
  return { key, row };
}

/** In a transaction, so that the commit also sends the notification. The operator's command passes no tenant. */
export const revokeKey = (
  tx: Transaction<Tables>,
  clock: Clock,
  id: string,
  tenant?: Tenant,
): Promise<ApiKeyRow | null> => markRevoked(tx, id, clock(), tenant);
