import { type IntroEvent, type IntroEvents, lockForViewing, markOpened, markWatched } from '../intros/index.ts';
import type { Clock } from '../platform/clock.ts';
import type { Database } from '../platform/db.ts';
import type { Tables } from '../tables.ts';
import type { Sighting } from './rules.ts';
import type { PageRow } from './store.ts';

/** Once for each intro and step, however often it is told; a repeat costs no write. */
export async function noteSighting(
  deps: { db: Database<Tables>; clock: Clock; introEvents: IntroEvents },
  page: PageRow,
  sighting: Sighting,
): Promise<void> {
  const { tenant, introId, openedAt, watchedPercent } = page;
  const isNew = sighting.what === 'opened' ? openedAt === null : sighting.percent > watchedPercent;
  if (!isNew) return;
  await deps.db.kysely.transaction().execute(async (tx) => {
    const now = deps.clock();
    const before = await lockForViewing(tx, tenant, introId);
    const changed =
      sighting.what === 'opened'
        ? await markOpened(tx, tenant, introId, now)
        : await markWatched(tx, tenant, introId, sighting.percent, now);
    if (!changed || before === null) return;
    // Who watches has opened, and who opens what the integration delivers has got it: one word from the page can tell all three.
    const after = await lockForViewing(tx, tenant, introId);
    const steps: IntroEvent['type'][] = [
      ...(before.status !== 'sent' && after?.status === 'sent' ? (['intro.sent'] as const) : []),
      ...(before.opened_at === null ? (['intro.opened'] as const) : []),
      ...(before.watched_at === null && after?.watched_at != null ? (['intro.watched'] as const) : []),
    ];
    await deps.introEvents.publish(
      tx,
      steps.map((type) => ({ tenant, introId, type })),
      now,
    );
  });
}
