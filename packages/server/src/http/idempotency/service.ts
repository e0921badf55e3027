import { isTransient } from '../../db/pools.ts';
import type { Database, Tenant, Tx } from '../../db/tenancy.ts';
import type { Traces } from '../../intros/traces/index.ts';
import { Batcher } from '../../platform/batcher.ts';
import type { ApiError } from '../../platform/errors.ts';
import { currentSpan, endSpan, type Span, spanTimeMs } from '../../platform/tracing.ts';
import { conflict, fingerprintOf, hashOfKey, responseRemoved } from './rules.ts';
import { claimKey, type KeyEntry, lockKey, updateKey } from './store.ts';

interface KeyedRequest {
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
  readonly restore?: ((tx: Tx, objectId: string | null) => Promise<object | null>) | undefined;
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
  const restored = await restore?.(tx, objectId);
  if (restored === null || restored === undefined) throw responseRemoved(objectId);
  return restored;
}

/**
 * Runs the work once per key, in one transaction with the key. A repeated request gets the stored response. Organizations
 * remove responses after a while, but never keys (docs/decisions/0008). Work that runs again gets the id of its earlier object.
 */
export function once<Response extends object>(
  db: Database,
  request: KeyedRequest,
  work: (tx: Tx, previousId: string | null) => Promise<Response>,
  repetition: Repetition = {},
): Promise<{ readonly response: Response; readonly replayed: boolean }> {
  const { tenant, key, objectId = null } = request;
  return db.kysely.transaction().execute(async (tx) => {
    const existing = await claim(tx, request);
    const repeated = existing === null ? null : await repeat(tx, existing, repetition);
    if (repeated !== null) return { response: repeated as Response, replayed: true };
    const response = await work(tx, existing?.object_id ?? null);
    const stored = repetition.store?.(response) ?? response;
    const { id = objectId } = response as { id?: string };
    await updateKey(tx, tenant, key, { object_id: id, response: JSON.stringify(stored) });
    return { response, replayed: false };
  });
}

/**
 * Part of a burst: while the database writes one batch, this process handles the next. With one large batch, each side would wait
 * for the other, and the cost per request would hardly drop.
 */
const MAX_BATCH = 20;
/** Two batches in flight: one being written, one filling. More would make the batches smaller. */
const MAX_CONCURRENT = 2;
/** A client waits at most 3 seconds for a response, including its own batch. Many more items than a second's worth. */
const QUEUE_LIMIT = { items: 4_000, ms: 2_000 };

/** A creation request with its idempotency key. */
export interface Keyed<Body> {
  readonly tenant: Tenant;
  /** Its hash. */
  readonly key: Buffer;
  readonly fingerprint: Buffer;
  readonly body: Body;
  /** The span of its request, if that is traced. */
  readonly span: Span | undefined;
  readonly queuedMs: number;
}

/** Writes concurrent creation requests in batches. */
export interface KeyedBatch<Body> {
  submit(tenant: Tenant, key: string, body: Body): Promise<Answer>;
  /** Number of requests without a response yet. */
  readonly pending: number;
  drain(): Promise<void>;
}

export function createKeyedBatch<Body>(options: {
  name: string;
  path: string;
  traces: Pick<Traces, 'start'>;
  /** Returns a response or an error for each; `null` when another request took its key in between, to retry it. */
  flush(items: Keyed<Body>[]): Promise<(Answer | ApiError | null)[]>;
}): KeyedBatch<Body> {
  async function flush(items: Keyed<Body>[]): Promise<(Answer | ApiError | null)[]> {
    const startMs = spanTimeMs();
    const answers = await options.flush(items);
    const attributes = { 'foreword.batch.size': items.length };
    for (const { span, queuedMs } of items) {
      const parent = span?.spanContext();
      endSpan(options.traces.start('wait for a batch', 'internal', parent, queuedMs), { attributes, endMs: startMs });
      endSpan(options.traces.start(`commit ${options.name}`, 'client', parent, startMs), { attributes });
    }
    return answers;
  }
  const batcher = new Batcher<Keyed<Body>, Answer | ApiError>({
    name: options.name,
    maxSize: MAX_BATCH,
    maxConcurrent: MAX_CONCURRENT,
    flush,
    isTransient,
    queueLimit: QUEUE_LIMIT,
  });
  return {
    async submit(tenant, key, body) {
      const fingerprint = fingerprintOf('POST', options.path, body);
      const item = { tenant, key: hashOfKey(key), fingerprint, body, span: currentSpan(), queuedMs: spanTimeMs() };
      const answer = await batcher.add(item);
      if (answer instanceof Error) throw answer;
      return answer;
    },
    get pending() {
      return batcher.pending;
    },
    drain: () => batcher.drain(),
  };
}
