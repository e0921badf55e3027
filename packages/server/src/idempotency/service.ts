import type { Transaction } from 'kysely';
import type { Database } from '../platform/db.ts';
import type { Answer } from '../platform/operations.ts';
import type { Tables, Tenant } from '../tables.ts';
import { conflict, fingerprintOf } from './rules.ts';

export interface KeyedRequest {
  readonly tenant: Tenant;
  readonly key: string;
  readonly method: 'POST' | 'DELETE';
  readonly path: string;
  readonly body: unknown;
}

interface Bound {
  readonly object_id: string | null;
  readonly response: string | null;
}

/**
 * Binds the key, or gives what it is bound to. A second request with the same key waits here until the first has committed;
 * when what follows throws, the key is unbound again with all the rest.
 */
async function bind(tx: Transaction<Tables>, request: KeyedRequest): Promise<Bound | null> {
  const { tenant, key, method, path, body } = request;
  const fingerprint = fingerprintOf(method, path, body);
  const place = { organization_id: tenant.organizationId, environment: tenant.environment, key };
  const bound = await tx
    .insertInto('idempotency_keys')
    .values({ ...place, fingerprint, object_id: null, response: null })
    .onConflict((on) => on.doNothing())
    .returning('key')
    .executeTakeFirst();
  if (bound !== undefined) return null;
  const earlier = await tx
    .selectFrom('idempotency_keys')
    .select(['fingerprint', 'object_id', 'response'])
    .where('organization_id', '=', tenant.organizationId)
    .where('environment', '=', tenant.environment)
    .where('key', '=', key)
    .forUpdate()
    .executeTakeFirstOrThrow();
  if (!earlier.fingerprint.equals(fingerprint)) throw conflict();
  return earlier;
}

async function remember(
  tx: Transaction<Tables>,
  { tenant, key }: KeyedRequest,
  result: { object_id: string; response: string | null },
): Promise<void> {
  await tx
    .updateTable('idempotency_keys')
    .set(result)
    .where('organization_id', '=', tenant.organizationId)
    .where('environment', '=', tenant.environment)
    .where('key', '=', key)
    .execute();
}

/** Does the work once for its key, in one transaction with the key. A second request with the same key gets its answer. */
export function once(
  db: Database<Tables>,
  request: KeyedRequest,
  work: (tx: Transaction<Tables>) => Promise<{ objectId: string; body: string }>,
): Promise<Answer> {
  return db.kysely.transaction().execute(async (tx) => {
    const earlier = await bind(tx, request);
    if (earlier !== null) {
      if (earlier.response === null) throw conflict();
      return { body: earlier.response, replayed: true };
    }
    const { objectId, body } = await work(tx);
    await remember(tx, request, { object_id: objectId, response: body });
    return { body, replayed: false };
  });
}

/**
 * For an answer that may not be kept, so that it cannot be given again. A second request with the same key has the work done
 * anew, which is told what it made before and takes that back: of all that one key made, only the last stays.
 */
export function onceAnew<Made>(
  db: Database<Tables>,
  request: KeyedRequest,
  work: (tx: Transaction<Tables>, before: string | null) => Promise<{ objectId: string; made: Made }>,
): Promise<Made> {
  return db.kysely.transaction().execute(async (tx) => {
    const { object_id: before = null } = (await bind(tx, request)) ?? {};
    const { objectId, made } = await work(tx, before);
    await remember(tx, request, { object_id: objectId, response: null });
    return made;
  });
}
