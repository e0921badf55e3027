/** Connects events and intros with their traces. */

import type pg from 'pg';
import type { ObjectOfTenant } from '../../db/tenancy.ts';
import type { Span, SpanContext, SpanKind, Tracer } from '../../platform/tracing.ts';
import { insertTraces, readTraces } from './store.ts';

export { deleteOldTraces, TRACES_INTERVAL_MS } from './store.ts';

const NONE_FOUND: ReadonlyMap<string, SpanContext> = new Map();

/** Connects what happens to an event or intro later with the request that created it. Costs nothing while traces are off. */
export function createTraces(tracer: Tracer | undefined) {
  /** The spans of those objects that have one, by id. For a transaction, which an error has to end. */
  const find = async (
    client: Pick<pg.ClientBase, 'query'>,
    keys: readonly ObjectOfTenant[],
  ): Promise<ReadonlyMap<string, SpanContext>> =>
    tracer !== undefined && keys.length > 0 ? readTraces(client, keys) : NONE_FOUND;
  /** The same outside of a transaction: work that does not depend on traces continues without them. */
  const findIfPossible = (pool: pg.Pool, keys: readonly ObjectOfTenant[]) => find(pool, keys).catch(() => NONE_FOUND);
  const start = (name: string, kind: SpanKind, parent: SpanContext | undefined, startMs?: number): Span | undefined =>
    parent && tracer?.start(name, kind, parent, startMs);
  return {
    /** Undefined without a parent. */
    start,
    /** Call it before the object can be seen, or in the same transaction. */
    async remember(
      client: Pick<pg.ClientBase, 'query'>,
      objects: readonly (ObjectOfTenant & { readonly span: Span | undefined })[],
    ): Promise<void> {
      if (tracer === undefined) return;
      const traced = objects.flatMap(({ span, ...key }) =>
        span === undefined ? [] : [{ ...key, span: span.spanContext() }],
      );
      if (traced.length > 0) await insertTraces(client, traced);
    },
    find,
    findIfPossible,
    /** A span of work on the object. Undefined unless the object is traced. */
    async startFor(pool: pg.Pool, key: ObjectOfTenant, name: string, kind: SpanKind): Promise<Span | undefined> {
      return start(name, kind, (await findIfPossible(pool, [key])).get(key.id));
    },
  };
}

export type Traces = ReturnType<typeof createTraces>;
