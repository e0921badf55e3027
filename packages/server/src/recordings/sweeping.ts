import type { Clock } from '../platform/clock.ts';
import type { Database } from '../platform/db.ts';
import type { Jobs } from '../platform/jobs.ts';
import type { Objects } from '../platform/objects.ts';
import type { Tables } from '../tables.ts';
import { PROCESS_RECORDING } from './jobs.ts';
import { originalPrefixOf, prefixOf } from './keys.ts';
import {
  ABANDONED_AFTER_MS,
  nextFileCheckAt,
  PREVIEW_OVERDUE_MS,
  PREVIEW_RETRY_MS,
  PREVIEW_WANTED_MS,
  UNQUEUED_AFTER_MS,
  UPLOAD_LIFE_MS,
} from './rules.ts';
import {
  findDueFileChecks,
  findOldOriginals,
  markDeleted,
  markOriginalDeleted,
  scheduleFileCheck,
} from './store/files.ts';
import { takeStranded, takeUnpreviewed } from './store/processing.ts';
import { discardStale } from './store/uploads.ts';

/** How often a worker sweeps for takes that lost their job, and for files that are no longer needed. */
export const STRANDED_INTERVAL_MS = 1_000;
export const FILES_INTERVAL_MS = 10 * 60_000;
const BATCH = 100;
const DAY_MS = 24 * 3_600_000;

const before = (now: Date, ms: number) => new Date(now.getTime() - ms);

/** Enqueues takes that lost their job or their worker, and videos whose preview was not created. */
export async function requeueStranded(db: Database<Tables>, jobs: Jobs, clock: Clock): Promise<void> {
  await db.kysely.transaction().execute(async (tx) => {
    const now = clock();
    const times = {
      now,
      unqueuedBefore: before(now, UNQUEUED_AFTER_MS),
      abandonedBefore: before(now, ABANDONED_AFTER_MS),
      wantedSince: before(now, PREVIEW_WANTED_MS),
      overdueBefore: before(now, PREVIEW_OVERDUE_MS),
      failedBefore: before(now, PREVIEW_RETRY_MS),
    };
    const stranded = [...(await takeStranded(tx, times, BATCH)), ...(await takeUnpreviewed(tx, times, BATCH))];
    for (const { organization_id, id } of stranded) {
      await jobs.sendWithin(tx, PROCESS_RECORDING, { organizationId: organization_id, id });
    }
  });
}

interface SweepDeps {
  readonly db: Database<Tables>;
  readonly objects: Objects;
  readonly clock: Clock;
  readonly originalsDays: number;
}

/** `each` must take its row out of the result of `find`; otherwise this never ends. */
async function forEachInBatches<Row>(find: () => Promise<Row[]>, each: (row: Row) => Promise<void>): Promise<void> {
  let found: Row[];
  do {
    found = await find();
    for (const row of found) await each(row);
  } while (found.length === BATCH);
}

const sweepUnused = ({ db, objects, clock }: SweepDeps): Promise<void> =>
  forEachInBatches(
    () => findDueFileChecks(db.kysely, clock(), BATCH),
    async (take) => {
      const now = clock();
      const { status, is_shown: isShown, intro_status: introStatus, sent_at: sentAt } = take;
      const nextCheckAt = nextFileCheckAt({ isReady: status === 'ready', isShown, introStatus, sentAt }, now);
      if (nextCheckAt !== null) return scheduleFileCheck(db.kysely, take, nextCheckAt);
      await objects.deleteAll(prefixOf(take));
      await markDeleted(db.kysely, take, now);
    },
  );

const sweepOriginals = ({ db, objects, clock, originalsDays }: SweepDeps): Promise<void> =>
  forEachInBatches(
    () => findOldOriginals(db.kysely, before(clock(), originalsDays * DAY_MS), BATCH),
    async (key) => {
      await objects.deleteAll(originalPrefixOf(key));
      await markOriginalDeleted(db.kysely, key, clock());
    },
  );

/** Deletes files before it marks their rows: after a crash, or on two nodes at once, deleting again does no harm. */
export async function sweepFiles(deps: SweepDeps): Promise<void> {
  const now = deps.clock();
  await discardStale(deps.db.kysely, before(now, UPLOAD_LIFE_MS), now);
  // A failure in one sweep must not stop the other.
  const outcomes = await Promise.allSettled([sweepUnused(deps), sweepOriginals(deps)]);
  for (const outcome of outcomes) if (outcome.status === 'rejected') throw outcome.reason;
}
