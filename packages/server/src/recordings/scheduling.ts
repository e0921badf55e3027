import type { IntroStatus } from '@foreword/contract';
import { everyHint, type Hinted } from '../db/listener.ts';
import type { Tenant, Tx } from '../db/tenancy.ts';
import { before, type Clock } from '../platform/clock.ts';
import { ApiError } from '../platform/errors.ts';
import type { Schedule } from '../platform/schedule.ts';
import { type ActiveTake, Postponed, type ProcessingDeps, work } from './processing.ts';
import {
  ABANDONED_AFTER_MS,
  type EncoderSlots,
  isOpen,
  PREVIEW_OVERDUE_MS,
  PREVIEW_RETRY_MS,
  PREVIEW_WANTED_MS,
  RETRY_DELAY,
  RETRY_PATIENCE_MS,
  roomBeside,
} from './rules.ts';
import { claimNext, claimUnpreviewed, releaseAbandoned, requeueRefused } from './store/processing.ts';
import { findLatest, notifyTakesWaiting, type RecordingRow, TAKES_WAITING } from './store/uploads.ts';

export type RecordingProcessor = ReturnType<typeof createRecordingProcessor>;

/** Chooses which takes are encoded when. The recordings table is the queue of all media workers (docs/decisions/0011). */
export function createRecordingProcessor(deps: ProcessingDeps & { readonly slots: EncoderSlots }) {
  const { db, clock, log, slots } = deps;
  const active = new Map<ActiveTake, Promise<void>>();
  let isStopping = false;
  let isWanted = false;
  let starting: Promise<void> | undefined;

  const encoding = (except?: ActiveTake) =>
    [...active.keys()]
      .filter((take) => take !== except)
      .map(({ row, isHeavy }) => ({ organizationId: row.organization_id, isHeavy }));

  function begin(row: RecordingRow): void {
    const take: ActiveTake = {
      row,
      stop: new AbortController(),
      // A preview costs little.
      isHeavy: row.status === 'ready' ? false : row.heavy,
      cpuMs: row.cpu_ms,
      onInspected() {
        const isAllowed = !take.isHeavy || roomBeside(encoding(take), slots)?.allowsHeavy;
        if (!isAllowed) take.stop.abort(new Postponed());
        // It no longer uses a slot for ordinary takes.
        else if (take.isHeavy) startNext();
      },
    };
    const done = work(deps, take)
      .catch((err: unknown) => log.error({ err, recording: row.id }, 'recording not settled'))
      .finally(() => {
        active.delete(take);
        startNext();
      });
    active.set(take, done);
    if (isStopping) take.stop.abort(new Postponed());
  }

  function startNext(): void {
    startWaiting().catch((err: unknown) => log.warn({ err }, 'could not start the next recording'));
  }

  async function next(): Promise<RecordingRow | null> {
    const room = roomBeside(encoding(), slots);
    if (room === null) return null;
    const now = clock();
    const claimed = await claimNext(db.kysely, room, { now, patientSince: before(now, RETRY_PATIENCE_MS) });
    if (claimed !== null) return claimed;
    return claimUnpreviewed(db.kysely, {
      now,
      wantedSince: before(now, PREVIEW_WANTED_MS),
      overdueBefore: before(now, PREVIEW_OVERDUE_MS),
      failedBefore: before(now, PREVIEW_RETRY_MS),
    });
  }

  async function fill(): Promise<void> {
    try {
      while (isWanted && !isStopping) {
        isWanted = false;
        const now = clock();
        const times = { now, abandonedBefore: before(now, ABANDONED_AFTER_MS) };
        for (const { id, worker_deaths: deaths } of await releaseAbandoned(db.kysely, times, RETRY_DELAY))
          log.warn({ recording: id, deaths }, 'the worker of a recording died; it is processed again');
        for (let row = await next(); row !== null; row = await next()) begin(row);
      }
    } finally {
      starting = undefined;
    }
  }

  /** Starts waiting takes while slots are free. Returns without waiting for the takes. */
  async function startWaiting(): Promise<void> {
    if (isStopping) return;
    isWanted = true;
    starting ??= fill();
    await starting;
  }

  return {
    startWaiting,
    /** Waits until no slot is used. */
    async finished(): Promise<void> {
      while (active.size > 0 || starting !== undefined) await Promise.allSettled([starting, ...active.values()]);
    },
    /** Returns takes in progress to the queue. */
    async stop(): Promise<void> {
      isStopping = true;
      for (const { stop } of active.keys()) stop.abort(new Postponed());
      await starting?.catch(() => undefined);
      await Promise.allSettled(active.values());
    },
  };
}

/** Finds what no hint reported: retries, takes of a worker that died, and takes that another node had no slot for. */
const POLL_INTERVAL_MS = 1_000;

export const startEncoding = (from: Hinted, { startWaiting: work }: { startWaiting(): Promise<void> }): Schedule =>
  everyHint(from, { channel: TAKES_WAITING, ms: POLL_INTERVAL_MS, name: 'process takes', work });

/** Why the newest take of an intro cannot be processed again; null if it can. */
export function explainNotRetried(
  introStatus: IntroStatus,
  take: Pick<RecordingRow, 'status' | 'original_deleted_at'> | null,
): ApiError | null {
  if (!isOpen(introStatus)) {
    return new ApiError('intro_closed', `This intro is ${introStatus}, so nothing more can be recorded for it.`);
  }
  if (take?.status !== 'refused') {
    return new ApiError('recording_not_failed', 'The last take of this intro did not fail. Check its timeline.');
  }
  if (take.original_deleted_at !== null) {
    return new ApiError(
      'recording_not_failed',
      'The last take is no longer stored. Ask the member to record it again.',
    );
  }
  return null;
}

/** Puts the newest take back into the queue, as if it had just arrived. */
export async function retryRecording(
  { clock }: { clock: Clock },
  tx: Tx,
  tenant: Tenant,
  intro: { readonly id: string; readonly status: IntroStatus },
): Promise<void> {
  const take = await findLatest(tx, tenant, intro.id);
  const refusal = explainNotRetried(intro.status, take);
  if (refusal !== null) throw refusal;
  if (take === null || !(await requeueRefused(tx, tenant, take.id, clock()))) {
    throw new ApiError('recording_not_failed', 'The last take of this intro is already being processed.');
  }
  await notifyTakesWaiting(tx);
}
