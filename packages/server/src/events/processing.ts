import { insertIntros, type NewIntroRow, toRow } from '../intros/index.ts';
import type { Clock } from '../platform/clock.ts';
import { type Database, inTransaction, isTransient } from '../platform/db.ts';
import type { Logger } from '../platform/log.ts';
import type { Metrics } from '../platform/metrics.ts';
import type { Tables } from '../tables.ts';
import { decide, type EventInContext, failure, isFailure } from './decision.ts';
import { type EventKey, findOverdue, type Outcome, settleEvents, takeAccepted } from './store.ts';

/** A job reaches its events within milliseconds; after this long something was lost. */
const OVERDUE_MS = 30_000;
export const SWEEP_INTERVAL_MS = 5_000;
/** What one transaction takes: enough to be cheap for each, few enough that requests in between hardly notice. */
const BATCH = 64;
const SWEEP_BATCH = 1_000;

export interface EventProcessor {
  process(keys: readonly EventKey[]): Promise<void>;
  sweep(): Promise<void>;
}

export function createEventProcessor(deps: {
  db: Database<Tables>;
  clock: Clock;
  metrics: Metrics;
  log: Logger;
  /** Resolves when it is this work's turn: accepting goes first. */
  turn(): Promise<void>;
}): EventProcessor {
  const { db, clock, metrics, log, turn } = deps;

  function settle(event: EventInContext, now: Date, intros: NewIntroRow[]): Outcome {
    const { organization_id, environment, id } = event;
    const decision = decide(event);
    if (isFailure(decision)) {
      return { organization_id, id, intro_id: null, error_code: decision.code, error_message: decision.message };
    }
    const row = toRow({ organizationId: organization_id, environment }, decision, now);
    intros.push(row);
    return { organization_id, id, intro_id: row.id, error_code: null, error_message: null };
  }

  /** Intros and settled events in one commit: no event without its intro, no intro without its event. */
  async function processTogether(keys: readonly EventKey[]): Promise<void> {
    const outcomes = await inTransaction(db.pool, async (client) => {
      const events = await takeAccepted(client, keys);
      const now = clock();
      const intros: NewIntroRow[] = [];
      const settled = events.map((event) => settle(event, now, intros));
      if (settled.length === 0) return settled;
      await insertIntros(client, intros);
      await settleEvents(client, settled, now);
      return settled;
    });
    const failed = outcomes.filter(({ error_code }) => error_code !== null);
    metrics.eventsSettled.inc({ status: 'processed' }, outcomes.length - failed.length);
    metrics.eventsSettled.inc({ status: 'failed' }, failed.length);
  }

  async function fail(key: EventKey, cause: unknown): Promise<void> {
    const [organization_id, id] = key;
    const { code: error_code, message: error_message } = failure('processing_failed');
    await inTransaction(db.pool, async (client) => {
      if ((await takeAccepted(client, [key])).length === 0) return;
      await settleEvents(client, [{ organization_id, id, intro_id: null, error_code, error_message }], clock());
    });
    metrics.eventsSettled.inc({ status: 'failed' });
    log.error({ event: id, organization: organization_id, err: cause }, 'event failed');
  }

  /** A poisoned event fails alone: the batch is halved until it stands by itself. */
  async function processApart(keys: readonly EventKey[]): Promise<void> {
    try {
      await processTogether(keys);
    } catch (fault) {
      // The job comes back later, with backoff; nothing of the batch was written.
      if (isTransient(fault)) throw fault;
      const [only] = keys;
      if (keys.length === 1 && only !== undefined) return fail(only, fault);
      const middle = Math.ceil(keys.length / 2);
      await processApart(keys.slice(0, middle));
      await processApart(keys.slice(middle));
    }
  }

  async function process(keys: readonly EventKey[]): Promise<void> {
    for (let start = 0; start < keys.length; start += BATCH) {
      await turn();
      await processApart(keys.slice(start, start + BATCH));
    }
  }

  return {
    process,
    /** Nothing stays accepted for ever: what no job will bring is found here. */
    async sweep() {
      const before = new Date(clock().getTime() - OVERDUE_MS);
      await process(await findOverdue(db.pool, before, SWEEP_BATCH));
    },
  };
}
