import type { OVERVIEW_OPERATIONS, OverviewDays, Waiting } from '@foreword/contract';
import { hasEvents } from '../../events/index.ts';
import { countWaitingIntros, hasIntros, listOldestWaiting } from '../../intros/index.ts';
import { countActive } from '../../members/index.ts';
import { BoundedMap } from '../../platform/bounded-map.ts';
import { monotonicMs } from '../../platform/clock.ts';
import type { Tenant } from '../../tables.ts';
import type { ConsoleDeps } from '../deps.ts';
import type { ConsoleHandlers } from '../operations.ts';
import { findIssues } from './issues.ts';
import { readStatistics } from './statistics.ts';

/** The statistics are expensive; a minute of staleness is fine. */
const MAX_AGE_MS = 60_000;
const MAX_SIZE = 200;

/** Concurrent callers share one computation. Failures are not cached. */
interface Cache<T> {
  get(key: string, make: () => Promise<T>): Promise<T>;
}

function createCache<T>(nowMs: () => number): Cache<T> {
  const cached = new BoundedMap<string, Promise<T>>({ maxSize: MAX_SIZE, maxAge: { ms: MAX_AGE_MS, nowMs } });
  return {
    get(key, make) {
      const known = cached.get(key);
      if (known !== undefined) return known;
      const value = make();
      cached.set(key, value);
      value.catch(() => {
        if (cached.get(key) === value) cached.delete(key);
      });
      return value;
    },
  };
}

/** The owner and one more member. */
const FIRST_TEAM = 2;

export function createOverviewHandlers(deps: ConsoleDeps): Pick<ConsoleHandlers, keyof typeof OVERVIEW_OPERATIONS> {
  const { db } = deps;
  const reporting = { ...deps, db: deps.reportDb };
  const statistics = createCache<Awaited<ReturnType<typeof readStatistics>>>(monotonicMs);
  const issues = createCache<Awaited<ReturnType<typeof findIssues>>>(monotonicMs);
  return {
    'GET /overview': ({ user, query }) => {
      const days: OverviewDays = query.days;
      return statistics.get(`${user.tenant.organizationId} ${days}`, () =>
        readStatistics(reporting, user.tenant, days),
      );
    },
    'GET /overview/waiting': ({ user }) => readWaiting(deps, user.tenant),
    'GET /overview/issues': async ({ user }) => ({
      issues: await issues.get(user.tenant.organizationId, () => findIssues(deps, user.tenant)),
    }),
    async 'GET /overview/first-steps'({ user: { tenant } }) {
      const [members, has_event, has_intro] = await Promise.all([
        countActive(db, tenant, FIRST_TEAM),
        hasEvents(db, tenant),
        hasIntros(db, tenant),
      ]);
      return { has_members: members >= FIRST_TEAM, has_event, has_intro };
    },
  };
}

/** Counting further is expensive, and the exact number no longer matters. */
const COUNTED_UP_TO = 10_000;
const OLDEST_SHOWN = 6;
const SOON_MS = 86_400_000;

async function readWaiting({ db, clock }: Pick<ConsoleDeps, 'db' | 'clock'>, tenant: Tenant): Promise<Waiting> {
  const before = new Date(clock().getTime() + SOON_MS);
  const [requested, ready, oldest] = await Promise.all([
    countWaitingIntros(db, tenant, { status: 'requested', limit: COUNTED_UP_TO, before }),
    countWaitingIntros(db, tenant, { status: 'ready', limit: COUNTED_UP_TO, before }),
    listOldestWaiting(db, tenant, OLDEST_SHOWN),
  ]);
  return {
    counted_up_to: COUNTED_UP_TO,
    to_record: requested.amount,
    due_soon: requested.due,
    to_send: ready.amount,
    oldest: oldest.map((row) => ({
      id: row.id,
      recipient: [row.recipient_first_name, row.recipient_last_name].filter((name) => name !== null).join(' '),
      touchpoint: row.touchpoint_name,
      member: { id: row.member_id, first_name: row.member_first_name, last_name: row.member_last_name },
      requested_at: row.created_at.toISOString(),
      expires_at: row.expires_at?.toISOString() ?? null,
    })),
  };
}
