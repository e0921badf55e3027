import { type IntroEvent, type IntroEvents, lockForViewing, markOpened, markWatched } from '../intros/index.ts';
import type { Clock } from '../platform/clock.ts';
import type { Database } from '../platform/db.ts';
import type { Tables } from '../tables.ts';
import type { Beacon } from './rules.ts';
import type { PageRow } from './store.ts';

/** Records each step once per intro; a repeated beacon costs no write. */
export async function recordBeacon(
  deps: { db: Database<Tables>; clock: Clock; introEvents: IntroEvents },
  page: PageRow,
  beacon: Beacon,
): Promise<void> {
  const { tenant, introId, openedAt, watchedPercent } = page;
  const isNew = beacon.what === 'opened' ? openedAt === null : beacon.percent > watchedPercent;
  if (!isNew) return;
  await deps.db.kysely.transaction().execute(async (tx) => {
    const now = deps.clock();
    const before = await lockForViewing(tx, tenant, introId);
    const changed =
      beacon.what === 'opened'
        ? await markOpened(tx, tenant, introId, now)
        : await markWatched(tx, tenant, introId, beacon.percent, now);
    if (!changed || before === null) return;
    // One beacon can cause three events: watching implies opening, and opening implies that the integration sent the link.
    const after = await lockForViewing(tx, tenant, introId);
    const types: IntroEvent['type'][] = [
      ...(before.status !== 'sent' && after?.status === 'sent' ? (['intro.sent'] as const) : []),
      ...(before.opened_at === null ? (['intro.opened'] as const) : []),
      ...(before.watched_at === null && after?.watched_at != null ? (['intro.watched'] as const) : []),
    ];
    await deps.introEvents.publish(
      tx,
      types.map((type) => ({ tenant, introId, type })),
      now,
    );
  });
}
