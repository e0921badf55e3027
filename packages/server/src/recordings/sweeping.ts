import type { Clock } from '../platform/clock.ts';
import type { Database } from '../platform/db.ts';
import type { Jobs } from '../platform/jobs.ts';
import type { Objects } from '../platform/objects.ts';
import type { Tables } from '../tables.ts';
import { PROCESS_RECORDING } from './jobs.ts';
import { originalPrefixOf, prefixOf } from './keys.ts';
import {
  ABANDONED_AFTER_MS,
  nextLookAt,
  PREVIEW_OVERDUE_MS,
  PREVIEW_RETRY_MS,
  PREVIEW_WANTED_MS,
  UNQUEUED_AFTER_MS,
  UPLOAD_LIFE_MS,
} from './rules.ts';
import {
  discardStale,
  findFilesToJudge,
  findOldOriginals,
  lookAgain,
  markDeleted,
  markOriginalDeleted,
  takeStranded,
} from './store.ts';
import { takeUnpreviewed } from './unpreviewed.ts';

/** How often a worker looks for takes that no job will bring, and for files that nobody needs. */
export const STRANDED_INTERVAL_MS = 1_000;
export const FILES_INTERVAL_MS = 10 * 60_000;
const BATCH = 100;
const DAY_MS = 24 * 3_600_000;

const before = (now: Date, ms: number) => new Date(now.getTime() - ms);

/**
 * Nothing that was received waits for ever: a take without a job, or without its worker, gets another one. So does a video
 * whose preview was not made.
 */
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

/** Each batch moves its rows out of the look-up, so that it ends when nothing is left to do. */
async function whileFull<Row>(find: () => Promise<Row[]>, each: (row: Row) => Promise<void>): Promise<void> {
  let found: Row[];
  do {
    found = await find();
    for (const row of found) await each(row);
  } while (found.length === BATCH);
}

const sweepUnseen = ({ db, objects, clock }: SweepDeps): Promise<void> =>
  whileFull(
    () => findFilesToJudge(db.kysely, clock(), BATCH),
    async (take) => {
      const now = clock();
      const { status, is_shown: isShown, intro_status: introStatus, sent_at: sentAt } = take;
      const again = nextLookAt({ isReady: status === 'ready', isShown, introStatus, sentAt }, now);
      if (again !== null) return lookAgain(db.kysely, take, again);
      await objects.deleteAll(prefixOf(take));
      await markDeleted(db.kysely, take, now);
    },
  );

const sweepOriginals = ({ db, objects, clock, originalsDays }: SweepDeps): Promise<void> =>
  whileFull(
    () => findOldOriginals(db.kysely, before(clock(), originalsDays * DAY_MS), BATCH),
    async (key) => {
      await objects.deleteAll(originalPrefixOf(key));
      await markOriginalDeleted(db.kysely, key, clock());
    },
  );

/**
 * Files go first and the row says so afterwards: a crash in between, or another node at the same time, deletes them again,
 * which does no harm.
 */
export async function sweepFiles(deps: SweepDeps): Promise<void> {
  const now = deps.clock();
  await discardStale(deps.db.kysely, before(now, UPLOAD_LIFE_MS), now);
  // One that fails must not keep the other from its work.
  const outcomes = await Promise.allSettled([sweepUnseen(deps), sweepOriginals(deps)]);
  for (const outcome of outcomes) if (outcome.status === 'rejected') throw outcome.reason;
}
