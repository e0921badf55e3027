import { DAY_MS, MINUTE_MS, PAGE_LIFE_DAYS } from '@foreword/contract';
import type { Services } from '../app/services.ts';
import { before } from '../platform/clock.ts';
import { listDays } from '../privacy/retention/index.ts';
import { originalPrefixOf, prefixOf } from './keys.ts';
import { nextFileCheckAt, UPLOAD_LIFE_MS } from './rules.ts';
import {
  findDueFileChecks,
  findOldOriginals,
  markDeleted,
  markOriginalDeleted,
  scheduleFileCheck,
} from './store/files.ts';
import { discardStale } from './store/uploads.ts';

/** How often a worker sweeps for files that are no longer needed. */
export const FILES_INTERVAL_MS = 10 * MINUTE_MS;
const BATCH = 100;

interface SweepDeps extends Pick<Services, 'db' | 'objects' | 'clock'> {
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

async function sweepUnused({ db, objects, clock }: SweepDeps): Promise<void> {
  const days = await listDays(db.kysely, 'videos', clock());
  const daysOf = new Map(days.map(({ tenant, days: kept }) => [tenant.organizationId, kept]));
  await forEachInBatches(
    () => findDueFileChecks(db.kysely, clock(), BATCH),
    async (take) => {
      const now = clock();
      const { status, is_retriable: isRetriable, is_shown: isShown, intro_status: introStatus, sent_at: sentAt } = take;
      const keptDays = daysOf.get(take.organization_id) ?? PAGE_LIFE_DAYS;
      const shown = { isReady: status === 'ready', isRetriable, isShown, introStatus, sentAt, keptDays };
      const nextCheckAt = nextFileCheckAt(shown, now);
      if (nextCheckAt !== null) return scheduleFileCheck(db.kysely, take, nextCheckAt);
      await objects.deleteAll(prefixOf(take));
      await markDeleted(db.kysely, take, now);
    },
  );
}

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
