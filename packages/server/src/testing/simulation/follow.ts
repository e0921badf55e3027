import type { Services } from '../../app/services.ts';
import type { Row } from '../../db/tenancy.ts';
import { type DeliveryEngine, findNextDue } from '../../delivery/index.ts';
import { expireOnTestClock, type IntroEvents } from '../../intros/index.ts';
import { TestTime } from '../../platform/clock.ts';
import { every } from '../../platform/schedule.ts';
import { listClocks } from '../clock/index.ts';

const INTERVAL_MS = 500;
/** Steps that are due within a second happen together, as they do in real time. */
const STEP_MS = 1_000;

interface Deps extends Pick<Services, 'db' | 'clock' | 'metrics' | 'log'> {
  readonly introEvents: IntroEvents;
  readonly engine: DeliveryEngine;
}

/**
 * Lets what is due next happen, at the time it is due: after an advance by a month, a reminder of the first week comes before the
 * deadline of the second. False if nothing is due, or another worker is at it.
 */
async function takeStep(deps: Deps, row: Row<'test_clocks'>): Promise<boolean> {
  const tenant = { organizationId: row.organization_id, environment: row.environment };
  const real = deps.clock();
  const endMs = real.getTime() + row.offset_seconds * 1000;
  const next = await findNextDue(deps.db.kysely, tenant);
  if (next === null || next.getTime() > endMs) return false;
  const now = new TestTime(new Date(Math.min(endMs, next.getTime() + STEP_MS)), real);
  const taken = await deps.engine.tickOnTestClock({ tenant, now });
  return taken + (await expireOnTestClock(deps, tenant, now)) > 0;
}

/** Follows the test clocks of all organizations. Without any, this costs one small query. */
export function followTestClocks(deps: Deps): { stop(): Promise<void> } {
  let isStopping = false;
  const following = every(INTERVAL_MS, 'follow test clocks', deps.log, async () => {
    for (const row of await listClocks(deps.db.kysely)) while (!isStopping && (await takeStep(deps, row)));
  });
  return {
    stop() {
      isStopping = true;
      return following.stop();
    },
  };
}
