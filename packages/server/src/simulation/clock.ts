import {
  type AdvanceTestClock,
  DELIVERY_FAILURES,
  TEST_CLOCK_MAX_S,
  TEST_NUMBER_PREFIX,
  type TestClock,
} from '@foreword/contract';
import type { Transaction } from 'kysely';
import type { Tables, Tenant } from '../db/tenancy.ts';
import { type Carriers, endTestClock, findNextDue, readAccount } from '../delivery/index.ts';
import { once } from '../idempotency/index.ts';
import { cancelAllOpen, countOpenBesides, type IntroEvents } from '../intros/index.ts';
import type { Clock } from '../platform/clock.ts';
import type { Database, Queryable } from '../platform/db.ts';
import { ApiError, invalid } from '../platform/errors.ts';
import { parseInstant } from '../platform/instants.ts';
import type { Answer } from '../platform/operations.ts';
import { deleteClock, lockClock, onTestClock, readClock, setOffset, type TestClocks } from '../test-clock/index.ts';

const PATH = '/v1/test_helpers/clock';

export interface TestClockService {
  retrieve(tenant: Tenant): Promise<TestClock>;
  advance(tenant: Tenant, key: string, body: AdvanceTestClock): Promise<Answer>;
  reset(caller: Tenant & { readonly keyId: string }, key: string, body: unknown): Promise<Answer>;
}

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

export function createTestClockService(deps: {
  db: Database<Tables>;
  clock: Clock;
  testClocks: TestClocks;
  introEvents: IntroEvents;
  carriers: Carriers;
}): TestClockService {
  const { db, clock, testClocks, introEvents, carriers } = deps;

  async function present(within: Queryable<Tables>, tenant: Tenant): Promise<TestClock> {
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
  async function requireTestOrganization(tx: Transaction<Tables>, tenant: Tenant): Promise<void> {
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

  async function changeOnce(
    tenant: Tenant,
    request: { readonly key: string; readonly action: 'advance' | 'reset'; readonly body: unknown },
    change: (tx: Transaction<Tables>) => Promise<void>,
  ): Promise<Answer> {
    const { key, action, body } = request;
    const keyed = { tenant, key, method: 'POST', path: `${PATH}/${action}`, body } as const;
    const answer = await once(db, keyed, async (tx) => {
      await change(tx);
      return { objectId: tenant.organizationId, body: JSON.stringify(await present(tx, tenant)) };
    });
    // This node knows the new time before it responds; the others read it within a second.
    await testClocks.refresh();
    return answer;
  }

  return {
    retrieve: (tenant) => present(db.kysely, tenant),
    advance: (tenant, key, body) =>
      changeOnce(tenant, { key, action: 'advance', body }, async (tx) => {
        const real = clock();
        const { offset_seconds: offsetS } = await lockClock(tx, tenant, real);
        const wantedS = offsetAfter(body, offsetS, real);
        if (offsetS === 0) await requireTestOrganization(tx, tenant);
        await setOffset(tx, tenant, wantedS, real);
      }),
    reset: (caller, key, body) =>
      changeOnce(caller, { key, action: 'reset', body }, async (tx) => {
        const real = clock();
        const { offset_seconds: offsetS } = await lockClock(tx, caller, real);
        if (offsetS > 0) {
          const now = onTestClock(real, offsetS);
          const cancelled = await cancelAllOpen(tx, caller, caller.keyId, now);
          const events = cancelled.map((introId) => ({ tenant: caller, introId, type: 'intro.cancelled' }) as const);
          await introEvents.publish(tx, events, now);
          const dropped = { code: 'test_clock', message: DELIVERY_FAILURES.test_clock };
          await endTestClock(tx, caller, dropped, now);
        }
        await deleteClock(tx, caller);
      }),
  };
}
