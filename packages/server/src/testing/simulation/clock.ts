import {
  type AdvanceTestClock,
  DELIVERY_FAILURES,
  TEST_CLOCK_MAX_S,
  TEST_NUMBER_PREFIX,
  type TestClock,
} from '@foreword/contract';
import type { Services } from '../../app/services.ts';
import { type Db, type Row, type Tenant, type Tx, tenantOf } from '../../db/tenancy.ts';
import { type Carriers, type DeliveryEngine, endTestClock, findNextDue, readAccount } from '../../delivery/index.ts';
import type { Caller, Handlers } from '../../http/index.ts';
import { cancelOpen, countOpenBesides, expireOnTestClock, type IntroEvents } from '../../intros/index.ts';
import { TestTime } from '../../platform/clock.ts';
import { ApiError, invalid } from '../../platform/errors.ts';
import { parseInstant } from '../../platform/instants.ts';
import { every, type Schedule } from '../../platform/schedule.ts';
import { deleteClock, listClocks, lockClock, onTestClock, readClock, setOffset } from '../clock/index.ts';

/** How far the clock is ahead after the request. */
function offsetAfter(body: AdvanceTestClock, offsetS: number, real: Date): number {
  const field = body.to === undefined ? 'seconds' : 'to';
  const target = body.to === undefined ? null : parseInstant(body.to);
  const wantedS =
    target === null ? offsetS + (body.seconds ?? 0) : Math.ceil((target.getTime() - real.getTime()) / 1000);
  if (wantedS <= offsetS) {
    const now = onTestClock(real, offsetS).toISOString();
    throw invalid(field, `must be after the time of the clock, which is ${now}; it only moves forward`);
  }
  if (wantedS > TEST_CLOCK_MAX_S) throw invalid(field, 'would put the clock more than 400 days ahead of the real time');
  return wantedS;
}

export function testClockOperations(
  deps: Pick<Services, 'db' | 'clock' | 'testClocks'> & {
    introEvents: IntroEvents;
    carriers: Carriers;
  },
) {
  const { db, clock, testClocks, introEvents, carriers } = deps;

  async function present(within: Db, tenant: Tenant): Promise<TestClock> {
    const row = await readClock(within, tenant);
    const now = onTestClock(clock(), row?.offset_seconds ?? null);
    const next = row === null ? null : await findNextDue(within, tenant);
    return {
      object: 'test_clock',
      status: next !== null && next <= now ? 'advancing' : 'ready',
      offset_seconds: row?.offset_seconds ?? 0,
      now: now.toISOString(),
      advanced_at: row?.advanced_at.toISOString() ?? null,
      environment: tenant.environment,
    };
  }

  /** With a provider, open intros for real numbers may be those of real people. Their deadlines must not pass in a test. */
  async function requireTestOrganization(tx: Tx, tenant: Tenant): Promise<void> {
    const hasOwnAccount = (await readAccount(tx, tenant)) !== null;
    const isConnected =
      carriers.routeOfEmail === 'provider' || carriers.routeOfText('', { hasOwnAccount }) === 'provider';
    const open = isConnected ? await countOpenBesides(tx, tenant, TEST_NUMBER_PREFIX) : 0;
    if (open === 0) return;
    const intros = open === 1 ? '1 open intro for a real phone number' : `${open} open intros for real phone numbers`;
    throw new ApiError(
      'test_clock_refused',
      `This organization has ${intros}. Cancel ${open === 1 ? 'it' : 'them'}, or use an organization for tests.`,
    );
  }

  const change = (run: (tx: Tx, caller: Caller, body: AdvanceTestClock) => Promise<void>) => ({
    async run(tx: Tx, caller: Caller, { body }: { readonly body: AdvanceTestClock }) {
      await run(tx, caller, body);
      return present(tx, caller);
    },
    async present(response: object) {
      // This node knows the new time before it responds; the others read it within a second.
      await testClocks.refresh();
      return response;
    },
  });

  return {
    retrieveTestClock: (caller) => present(db.kysely, caller),
    advanceTestClock: change(async (tx, caller, body) => {
      const real = clock();
      const { offset_seconds: offsetS } = await lockClock(tx, caller, real);
      const wantedS = offsetAfter(body, offsetS, real);
      if (offsetS === 0) await requireTestOrganization(tx, caller);
      await setOffset(tx, caller, wantedS, real);
    }),
    resetTestClock: change(async (tx, caller) => {
      const real = clock();
      const { offset_seconds: offsetS } = await lockClock(tx, caller, real);
      if (offsetS > 0) {
        const now = onTestClock(real, offsetS);
        const cancelled = await cancelOpen(tx, caller, caller.by, now);
        const events = cancelled.map((introId) => ({ tenant: caller, introId, type: 'intro.cancelled' }) as const);
        await introEvents.publish(tx, events, now);
        const dropped = { code: 'test_clock', message: DELIVERY_FAILURES.test_clock };
        await endTestClock(tx, caller, dropped, now);
      }
      await deleteClock(tx, caller);
    }),
  } satisfies Partial<Handlers>;
}

const INTERVAL_MS = 500;
/** Steps that are due within a second happen together, as they do in real time. */
const STEP_MS = 1_000;

interface Deps extends Pick<Services, 'db' | 'clock' | 'log'> {
  readonly introEvents: IntroEvents;
  readonly engine: DeliveryEngine;
}

/**
 * Lets what is due next happen, at the time it is due: after an advance by a month, a reminder of the first week comes before the
 * deadline of the second. False if nothing is due, or another worker is at it.
 */
async function takeStep(deps: Deps, row: Row<'test_clocks'>): Promise<boolean> {
  const tenant = tenantOf(row);
  const real = deps.clock();
  const endMs = real.getTime() + row.offset_seconds * 1000;
  const next = await findNextDue(deps.db.kysely, tenant);
  if (next === null || next.getTime() > endMs) return false;
  const now = new TestTime(new Date(Math.min(endMs, next.getTime() + STEP_MS)), real);
  const taken = await deps.engine.tickOnTestClock({ tenant, now });
  return taken + (await expireOnTestClock(deps, tenant, now)) > 0;
}

/** Follows the test clocks of all organizations. Without any, this costs one small query. */
export const followTestClocks = (deps: Deps): Schedule =>
  every(INTERVAL_MS, 'follow test clocks', deps.log, async (stopping) => {
    for (const row of await listClocks(deps.db.kysely)) while (!stopping.aborted && (await takeStep(deps, row)));
  });
