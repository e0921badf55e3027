/** The time of organizations whose clock is ahead. */

import { type Database, type Db, type Tenant, tenantOf } from '../../db/tenancy.ts';
import { type Clock, TestTime } from '../../platform/clock.ts';
import { listClocks, readClock } from './store.ts';

export {
  deleteClock,
  listClocks,
  lockClock,
  lockForStep,
  readClock,
  setOffset,
} from './store.ts';

/** How often each node reads which organizations have a test clock. */
export const CLOCKS_INTERVAL_MS = 1_000;

/** `now` on a clock that is ahead by so much; null: the organization has no test clock. */
export const onTestClock = (now: Date, offsetS: number | null): Date =>
  offsetS === null ? now : new TestTime(new Date(now.getTime() + offsetS * 1000), now);

const keyOf = (tenant: Tenant): string => `${tenant.organizationId} ${tenant.environment}`;

export type TestClocks = ReturnType<typeof createTestClocks>;

/** The time of each organization, which is ahead of the real time if it has a test clock. */
export function createTestClocks({ db, clock }: { db: Database; clock: Clock }) {
  let offsets: ReadonlyMap<string, number> = new Map();
  return {
    /** As this node knows it: an advance on another node may be a second old. For times of what happens now. */
    now: (tenant: Tenant): Date =>
      onTestClock(clock(), offsets.size === 0 ? null : (offsets.get(keyOf(tenant)) ?? null)),
    /** As committed. For deadlines. */
    async nowWithin(within: Db, tenant: Tenant): Promise<Date> {
      const found = await readClock(within, tenant);
      return onTestClock(clock(), found?.offset_seconds ?? null);
    },
    async refresh(): Promise<void> {
      const rows = await listClocks(db.kysely);
      offsets = new Map(rows.map((row) => [keyOf(tenantOf(row)), row.offset_seconds]));
    },
  };
}
