import type { Clock } from '../platform/clock.ts';
import type { Database } from '../platform/db.ts';
import type { Metrics } from '../platform/metrics.ts';
import type { Tables } from '../tables.ts';
import { moveToExpired } from './store.ts';

/** How often a worker looks for intros whose time is up. */
export const EXPIRY_INTERVAL_MS = 1_000;
const BATCH = 500;

/** Any number of workers may run it at the same time: the statement moves each intro once, whoever comes first. */
export async function expireDue(db: Database<Tables>, clock: Clock, metrics: Metrics): Promise<void> {
  let moved: number;
  do {
    moved = await moveToExpired(db.kysely, clock(), BATCH);
    if (moved > 0) metrics.introsExpired.inc(moved);
  } while (moved === BATCH);
}
