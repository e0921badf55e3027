import type { Services } from '../app/services.ts';
import type { Tenant, Tx } from '../db/tenancy.ts';
import type { Clock, TestTime } from '../platform/clock.ts';
import { lockForStep } from '../testing/clock/index.ts';
import type { IntroEvent, IntroEvents } from './publishing.ts';
import { type ExpiryScope, moveToExpired, moveToExpiredNow } from './store/transitions.ts';

/** How often a worker expires due intros. */
export const EXPIRY_INTERVAL_MS = 1_000;
const BATCH = 500;

interface ExpiryDeps extends Pick<Services, 'db' | 'metrics'> {
  readonly introEvents: IntroEvents;
}

async function expireBatch({ introEvents }: ExpiryDeps, tx: Tx, scope: ExpiryScope, now: Date) {
  const expired = await moveToExpired(tx, scope, now, BATCH);
  const events = expired.map(
    ({ organization_id: organizationId, environment, id: introId }): IntroEvent => ({
      tenant: { organizationId, environment },
      introId,
      type: 'intro.expired',
    }),
  );
  await introEvents.publish(tx, events, now);
  return expired.length;
}

/** Safe to run on any number of workers at once: the statement moves each intro exactly once. */
export async function expireDue(deps: ExpiryDeps & { readonly clock: Clock }): Promise<void> {
  const { db, clock, metrics } = deps;
  let moved: number;
  do {
    moved = await db.kysely.transaction().execute((tx) => expireBatch(deps, tx, 'without test clock', clock()));
    if (moved > 0) metrics.introsExpired.inc(moved);
  } while (moved === BATCH);
}

/** The same for one organization, on its test clock. Returns how many intros expired. */
export async function expireOnTestClock(deps: ExpiryDeps, tenant: Tenant, now: TestTime): Promise<number> {
  const moved = await deps.db.kysely
    .transaction()
    .execute(async (tx) => ((await lockForStep(tx, tenant)) ? expireBatch(deps, tx, tenant, now) : 0));
  if (moved > 0) deps.metrics.introsExpired.inc(moved);
  return moved;
}

/** Expires one intro before its time. False if it is sent or closed. */
export async function expireNow(
  { introEvents }: { introEvents: IntroEvents },
  tx: Tx,
  { tenant, introId }: { readonly tenant: Tenant; readonly introId: string },
  now: Date,
): Promise<boolean> {
  if (!(await moveToExpiredNow(tx, tenant, introId, now))) return false;
  await introEvents.publish(tx, [{ tenant, introId, type: 'intro.expired' }], now);
  return true;
}
