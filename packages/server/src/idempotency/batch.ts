import { Batcher } from '../platform/batcher.ts';
import { isTransient } from '../platform/db.ts';
import type { ApiError } from '../platform/errors.ts';
import type { Metrics } from '../platform/metrics.ts';
import type { Answer } from '../platform/operations.ts';
import type { Tenant } from '../tables.ts';
import { fingerprintOf } from './rules.ts';

/**
 * A part of what a busy moment brings: while the database writes it, this process reads and answers the rest. With all in
 * one batch each would wait for the other to be done. A larger batch would hardly be cheaper for each of its requests.
 */
const MAX_BATCH = 20;
/** One is in the database, one may gather behind it without waiting for its answer. More lanes make smaller batches. */
const MAX_CONCURRENT = 2;

/** A creation with its key, as a flush gets it. */
export interface Keyed<Body> {
  readonly tenant: Tenant;
  readonly key: string;
  readonly fingerprint: Buffer;
  readonly body: Body;
}

/** Creations that arrive together are written together. */
export interface KeyedBatch<Body> {
  submit(tenant: Tenant, key: string, body: Body): Promise<Answer>;
  /** Not yet answered. */
  readonly pending: number;
  drain(): Promise<void>;
}

export function createKeyedBatch<Body>(options: {
  name: string;
  path: string;
  metrics: Metrics;
  /** Answers or refuses each; `null` when its key was taken in between, for another turn that finds what that made. */
  flush(items: Keyed<Body>[]): Promise<(Answer | ApiError | null)[]>;
}): KeyedBatch<Body> {
  const batcher = new Batcher<Keyed<Body>, Answer | ApiError>({
    name: options.name,
    maxSize: MAX_BATCH,
    maxConcurrent: MAX_CONCURRENT,
    flush: options.flush,
    isTransient,
    sizes: options.metrics.flushSize,
  });
  return {
    async submit(tenant, key, body) {
      const fingerprint = fingerprintOf('POST', options.path, body);
      const answer = await batcher.add({ tenant, key, fingerprint, body });
      if (answer instanceof Error) throw answer;
      return answer;
    },
    get pending() {
      return batcher.pending;
    },
    drain: () => batcher.drain(),
  };
}
