/** Connects events and intros with their traces. */

import type pg from 'pg';
import { createTracer, type SpanContext, type Tracer } from '../platform/tracing.ts';
import { insertTraces, type ObjectKey, readTraces } from './store.ts';

export { deleteOldTraces, TRACES_INTERVAL_MS } from './store.ts';

/** Connects what happens to an event or intro later with the request that created it. Costs nothing while traces are off. */
export interface Traces extends Pick<Tracer, 'end'> {
  /** Call it before the object can be seen, or in the same transaction. */
  remember(
    client: Pick<pg.ClientBase, 'query'>,
    objects: readonly (ObjectKey & { readonly span: SpanContext | undefined })[],
  ): Promise<void>;
  /** The spans of those objects that have one, by id. For a transaction, which an error has to end. */
  find(client: Pick<pg.ClientBase, 'query'>, keys: readonly ObjectKey[]): Promise<ReadonlyMap<string, SpanContext>>;
  /** The same outside of a transaction: work that does not depend on traces continues without them. */
  findIfPossible(pool: pg.Pool, keys: readonly ObjectKey[]): Promise<ReadonlyMap<string, SpanContext>>;
}

const NONE_FOUND: ReadonlyMap<string, SpanContext> = new Map();

export function createTraces(tracer: Tracer): Traces {
  const find: Traces['find'] = async (client, keys) =>
    tracer.isOn && keys.length > 0 ? readTraces(client, keys) : NONE_FOUND;
  return {
    end: tracer.end,
    async remember(client, objects) {
      if (!tracer.isOn) return;
      const traced = objects.flatMap(({ span, ...key }) => (span === undefined ? [] : [{ ...key, span }]));
      if (traced.length > 0) await insertTraces(client, traced);
    },
    find,
    findIfPossible: (pool, keys) => find(pool, keys).catch(() => NONE_FOUND),
  };
}

/** While traces are off. */
export const NO_TRACES = createTraces(createTracer(undefined));
