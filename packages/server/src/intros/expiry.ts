import type { Transaction } from 'kysely';
import type { Clock } from '../platform/clock.ts';
import type { Database } from '../platform/db.ts';
import type { Metrics } from '../platform/metrics.ts';
import type { Tables, Tenant } from '../tables.ts';
import type { IntroEvent, IntroEvents } from './publishing.ts';
import { moveToExpired, moveToExpiredNow } from './store/transitions.ts';

/** How often a worker expires due intros. */
export const EXPIRY_INTERVAL_MS = 1_000;
const BATCH = 500;

/** Safe to run on any number of workers at once: the statement moves each intro exactly once. */
export async function expireDue(deps: {
  db: Database<Tables>;
  clock: Clock;
  metrics: Metrics;
  introEvents: IntroEvents;
}): Promise<void> {
  const { db, clock, metrics, introEvents } = deps;
  let moved: number;
  do {
    moved = await db.kysely.transaction().execute(async (tx) => {
      const now = clock();
      const expired = await moveToExpired(tx, now, BATCH);
      const events = expired.map(
        ({ organization_id: organizationId, environment, id: introId }): IntroEvent => ({
          tenant: { organizationId, environment },
          introId,
          type: 'intro.expired',
        }),
      );
      await introEvents.publish(tx, events, now);
      return expired.length;
    });
    if (moved > 0) metrics.introsExpired.inc(moved);
  } while (moved === BATCH);
}

/** Expires one intro before its time. False if it is sent or closed. */
export async function expireNow(
  { introEvents }: { introEvents: IntroEvents },
  tx: Transaction<Tables>,
  { tenant, introId }: { readonly tenant: Tenant; readonly introId: string },
  now: Date,
): Promise<boolean> {
  if (!(await moveToExpiredNow(tx, tenant, introId, now))) return false;
  await introEvents.publish(tx, [{ tenant, introId, type: 'intro.expired' }], now);
  return true;
}
