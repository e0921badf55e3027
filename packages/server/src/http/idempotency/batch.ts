import { isTransient } from '../../db/pools.ts';
import type { Tenant } from '../../db/tenancy.ts';
import type { Traces } from '../../intros/traces/index.ts';
import { Batcher } from '../../platform/batcher.ts';
import type { ApiError } from '../../platform/errors.ts';
import type { Metrics } from '../../platform/metrics.ts';
import { currentSpan, endSpan, type Span, spanTimeMs } from '../../platform/tracing.ts';
import { fingerprintOf, hashOfKey } from './rules.ts';
import type { Answer } from './service.ts';

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
  metrics: Metrics;
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
    sizes: options.metrics.flushSize,
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
