import { setImmediate as nextLoopTurn, setTimeout as pause } from 'node:timers/promises';
import type { Services } from '../../app/services.ts';
import { everyHint, type Hinted } from '../../db/listener.ts';
import { isTransient } from '../../db/pools.ts';
import { type Tenant, tenantOf } from '../../db/tenancy.ts';
import { MAX_BATCH } from '../../http/idempotency/index.ts';
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
import { listWaiting, splitWaiting, takeWaiting } from './store/processing.ts';
import { EVENTS_WAITING } from './store.ts';

/** Finds what no hint reported, such as the events of a worker that died. */
const FIND_INTERVAL_MS = 5_000;
/** The first event after a quiet period is processed at once; those that arrive in this pause share one transaction. */
const GATHER_MS = 20;
/** Rows of the queue per transaction: large enough to be cheap per event, small enough not to delay concurrent requests. */
const MAX_ROWS = 20;
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
  readonly organizations: readonly Tenant[];
  /** How many rows of the queue are taken from each of them. */
  readonly rowsOfEach: number;
  /** If false, the messages to the members are queued. */
  readonly notifies: boolean;
  decide(event: EventInContext, at: Date): Decided['outcome'];
}

/** Settles events in one transaction with their intros, and decides about the first message to each member. */
async function processBatch(deps: Deps, batch: Batch): Promise<readonly DecidedEvent[]> {
  const { db, clock, traces, erasedOptOuts, notifier } = deps;
  const { organizations, rowsOfEach, notifies, decide } = batch;
  const startMs = spanTimeMs();
  const create = (notify: NotifyMembers) =>
    db.kysely.transaction().execute(async (tx) => {
      const client = clientOf(tx);
      const events = await withErasedOptOuts(
        erasedOptOuts,
        client,
        await takeWaiting(client, organizations, rowsOfEach),
      );
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
  const settled = await notifier.whileCreating(organizations, create);
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
  let maxRows = MAX_ROWS;
  /** False after a batch failed: perhaps a message could not be composed. From the queue, it fails alone. */
  let notifies = true;

  /** Returns whether there may be more. */
  async function processNext(): Promise<boolean> {
    const rows = Math.min(maxRows, Math.max(1, Math.floor((await notifier.capacity()) / MAX_BATCH)));
    const waiting = (await listWaiting(db.pool)).slice(0, rows);
    const [oldest] = waiting;
    if (oldest === undefined) return false;
    try {
      const rowsOfEach = Math.floor(rows / waiting.length);
      const settled = await processBatch(deps, { organizations: waiting, rowsOfEach, notifies, decide: decideIntro });
      maxRows = Math.min(MAX_ROWS, maxRows * 2);
      notifies = true;
      return settled.length > 0;
    } catch (fault) {
      // The transaction was rolled back, so the events still wait.
      if (isTransient(fault)) throw fault;
      if (notifies) notifies = false;
      else if (maxRows > 1) maxRows = Math.ceil(maxRows / 2);
      else if (oldest.size > 1) await splitWaiting(db.pool, oldest);
      else return await fail(oldest, fault);
      return true;
    }
  }

  /** An event that cannot be processed must not block the others. */
  async function fail(oldest: Tenant, cause: unknown): Promise<boolean> {
    const decide = () => failure('processing_failed');
    const [failed] = await processBatch(deps, { organizations: [oldest], rowsOfEach: 1, notifies, decide });
    if (failed === undefined) return false;
    const { event_id: event, organization_id: organization } = failed.found;
    log.error({ event, organization, err: cause }, 'event failed');
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
