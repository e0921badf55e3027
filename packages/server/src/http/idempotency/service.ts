import type { Database, Tenant, Tx } from '../../db/tenancy.ts';
import { conflict, fingerprintOf, responseRemoved } from './rules.ts';
import { claimKey, type KeyEntry, lockKey, updateKey } from './store.ts';

export interface KeyedRequest {
  readonly tenant: Tenant;
  readonly key: string;
  readonly method: 'POST' | 'DELETE';
  readonly path: string;
  readonly body: unknown;
  /** The object that the request is about, if its response has no id. */
  readonly objectId?: string | undefined;
}

/** The response to a request with an idempotency key. */
export interface Answer {
  /** An object, or JSON that was stored as text. */
  readonly body: object | string;
  readonly replayed?: boolean;
  /** Advice for the caller in ASCII; the request succeeded. */
  readonly hint?: string | undefined;
}

/**
 * Claims the key, or returns its existing entry. A concurrent request with the same key waits here until the first commits; a
 * rollback releases the key.
 */
async function claim(tx: Tx, request: KeyedRequest): Promise<KeyEntry | null> {
  const { tenant, key, method, path, body } = request;
  const fingerprint = fingerprintOf(method, path, body);
  if (await claimKey(tx, tenant, key, fingerprint)) return null;
  const existing = await lockKey(tx, tenant, key);
  if (!existing.fingerprint.equals(fingerprint)) throw conflict(existing.object_id);
  return existing;
}

interface Repetition {
  /** Returns the part of the response to store. Default: all of it. */
  readonly store?: ((response: object) => object) | undefined;
  /** The stored response is of no use anymore: the work runs again. Also if the response was removed. */
  readonly isOutdated?: ((response: object) => boolean) | undefined;
  /** Builds the response from the object as it is now, after the stored one was removed. Null: the object is gone, too. */
  readonly restore?: ((tx: Tx) => Promise<object | null>) | undefined;
}

async function repeat(
  tx: Tx,
  { response, object_id: objectId }: KeyEntry,
  { isOutdated, restore }: Repetition,
): Promise<object | null> {
  if (response !== null) {
    const stored = JSON.parse(response) as object;
    return isOutdated?.(stored) === true ? null : stored;
  }
  if (isOutdated !== undefined) return null;
  const restored = await restore?.(tx);
  if (restored === null || restored === undefined) throw responseRemoved(objectId);
  return restored;
}

/**
 * Runs the work once per key, in one transaction with the key. A repeated request gets the stored response. Organizations
 * remove responses after a while, but never keys (docs/decisions/0008).
 */
export function once<Response extends object>(
  db: Database,
  request: KeyedRequest,
  work: (tx: Tx) => Promise<Response>,
  repetition: Repetition = {},
): Promise<{ readonly response: Response; readonly replayed: boolean }> {
  const { tenant, key, objectId = null } = request;
  return db.kysely.transaction().execute(async (tx) => {
    const existing = await claim(tx, request);
    const repeated = existing === null ? null : await repeat(tx, existing, repetition);
    if (repeated !== null) return { response: repeated as Response, replayed: true };
    const response = await work(tx);
    const stored = repetition.store?.(response) ?? response;
    const { id = objectId } = response as { id?: string };
    await updateKey(tx, tenant, key, { object_id: id, response: JSON.stringify(stored) });
    return { response, replayed: false };
  });
}

/**
 * For a response that may not be stored. A repeated request runs the work again with the id of the previous object, which the
 * work replaces: only the last object of a key remains.
 */
export function onceReplacing<Created>(
  db: Database,
  request: KeyedRequest,
  work: (tx: Tx, previousId: string | null) => Promise<{ objectId: string; created: Created }>,
): Promise<Created> {
  return db.kysely.transaction().execute(async (tx) => {
    const { object_id: previousId = null } = (await claim(tx, request)) ?? {};
    const { objectId, created } = await work(tx, previousId);
    await updateKey(tx, request.tenant, request.key, { object_id: objectId, response: null });
    return created;
  });
}
