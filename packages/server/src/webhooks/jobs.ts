import type { Clock } from '../platform/clock.ts';
import type { Database } from '../platform/db.ts';
import type { Tables } from '../tables.ts';
import { forgottenBefore } from './rules.ts';
import { forget } from './store.ts';

/** How often a worker looks for what is old enough to be forgotten. */
export const DELETE_OLD_INTERVAL_MS = 10 * 60_000;
const BATCH = 1_000;

/** Any number of workers may run it at the same time: what one has deleted the other does not find. */
export async function deleteOldWebhooks(db: Database<Tables>, clock: Clock): Promise<void> {
  const before = forgottenBefore(clock());
  while ((await forget(db.kysely, before, BATCH)) === BATCH);
}
