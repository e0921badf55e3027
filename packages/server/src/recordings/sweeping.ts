import type { Clock } from '../platform/clock.ts';
import type { Database } from '../platform/db.ts';
import type { Jobs } from '../platform/jobs.ts';
import type { Objects } from '../platform/objects.ts';
import type { Tables } from '../tables.ts';
import { PROCESS_RECORDING } from './jobs.ts';
import { originalPrefixOf, prefixOf } from './keys.ts';
import { ABANDONED_AFTER_MS, PAGE_LIFE_MS, UNQUEUED_AFTER_MS, UNSEEN_FILES_MS, UPLOAD_LIFE_MS } from './rules.ts';
import { discardStale, findOldOriginals, findUnseen, markDeleted, markOriginalDeleted, takeStranded } from './store.ts';

/** How often a worker looks for takes that no job will bring, and for files that nobody needs. */
export const STRANDED_INTERVAL_MS = 1_000;
export const FILES_INTERVAL_MS = 10 * 60_000;
const BATCH = 100;
const DAY_MS = 24 * 3_600_000;

const before = (now: Date, ms: number) => new Date(now.getTime() - ms);

/** Nothing that was received waits for ever: a take without a job, or without its worker, gets another one. */
export async function requeueStranded(db: Database<Tables>, jobs: Jobs, clock: Clock): Promise<void> {
  await db.kysely.transaction().execute(async (tx) => {
    const now = clock();
    const times = {
      now,
      unqueuedBefore: before(now, UNQUEUED_AFTER_MS),
      abandonedBefore: before(now, ABANDONED_AFTER_MS),
    };
    for (const { organization_id, id } of await takeStranded(tx, times, BATCH)) {
      await jobs.sendWithin(tx, PROCESS_RECORDING, { organizationId: organization_id, id });
    }
  });
}

/** Files go first and the row says so afterwards: a crash in between deletes them again, which does no harm. */
export async function sweepFiles(deps: {
  db: Database<Tables>;
  objects: Objects;
  clock: Clock;
  originalsDays: number;
}): Promise<void> {
  const { db, objects, clock } = deps;
  const now = clock();
  await discardStale(db.kysely, before(now, UPLOAD_LIFE_MS), now);
  const seen = { touchedBefore: before(now, UNSEEN_FILES_MS), sentBefore: before(now, PAGE_LIFE_MS) };
  for (const key of await findUnseen(db.kysely, seen, BATCH)) {
    await objects.deleteAll(prefixOf(key));
    await markDeleted(db.kysely, key, now);
  }
  for (const key of await findOldOriginals(db.kysely, before(now, deps.originalsDays * DAY_MS), BATCH)) {
    await objects.deleteAll(originalPrefixOf(key));
    await markOriginalDeleted(db.kysely, key, now);
  }
}
