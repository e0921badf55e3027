import type { Clock } from '../platform/clock.ts';
import type { Database } from '../platform/db.ts';
import type { Tables } from '../tables.ts';
import { deletedBefore } from './rules.ts';
import { deleteOldBatch } from './store/expiry.ts';

/** How often a worker deletes old messages and attempts. */
export const DELETE_OLD_INTERVAL_MS = 10 * 60_000;
const BATCH = 1_000;

/** Safe to run on any number of workers at once. */
export async function deleteOldWebhooks(db: Database<Tables>, clock: Clock): Promise<void> {
  const before = deletedBefore(clock());
  while ((await deleteOldBatch(db.kysely, before, BATCH)) === BATCH);
}
