import { setImmediate as nextTurn } from 'node:timers/promises';
import type pg from 'pg';
import { type IntroEvents, insertIntros, type NewIntroRow, toRow } from '../intros/index.ts';
import type { Clock } from '../platform/clock.ts';
import { type Database, inTransaction, isTransient, queryableOf } from '../platform/db.ts';
import type { Logger } from '../platform/log.ts';
import type { Metrics } from '../platform/metrics.ts';
import type { Tables, Tenant } from '../tables.ts';
import { type DomainEvent, publish } from '../webhooks/index.ts';
import { decide, type EventInContext, failure, isFailure } from './decision.ts';
import { retrieveEvent } from './service.ts';
import { type EventKey, findWaiting, type Outcome, settleEvents, takeAccepted } from './store.ts';

/** A job that wakes the worker comes within milliseconds; when a crash swallowed it, this finds the events. */
export const SWEEP_INTERVAL_MS = 5_000;
/** What one transaction takes: enough to be cheap for each, few enough that requests in between hardly notice. */
const BATCH = 128;
/** How many are decided before requests get a turn: rendering takes some 10 µs each, and one thread does both. */
const DECIDE_AT_ONCE = 16;
/** How many are looked up at once. */
const LOOK_AHEAD = 512;

export interface EventProcessor {
  /** Whatever waits, oldest first, until nothing does that no other worker has in hand. */
  processWaiting(): Promise<void>;
  /** Whether it is at it right now: what comes after it may wait. */
  isRunning(): boolean;
  /** Finishes the batch under way and begins no other. */
  stop(): Promise<void>;
}

export function createEventProcessor(deps: {
  db: Database<Tables>;
  clock: Clock;
  metrics: Metrics;
  log: Logger;
  introEvents: IntroEvents;
  /** Resolves when it is this work's turn: accepting goes first. */
  yieldToRequests(): Promise<void>;
}): EventProcessor {
  const { db, clock, metrics, log, yieldToRequests, introEvents } = deps;

  /** What there is to tell of an event: what became of it, and the intro it made. */
  function changesOf(client: pg.ClientBase, { organization_id, id, intro_id: introId }: Outcome): DomainEvent[] {
    const tenant: Tenant = { organizationId: organization_id, environment: 'test' };
    const data = () => retrieveEvent(queryableOf<Tables>(client), tenant, id);
    if (introId === null) return [{ tenant, type: 'touchpoint_event.failed', data }];
    return [
      { tenant, type: 'touchpoint_event.processed', data },
      introEvents.toDomainEvent(client, { tenant, introId, type: 'intro.requested' }),
    ];
  }

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
  async function processTogether(keys: readonly EventKey[]): Promise<number> {
    const outcomes = await inTransaction(db.pool, async (client) => {
      const events = await takeAccepted(client, keys);
      const now = clock();
      const intros: NewIntroRow[] = [];
      const settled: Outcome[] = [];
      for (const event of events) {
        if (settled.length > 0 && settled.length % DECIDE_AT_ONCE === 0) await nextTurn();
        settled.push(settle(event, now, intros));
      }
      if (settled.length === 0) return settled;
      await insertIntros(client, intros);
      await settleEvents(client, settled, now);
      await publish(
        client,
        settled.flatMap((outcome) => changesOf(client, outcome)),
        now,
      );
      return settled;
    });
    const failed = outcomes.filter(({ error_code }) => error_code !== null);
    metrics.eventsSettled.inc({ status: 'processed' }, outcomes.length - failed.length);
    metrics.eventsSettled.inc({ status: 'failed' }, failed.length);
    return outcomes.length;
  }

  async function fail(key: EventKey, cause: unknown): Promise<number> {
    const [organization_id, id] = key;
    const { code: error_code, message: error_message } = failure('processing_failed');
    await inTransaction(db.pool, async (client) => {
      if ((await takeAccepted(client, [key])).length === 0) return;
      const outcome: Outcome = { organization_id, id, intro_id: null, error_code, error_message };
      const now = clock();
      await settleEvents(client, [outcome], now);
      await publish(client, changesOf(client, outcome), now);
    });
    metrics.eventsSettled.inc({ status: 'failed' });
    log.error({ event: id, organization: organization_id, err: cause }, 'event failed');
    return 1;
  }

  /** A poisoned event fails alone: the batch is halved until it stands by itself. */
  async function processApart(keys: readonly EventKey[]): Promise<number> {
    try {
      return await processTogether(keys);
    } catch (fault) {
      // The job comes back later, with backoff; nothing of the batch was written.
      if (isTransient(fault)) throw fault;
      const [only] = keys;
      if (keys.length === 1 && only !== undefined) return fail(only, fault);
      const middle = Math.ceil(keys.length / 2);
      return (await processApart(keys.slice(0, middle))) + (await processApart(keys.slice(middle)));
    }
  }

  let stopped = false;
  async function processAll(): Promise<void> {
    let settled: number;
    do {
      const keys = await findWaiting(db.pool, LOOK_AHEAD);
      settled = 0;
      for (let start = 0; start < keys.length; start += BATCH) {
        await yieldToRequests();
        if (stopped) return;
        settled += await processApart(keys.slice(start, start + BATCH));
      }
    } while (settled > 0);
  }

  // Two at once in this process would only take turns with each other. Whoever calls meanwhile may know of an event that
  // the look-up was too early for, so there is another round.
  let wanted = false;
  let running: Promise<void> | undefined;
  async function run(): Promise<void> {
    try {
      while (wanted && !stopped) {
        wanted = false;
        await processAll();
      }
    } finally {
      running = undefined;
    }
  }

  return {
    processWaiting() {
      wanted = true;
      running ??= run();
      return running;
    },
    isRunning: () => running !== undefined,
    async stop() {
      stopped = true;
      // Its fault is told by whoever began it.
      await running?.catch(() => undefined);
    },
  };
}
