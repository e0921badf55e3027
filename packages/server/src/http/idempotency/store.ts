import { acrossTenants, columnsOf, type Db, forTenant, type Row, type Tenant, type Tx } from '../../db/tenancy.ts';
import { hashOfKey } from './rules.ts';

export type KeyEntry = Pick<Row<'idempotency_keys'>, 'fingerprint' | 'object_id' | 'response'>;

/** False when the key already exists. Waits for a concurrent transaction that inserts the same key. */
export async function claimKey(tx: Tx, tenant: Tenant, key: string, fingerprint: Buffer): Promise<boolean> {
  const claimed = await forTenant(tx, tenant)
    .insertInto('idempotency_keys')
    .values({ ...columnsOf(tenant), key_hash: hashOfKey(key), fingerprint, object_id: null, response: null })
    .onConflict((on) => on.doNothing())
    .returning('key_hash')
    .executeTakeFirst();
  return claimed !== undefined;
}

export const lockKey = (tx: Tx, tenant: Tenant, key: string): Promise<KeyEntry> =>
  forTenant(tx, tenant)
    .selectFrom('idempotency_keys')
    .select(['fingerprint', 'object_id', 'response'])
    .where('key_hash', '=', hashOfKey(key))
    .forUpdate()
    .executeTakeFirstOrThrow();

export async function updateKey(
  tx: Tx,
  tenant: Tenant,
  key: string,
  result: { object_id: string | null; response: string | null },
): Promise<void> {
  await forTenant(tx, tenant)
    .updateTable('idempotency_keys')
    .set(result)
    .where('key_hash', '=', hashOfKey(key))
    .execute();
}

export interface StoredResponse extends Pick<Row<'idempotency_keys'>, 'organization_id' | 'environment' | 'key_hash'> {
  readonly response: string;
}

/** Responses about webhook endpoints that contain a secret. Reads the whole table, once per rotation of the server key. */
export const listSecretResponses = (db: Db): Promise<StoredResponse[]> =>
  acrossTenants(db)
    .selectFrom('idempotency_keys')
    .select(['organization_id', 'environment', 'key_hash', 'response'])
    .where('object_id', 'like', 'whk\\_%')
    .where('response', 'like', '%"secret":"%')
    .$narrowType<{ response: string }>()
    .execute();

/** Only if nothing else has changed or removed the response. */
export async function replaceResponse(
  db: Db,
  { organization_id: organizationId, environment, key_hash, response: previous }: StoredResponse,
  response: string,
): Promise<void> {
  await forTenant(db, { organizationId, environment })
    .updateTable('idempotency_keys')
    .set({ response })
    .where('key_hash', '=', key_hash)
    .where('response', '=', previous)
    .execute();
}

/**
 * Lateral join for statements that resolve idempotency keys: row `i` provides tenant and `key_hash`, `k` is the entry if it exists.
 * `offset 0` forces an index lookup per row, whatever the planner estimates.
 */
export const FIND_BOUND_KEY = `
  left join lateral (
    select fingerprint, object_id, response from idempotency_keys
    where organization_id = i.organization_id and environment = i.environment and key_hash = i.key_hash offset 0
  ) k on true`;
