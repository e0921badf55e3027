import { setImmediate as nextLoopTurn, setTimeout as pause } from 'node:timers/promises';
import type pg from 'pg';
import { type ErasedNumbers, type IntroEvents, insertIntros, type NewIntroRow, toRow } from '../intros/index.ts';
import type { Clock } from '../platform/clock.ts';
import { type Connection, type Database, inTransaction, isTransient } from '../platform/db.ts';
import type { Hints } from '../platform/hints.ts';
import { createdAtOf } from '../platform/ids.ts';
import { listen } from '../platform/listener.ts';
import type { Logger } from '../platform/log.ts';
import type { Metrics } from '../platform/metrics.ts';
import { every } from '../platform/schedule.ts';
import { type OpenSpan, spanTimeMs, startSpan } from '../platform/tracing.ts';
import type { Tables, Tenant } from '../tables.ts';
import { onTestClock } from '../test-clock/index.ts';
import type { Traces } from '../traces/index.ts';
import type { DomainEvent } from '../webhooks/index.ts';
import { decide, type EventInContext, failure, isFailure } from './decision.ts';
import { readEventObjects } from './service.ts';
import { listWaiting, type Outcome, settleEvents, type Turn, takeWaiting, type Waiting } from './store/processing.ts';

/** The channel of the hint that reports accepted events to the workers of other nodes. */
const EVENTS_WAITING = 'foreword_events';
/** Finds what no hint reported, such as the events of a worker that died. */
const FIND_INTERVAL_MS = 5_000;
/** The first event after a quiet period is processed at once; those that arrive in this pause share one transaction. */
const GATHER_MS = 20;
/** Events per transaction: large enough to be cheap per event, small enough not to delay concurrent requests. */
const BATCH = 256;
/** Rendering takes about 10 µs per event on the thread that serves requests, so the loop yields after this many. */
const DECIDE_AT_ONCE = 16;

export interface EventProcessor {
  /** Processes events as they are accepted. */
  start(from: { readonly direct: Connection; readonly hints: Hints }): void;
  /** Finishes the current batch and starts no other. */
  stop(): Promise<void>;
}

interface Deps {
  readonly db: Database<Tables>;
  readonly clock: Clock;
  readonly metrics: Metrics;
  readonly traces: Traces;
  readonly log: Logger;
  readonly introEvents: IntroEvents;
  readonly erasedOptOuts: Pick<ErasedNumbers, 'restore'>;
}

function toDomainEvents(introEvents: IntroEvents, { tenant, outcome, at }: Settled): DomainEvent[] {
  const { id, intro_id: introId } = outcome;
  const event = { tenant, id, read: readEventObjects, at };
  if (introId === null) return [{ ...event, type: 'touchpoint_event.failed' }];
  return [
    { ...event, type: 'touchpoint_event.processed' },
    introEvents.toDomainEvent({ tenant, introId, type: 'intro.requested', at }),
  ];
}

interface Settled {
  readonly tenant: Tenant;
  readonly outcome: Outcome;
  /** On the clock of its organization. */
  readonly at: Date;
}

function settle(event: EventInContext, now: Date, intros: NewIntroRow[]): Settled {
  const { organization_id, environment, id } = event;
  const tenant: Tenant = { organizationId: organization_id, environment };
  const at = onTestClock(now, event.clock_offset_s);
  const decision = decide(event);
  if (isFailure(decision)) {
    const { code: error_code, message: error_message } = decision;
    return { tenant, outcome: { organization_id, id, intro_id: null, error_code, error_message }, at };
  }
  const row = toRow(tenant, decision, at);
  intros.push(row);
  return { tenant, outcome: { organization_id, id, intro_id: row.id, error_code: null, error_message: null }, at };
}

/** The opt-out of an erased number applies again when the number comes back. */
async function withRestoredOptOuts(
  erasedOptOuts: Deps['erasedOptOuts'],
  client: pg.ClientBase,
  events: readonly EventInContext[],
): Promise<EventInContext[]> {
  const numbers = events.map(({ organization_id: organizationId, environment, request }) => ({
    tenant: { organizationId, environment },
    phone: request.recipient.phone,
  }));
  const restored = new Set(await erasedOptOuts.restore(client, numbers));
  return events.map((event, i) => (restored.has(i) ? { ...event, recipient_opted_out: true } : event));
}

/** The spans of those events that are traced, by the event's id. Each one's intro continues its trace. */
async function startSpans(
  { traces }: Deps,
  client: pg.ClientBase,
  settled: readonly Settled[],
  startMs: number,
): Promise<ReadonlyMap<string, OpenSpan>> {
  const found = await traces.find(
    client,
    settled.map(({ tenant, outcome: { id } }) => ({ tenant, id })),
  );
  const spans = new Map([...found].map(([id, parent]) => [id, startSpan(parent, startMs)]));
  await traces.remember(
    client,
    settled.flatMap(({ tenant, outcome: { id, intro_id } }) =>
      intro_id === null ? [] : [{ tenant, id: intro_id, span: spans.get(id) }],
    ),
  );
  return spans;
}

function endSpans({ traces }: Deps, spans: ReadonlyMap<string, OpenSpan>, settled: readonly Settled[]): void {
  for (const { outcome } of settled) {
    const span = spans.get(outcome.id);
    if (span === undefined) continue;
    traces.end(span, {
      name: 'process event',
      kind: 'consumer',
      attributes: {
        'foreword.event.id': outcome.id,
        'foreword.intro.id': outcome.intro_id,
        'foreword.batch.size': settled.length,
        'error.type': outcome.error_code,
      },
    });
  }
}

/** Commits events and their intros in one transaction. Returns the number of settled events. */
async function processBatch(deps: Deps, turns: readonly Turn[]): Promise<number> {
  const { db, clock, metrics, introEvents, erasedOptOuts } = deps;
  const startMs = spanTimeMs();
  let spans: ReadonlyMap<string, OpenSpan> = new Map();
  const outcomes = await inTransaction(db.pool, async (client) => {
    const events = await withRestoredOptOuts(erasedOptOuts, client, await takeWaiting(client, turns));
    const now = clock();
    const intros: NewIntroRow[] = [];
    const settled: Settled[] = [];
    for (const event of events) {
      if (settled.length > 0 && settled.length % DECIDE_AT_ONCE === 0) await nextLoopTurn();
      settled.push(settle(event, now, intros));
    }
    if (settled.length === 0) return settled;
    spans = await startSpans(deps, client, settled, startMs);
    await insertIntros(client, intros);
    await settleEvents(
      client,
      settled.map(({ outcome }) => outcome),
      now,
    );
    await introEvents.publishAll(
      client,
      settled.flatMap((one) => toDomainEvents(introEvents, one)),
      now,
    );
    return settled;
  });
  endSpans(deps, spans, outcomes);
  const doneMs = clock().getTime();
  for (const { outcome } of outcomes) {
    const acceptedMs = createdAtOf(outcome.id)?.getTime() ?? doneMs;
    metrics.eventProcessing.observe(Math.max(0, doneMs - acceptedMs) / 1_000);
  }
  const failed = outcomes.filter(({ outcome }) => outcome.error_code !== null);
  metrics.eventsSettled.inc({ status: 'processed' }, outcomes.length - failed.length);
  metrics.eventsSettled.inc({ status: 'failed' }, failed.length);
  return outcomes.length;
}

/** Fails the oldest event of an organization, which cannot be processed, so that it does not block the others. */
async function failOldest({ db, clock, metrics, log, introEvents }: Deps, turn: Turn, cause: unknown): Promise<number> {
  const { code: error_code, message: error_message } = failure('processing_failed');
  const { organizationId: organization_id } = turn.tenant;
  const id = await inTransaction(db.pool, async (client) => {
    const [event] = await takeWaiting(client, [{ ...turn, share: 1 }]);
    if (event === undefined) return null;
    const outcome: Outcome = { organization_id, id: event.id, intro_id: null, error_code, error_message };
    const now = clock();
    const at = onTestClock(now, event.clock_offset_s);
    await settleEvents(client, [outcome], now);
    await introEvents.publishAll(client, toDomainEvents(introEvents, { tenant: turn.tenant, outcome, at }), now);
    return event.id;
  });
  if (id === null) return 0;
  metrics.eventsSettled.inc({ status: 'failed' });
  log.error({ event: id, organization: organization_id, err: cause }, 'event failed');
  return 1;
}

/** Each organization gets the same share of a batch. */
function shareOut(waiting: readonly Waiting[], batch: number): Turn[] {
  const share = Math.max(1, Math.floor(batch / waiting.length));
  return waiting.slice(0, batch).map(({ tenant }) => ({ tenant, share }));
}

export function createEventProcessor(deps: Deps): EventProcessor {
  const { db, log } = deps;
  let isStopping = false;
  /** Smaller after a batch failed: halving it isolates an event that cannot be processed. */
  let batch = BATCH;

  /** Returns whether there may be more. */
  async function processNext(): Promise<boolean> {
    const turns = shareOut(await listWaiting(db.pool), batch);
    const [first] = turns;
    if (first === undefined) return false;
    try {
      const settled = await processBatch(deps, turns);
      batch = Math.min(BATCH, batch * 2);
      return settled > 0;
    } catch (fault) {
      // The transaction was rolled back, so the events still wait.
      if (isTransient(fault)) throw fault;
      if (batch === 1) return (await failOldest(deps, first, fault)) > 0;
      batch = Math.ceil(batch / 2);
      return true;
    }
  }

  async function processAll(): Promise<void> {
    while (!isStopping && (await processNext()));
    await pause(GATHER_MS);
  }

  let stopAll: () => Promise<void> = async () => undefined;
  return {
    start({ direct: connection, hints }) {
      const processing = every(FIND_INTERVAL_MS, 'process events', log, processAll);
      hints.on(EVENTS_WAITING, processing.wake);
      const listener = listen({
        ...{ connection, channel: EVENTS_WAITING },
        ...{ onNotification: processing.wake, onGap: processing.wake },
      });
      stopAll = async () => {
        await listener.close();
        await processing.stop();
      };
    },
    async stop() {
      isStopping = true;
      await stopAll();
    },
  };
}
