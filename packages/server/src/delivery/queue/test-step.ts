import { DELIVERY_FAILURES } from '@foreword/contract';
import type { Transaction } from 'kysely';
import type { Clock, TestTime } from '../../platform/clock.ts';
import type { Tables, Tenant } from '../../tables.ts';
import { lockForStep } from '../../test-clock/index.ts';
import type { Outcome } from '../carriers/carrier.ts';
import { type DueMessage, type Turn, takeDue } from '../store/due.ts';

/** One organization at a time on its test clock. */
export interface TestStep {
  readonly tenant: Tenant;
  readonly now: TestTime;
}

/** The lock of the clock makes workers take turns, and keeps a reset from happening in between. */
export async function take(
  deps: { readonly clock: Clock },
  tx: Transaction<Tables>,
  turns: readonly Turn[],
  step: TestStep | null,
) {
  const now = step?.now ?? deps.clock();
  const isTaking = step === null || (await lockForStep(tx, step.tenant));
  return { now, rows: isTaking ? await takeDue(tx, now, turns) : [] };
}

/**
 * Nothing leaves the service while the clock of an organization is ahead. Messages to members count as sent, so that tests see
 * their reminders; a recipient with a real number got nothing.
 */
export const outcomeOnTestClock = ({ audience }: DueMessage): Outcome =>
  audience === 'member'
    ? { kind: 'accepted', carrierId: null }
    : { kind: 'refused', code: 'test_clock', message: DELIVERY_FAILURES.test_clock };
