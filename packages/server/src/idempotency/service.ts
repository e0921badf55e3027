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

/**
 * Does the work once for its key, in one transaction with the key. A second request with the same key waits at the insert
 * until the first has committed, and gets its answer; when the work throws, the key is unbound again with all the rest.
 */
export function once(
  db: Database<Tables>,
  request: KeyedRequest,
  work: (tx: Transaction<Tables>) => Promise<{ objectId: string; body: string }>,
): Promise<Answer> {
  const { tenant, key } = request;
  const fingerprint = fingerprintOf(request.method, request.path, request.body);
  return db.kysely.transaction().execute(async (tx) => {
    const bound = await tx
      .insertInto('idempotency_keys')
      .values({
        organization_id: tenant.organizationId,
        environment: tenant.environment,
        key,
        fingerprint,
        object_id: null,
        response: null,
      })
      .onConflict((on) => on.doNothing())
      .returning('key')
      .executeTakeFirst();
    const row = tx
      .selectFrom('idempotency_keys')
      .select(['fingerprint', 'response'])
      .where('organization_id', '=', tenant.organizationId)
      .where('environment', '=', tenant.environment)
      .where('key', '=', key);
    if (bound === undefined) {
      const earlier = await row.executeTakeFirstOrThrow();
      if (!earlier.fingerprint.equals(fingerprint) || earlier.response === null) throw conflict();
      return { body: earlier.response, replayed: true };
    }
    const { objectId, body } = await work(tx);
    await tx
      .updateTable('idempotency_keys')
      .set({ object_id: objectId, response: body })
      .where('organization_id', '=', tenant.organizationId)
      .where('environment', '=', tenant.environment)
      .where('key', '=', key)
      .execute();
    return { body, replayed: false };
  });
}
