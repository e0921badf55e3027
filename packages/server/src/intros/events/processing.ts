import { setImmediate as nextLoopTurn, setTimeout as pause } from 'node:timers/promises';
import type { Services } from '../../app/services.ts';
import { everyHint, type Hinted } from '../../db/listener.ts';
import { isTransient } from '../../db/pools.ts';
import { tenantOf } from '../../db/tenancy.ts';
import { createdAtOf } from '../../platform/ids.ts';
import type { Schedule } from '../../platform/schedule.ts';
import { endSpan, spanTimeMs } from '../../platform/tracing.ts';
import { onTestClock } from '../../testing/clock/index.ts';
import {
  type CreatedIntro,
  clientOf,
  createIntros,
  type Decided,
  decideIntro,
  type ErasedNumbers,
  type EventInContext,
  failure,
  type IntroEvents,
  isFailure,
  type Notifier,
  type NotifyMembers,
  withErasedOptOuts,
} from '../index.ts';
import { readEventObjects } from './service.ts';
import { listWaiting, splitWaiting, takeWaiting, type Waiting } from './store/processing.ts';
import { EVENTS_WAITING } from './store.ts';

/** Finds what no hint reported, such as the events of a worker that died. */
const FIND_INTERVAL_MS = 5_000;
/** The first event after a quiet period is processed at once; those that arrive in this pause share one transaction. */
const GATHER_MS = 20;
/** Events in one transaction: enough to be cheap for each, and few enough not to delay concurrent requests. */
const MAX_EVENTS = 400;
/** Rendering takes about 10 µs per event on the thread that serves requests, so the loop yields after this many. */
const DECIDE_AT_ONCE = 16;

interface Deps extends Pick<Services, 'db' | 'clock' | 'metrics' | 'traces' | 'log'> {
  readonly introEvents: IntroEvents;
  readonly erasedOptOuts: ErasedNumbers;
  readonly notifier: Notifier;
}

interface DecidedEvent extends Decided {
  readonly found: EventInContext;
}

interface Batch {
  readonly waiting: readonly Waiting[];
  /** How many events are taken from each organization. */
  readonly ofEach: number;
  /** If false, the messages to the members are queued. */
  readonly notifies: boolean;
  decide(event: EventInContext, at: Date): Decided['outcome'];
}

/** Settles events in one transaction with their intros, and decides about the first message to each member. */
async function processBatch(deps: Deps, batch: Batch): Promise<readonly DecidedEvent[]> {
  const { db, clock, traces, erasedOptOuts, notifier } = deps;
  const { waiting, ofEach, notifies, decide } = batch;
  const startMs = spanTimeMs();
  const create = (notify: NotifyMembers) =>
    db.kysely.transaction().execute(async (tx) => {
      const client = clientOf(tx);
      const events = await withErasedOptOuts(erasedOptOuts, client, await takeWaiting(client, waiting, ofEach));
      const parents = await traces.find(
        client,
        events.map((event) => ({ tenant: tenantOf(event), id: event.event_id })),
      );
      const now = clock();
      const decided: DecidedEvent[] = [];
      for (const found of events) {
        if (decided.length > 0 && decided.length % DECIDE_AT_ONCE === 0) await nextLoopTurn();
        const at = onTestClock(now, found.clock_offset_s);
        const event = { id: found.event_id, read: readEventObjects };
        const span = traces.start('process event', 'consumer', parents.get(event.id), startMs);
        decided.push({ found, at, outcome: decide(found, at), event, span });
      }
      const notifyMembers = notifies ? (created: readonly CreatedIntro[]) => notify(tx, created, now) : undefined;
      if (decided.length > 0) await createIntros(deps, client, decided, now, notifyMembers);
      return decided;
    });
  const settled = await notifier.whileCreating(waiting, create);
  report(deps, settled);
  return settled;
}

function report({ clock, metrics }: Deps, settled: readonly DecidedEvent[]): void {
  const doneMs = clock().getTime();
  let failed = 0;
  for (const { found, outcome, span } of settled) {
    const [introId, error] = isFailure(outcome) ? [null, outcome.code] : [outcome.id, null];
    if (error !== null) failed += 1;
    const acceptedMs = createdAtOf(found.event_id)?.getTime() ?? doneMs;
    metrics.eventProcessing.observe(Math.max(0, doneMs - acceptedMs) / 1_000);
    if (span === undefined) continue;
    endSpan(span, {
      attributes: {
        'foreword.event.id': found.event_id,
        'foreword.intro.id': introId,
        'foreword.batch.size': settled.length,
        'error.type': error,
      },
    });
  }
  metrics.eventsSettled.inc({ status: 'processed' }, settled.length - failed);
  metrics.eventsSettled.inc({ status: 'failed' }, failed);
}

export function createEventProcessor(deps: Deps) {
  const { db, log, notifier } = deps;
  let isStopping = false;
  /** Fewer after a batch failed: halving them isolates an event that cannot be processed. */
  let maxEvents = MAX_EVENTS;
  /** False after a batch failed: perhaps a message could not be composed. From the queue, it fails alone. */
  let notifies = true;

  /** Returns whether there may be more. */
  async function processNext(): Promise<boolean> {
    const events = Math.min(maxEvents, await notifier.capacity());
    const waiting = (await listWaiting(db.pool)).slice(0, Math.max(1, events));
    const [oldest] = waiting;
    if (oldest === undefined) return false;
    try {
      const ofEach = Math.floor(events / waiting.length);
      const settled = await processBatch(deps, { waiting, ofEach, notifies, decide: decideIntro });
      maxEvents = Math.min(MAX_EVENTS, maxEvents * 2);
      notifies = true;
      return settled.length > 0;
    } catch (fault) {
      // The transaction was rolled back, so the events still wait.
      if (isTransient(fault)) throw fault;
      if (notifies) notifies = false;
      else if (maxEvents > 1) maxEvents = Math.ceil(maxEvents / 2);
      else if ((oldest.sizes[0] ?? 1) > 1) await splitWaiting(db.pool, oldest);
      else return await fail(oldest, fault);
      return true;
    }
  }

  /** An event that cannot be processed must not block the others. */
  async function fail(oldest: Waiting, cause: unknown): Promise<boolean> {
    // While another worker has it, the next one is taken instead.
    const decide: Batch['decide'] = (found, at) =>
      found.event_id === oldest.oldestId ? failure('processing_failed') : decideIntro(found, at);
    const [settled] = await processBatch(deps, { waiting: [oldest], ofEach: 1, notifies, decide });
    if (settled === undefined) return false;
    const { event_id: event, organization_id: organization } = settled.found;
    if (isFailure(settled.outcome)) log.error({ event, organization, err: cause }, 'event failed');
    return true;
  }

  async function processAll(): Promise<void> {
    while (!isStopping && (await processNext()));
    await pause(GATHER_MS);
  }

  let processing: Schedule | undefined;
  return {
    /** Processes events as they are accepted. */
    start(hinted: Hinted): void {
      processing = everyHint(hinted, {
        ...{ channel: EVENTS_WAITING, ms: FIND_INTERVAL_MS, name: 'process events', work: processAll },
      });
    },
    /** Finishes the current batch and starts no other. */
    async stop(): Promise<void> {
      isStopping = true;
      await processing?.stop();
    },
  };
}
