import { setImmediate as nextLoopTurn } from 'node:timers/promises';
import type pg from 'pg';
import { type ErasedNumbers, type IntroEvents, insertIntros, type NewIntroRow, toRow } from '../intros/index.ts';
import type { Clock } from '../platform/clock.ts';
import { type Database, inTransaction, isTransient, queryableOf } from '../platform/db.ts';
import { createdAtOf } from '../platform/ids.ts';
import type { Logger } from '../platform/log.ts';
import type { Metrics } from '../platform/metrics.ts';
import { type OpenSpan, spanTimeMs, startSpan } from '../platform/tracing.ts';
import type { Tables, Tenant } from '../tables.ts';
import { onTestClock } from '../test-clock/index.ts';
import type { Traces } from '../traces/index.ts';
import type { DomainEvent } from '../webhooks/index.ts';
import { decide, type EventInContext, failure, isFailure } from './decision.ts';
import { retrieveEvent } from './service.ts';
import { type EventKey, findWaiting, type Outcome, settleEvents, takeAccepted } from './store/processing.ts';

/** Finds events whose job was lost in a crash. Normally the job wakes a worker within milliseconds. */
export const SWEEP_INTERVAL_MS = 5_000;
/** Events per transaction: large enough to be cheap per event, small enough not to delay concurrent requests. */
const BATCH = 128;
/** Rendering takes about 10 µs per event on the thread that serves requests, so the loop yields after this many. */
const DECIDE_AT_ONCE = 16;
const LOOK_AHEAD = 512;

export interface EventProcessor {
  /** Processes pending events, oldest first, until none are left that another worker has not locked. */
  processWaiting(): Promise<void>;
  isRunning(): boolean;
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
  /** Waits while requests are being accepted, because they take precedence. */
  yieldToRequests(): Promise<void>;
}

function toDomainEvents(
  introEvents: IntroEvents,
  client: pg.ClientBase,
  { tenant, outcome, at }: Settled,
): DomainEvent[] {
  const { id, intro_id: introId } = outcome;
  const data = () => retrieveEvent(queryableOf<Tables>(client), tenant, id);
  if (introId === null) return [{ tenant, type: 'touchpoint_event.failed', data, at }];
  return [
    { tenant, type: 'touchpoint_event.processed', data, at },
    introEvents.toDomainEvent(client, { tenant, introId, type: 'intro.requested', at }),
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
async function processBatch(deps: Deps, keys: readonly EventKey[]): Promise<number> {
  const { db, clock, metrics, introEvents, erasedOptOuts } = deps;
  const startMs = spanTimeMs();
  let spans: ReadonlyMap<string, OpenSpan> = new Map();
  const outcomes = await inTransaction(db.pool, async (client) => {
    const events = await withRestoredOptOuts(erasedOptOuts, client, await takeAccepted(client, keys));
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
      settled.flatMap((one) => toDomainEvents(introEvents, client, one)),
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

async function fail({ db, clock, metrics, log, introEvents }: Deps, key: EventKey, cause: unknown): Promise<number> {
  const [organization_id, id] = key;
  const { code: error_code, message: error_message } = failure('processing_failed');
  await inTransaction(db.pool, async (client) => {
    const [event] = await takeAccepted(client, [key]);
    if (event === undefined) return;
    const outcome: Outcome = { organization_id, id, intro_id: null, error_code, error_message };
    const now = clock();
    const tenant: Tenant = { organizationId: organization_id, environment: event.environment };
    const at = onTestClock(now, event.clock_offset_s);
    await settleEvents(client, [outcome], now);
    await introEvents.publishAll(client, toDomainEvents(introEvents, client, { tenant, outcome, at }), now);
  });
  metrics.eventsSettled.inc({ status: 'failed' });
  log.error({ event: id, organization: organization_id, err: cause }, 'event failed');
  return 1;
}

/** Isolates an event that cannot be processed: halves the batch until only that event fails. */
async function processIsolating(deps: Deps, keys: readonly EventKey[]): Promise<number> {
  try {
    return await processBatch(deps, keys);
  } catch (fault) {
    // The transaction was rolled back, and the job is retried with backoff.
    if (isTransient(fault)) throw fault;
    const [only] = keys;
    if (keys.length === 1 && only !== undefined) return fail(deps, only, fault);
    const middle = Math.ceil(keys.length / 2);
    return (await processIsolating(deps, keys.slice(0, middle))) + (await processIsolating(deps, keys.slice(middle)));
  }
}

async function processAll(deps: Deps, isStopped: () => boolean): Promise<void> {
  let settled: number;
  do {
    const keys = await findWaiting(deps.db.pool, LOOK_AHEAD);
    settled = 0;
    for (let start = 0; start < keys.length; start += BATCH) {
      await deps.yieldToRequests();
      if (isStopped()) return;
      settled += await processIsolating(deps, keys.slice(start, start + BATCH));
    }
  } while (settled > 0);
}

export function createEventProcessor(deps: Deps): EventProcessor {
  let stopped = false;
  // Only one run per process. A call during a run may be about an event that its query missed, so the run starts over.
  let requested = false;
  let running: Promise<void> | undefined;
  async function run(): Promise<void> {
    try {
      while (requested && !stopped) {
        requested = false;
        await processAll(deps, () => stopped);
      }
    } finally {
      running = undefined;
    }
  }
  return {
    processWaiting() {
      requested = true;
      running ??= run();
      return running;
    },
    isRunning: () => running !== undefined,
    async stop() {
      stopped = true;
      // The caller that started the run gets its error.
      await running?.catch(() => undefined);
    },
  };
}
