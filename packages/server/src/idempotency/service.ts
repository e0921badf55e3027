import type { Transaction } from 'kysely';
import type { Tables, Tenant } from '../db/tenancy.ts';
import type { Database } from '../platform/db.ts';
import { conflict, fingerprintOf, responseRemoved } from './rules.ts';
import { claimKey, type KeyEntry, lockKey, updateKey } from './store.ts';

export interface KeyedRequest {
  readonly tenant: Tenant;
  readonly key: string;
  readonly method: 'POST' | 'DELETE';
  readonly path: string;
  readonly body: unknown;
}

/**
 * Claims the key, or returns its existing entry. A concurrent request with the same key waits here until the first commits; a
 * rollback releases the key.
 */
async function claim(tx: Transaction<Tables>, request: KeyedRequest): Promise<KeyEntry | null> {
  const { tenant, key, method, path, body } = request;
  const fingerprint = fingerprintOf(method, path, body);
  if (await claimKey(tx, tenant, key, fingerprint)) return null;
  const existing = await lockKey(tx, tenant, key);
  if (!existing.fingerprint.equals(fingerprint)) throw conflict(existing.object_id);
  return existing;
}

interface Repetition {
  /** The stored response is of no use anymore: the work runs again. Also if the response was removed. */
  isOutdated?(response: string): boolean;
  /** Builds the response from the object as it is now, after the stored one was removed. Null: the object is gone, too. */
  restore?(tx: Transaction<Tables>, objectId: string): Promise<string | null>;
}

async function repeat(
  tx: Transaction<Tables>,
  { response, object_id: objectId }: KeyEntry,
  { isOutdated, restore }: Repetition,
): Promise<string | null> {
  if (response !== null) return isOutdated?.(response) === true ? null : response;
  if (isOutdated !== undefined) return null;
  const restored = objectId === null ? null : await restore?.(tx, objectId);
  if (restored === null || restored === undefined) throw responseRemoved(objectId);
  return restored;
}

/**
 * Runs the work once per key, in one transaction with the key. A repeated request gets the stored response. Organizations
 * remove responses after a while, but never keys (docs/decisions/0008).
 */
export function once(
  db: Database<Tables>,
  request: KeyedRequest,
  work: (tx: Transaction<Tables>) => Promise<{ objectId: string; body: string }>,
  repetition: Repetition = {},
): Promise<{ readonly body: string; readonly replayed: boolean }> {
  return db.kysely.transaction().execute(async (tx) => {
    const existing = await claim(tx, request);
    const repeated = existing === null ? null : await repeat(tx, existing, repetition);
    if (repeated !== null) return { body: repeated, replayed: true };
    const { objectId, body } = await work(tx);
    await updateKey(tx, request.tenant, request.key, { object_id: objectId, response: body });
    return { body, replayed: false };
  });
}

/**
 * For a response that may not be stored. A repeated request runs the work again with the id of the previous object, which the
 * work replaces: only the last object of a key remains.
 */
export function onceReplacing<Created>(
  db: Database<Tables>,
  request: KeyedRequest,
  work: (tx: Transaction<Tables>, previousId: string | null) => Promise<{ objectId: string; created: Created }>,
): Promise<Created> {
  return db.kysely.transaction().execute(async (tx) => {
    const { object_id: previousId = null } = (await claim(tx, request)) ?? {};
    const { objectId, created } = await work(tx, previousId);
    await updateKey(tx, request.tenant, request.key, { object_id: objectId, response: null });
    return created;
  });
}
