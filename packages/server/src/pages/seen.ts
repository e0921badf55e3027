import { openByRecipient, watchByRecipient } from '../intros/index.ts';
import type { Clock } from '../platform/clock.ts';
import type { Database } from '../platform/db.ts';
import type { Tables } from '../tables.ts';
import type { Sighting } from './rules.ts';
import type { PageRow } from './store.ts';

/** Once for each intro and step, however often it is told; a repeat costs no write. */
export async function noteSighting(
  deps: { db: Database<Tables>; clock: Clock },
  page: PageRow,
  sighting: Sighting,
): Promise<void> {
  const { tenant, introId, openedAt, watchedPercent } = page;
  const { kysely } = deps.db;
  if (sighting.what === 'opened') {
    if (openedAt === null) await openByRecipient(kysely, tenant, introId, deps.clock());
  } else if (sighting.percent > watchedPercent) {
    await watchByRecipient(kysely, tenant, introId, sighting.percent, deps.clock());
  }
}
