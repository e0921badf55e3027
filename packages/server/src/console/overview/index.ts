import type { OVERVIEW_OPERATIONS, OverviewDays, OverviewReply, Waiting } from '@foreword/contract';
import { countWaitingIntros, listNewestReplies, listNextDue, listOpenDeclines } from '../../intros/index.ts';
import { dismissSetup } from '../../organizations/index.ts';
import { BoundedMap } from '../../platform/bounded-map.ts';
import { monotonicMs } from '../../platform/clock.ts';
import type { Tenant } from '../../tables.ts';
import type { ConsoleDeps } from '../deps.ts';
import type { ConsoleHandlers } from '../operations.ts';
import { findIssues } from './issues.ts';
import { readSetup } from './setup.ts';
import { readStatistics } from './statistics.ts';

/** Expensive; a minute of staleness is fine. */
const STATISTICS_MAX_AGE_MS = 60_000;
/** Short, because "Nothing needs your attention" must not outlast the first problem, nor a problem its fix. */
const ISSUES_MAX_AGE_MS = 5_000;
const MAX_SIZE = 200;

/** Concurrent callers share one computation. Failures are not cached, nor are values that `isKept` rejects. */
interface Cache<T> {
  get(key: string, make: () => Promise<T>): Promise<T>;
}

function createCache<T>(maxAgeMs: number, isKept: (value: T) => boolean = () => true): Cache<T> {
  const maxAge = { ms: maxAgeMs, nowMs: monotonicMs };
  const cached = new BoundedMap<string, Promise<T>>({ maxSize: MAX_SIZE, maxAge });
  return {
    get(key, make) {
      const known = cached.get(key);
      if (known !== undefined) return known;
      const value = make();
      cached.set(key, value);
      const forget = () => {
        if (cached.get(key) === value) cached.delete(key);
      };
      value.then((made) => isKept(made) || forget(), forget);
      return value;
    },
  };
}

export function createOverviewHandlers(deps: ConsoleDeps): Pick<ConsoleHandlers, keyof typeof OVERVIEW_OPERATIONS> {
  const { db } = deps;
  const reporting = { ...deps, db: deps.reportDb };
  // A new organization sees its first intro at once, and counting none is cheap.
  const statistics = createCache<Awaited<ReturnType<typeof readStatistics>>>(
    STATISTICS_MAX_AGE_MS,
    ({ total }) => total.requested > 0,
  );
  const issues = createCache<Awaited<ReturnType<typeof findIssues>>>(ISSUES_MAX_AGE_MS);
  return {
    'GET /overview': ({ user, query }) => {
      const days: OverviewDays = query.days;
      return statistics.get(`${user.tenant.organizationId} ${days}`, () =>
        readStatistics(reporting, user.tenant, days),
      );
    },
    'GET /overview/waiting': ({ user }) => readWaiting(deps, user.tenant),
    'GET /overview/replies': async ({ user }) => ({ replies: await readReplies(deps, user.tenant) }),
    'GET /overview/issues': async ({ user }) => ({
      issues: await issues.get(user.tenant.organizationId, () => findIssues(deps, user.tenant)),
    }),
    'GET /overview/setup': ({ user }) => readSetup(deps, user.tenant),
    async 'POST /overview/setup/dismiss'({ user }) {
      await dismissSetup(db.kysely, user.tenant.organizationId, deps.clock());
      return { dismissed: true };
    },
  };
}

const REPLIES_SHOWN = 6;
const REPLIES_SINCE_MS = 7 * 86_400_000;

async function readReplies({ db, clock }: Pick<ConsoleDeps, 'db' | 'clock'>, tenant: Tenant): Promise<OverviewReply[]> {
  const since = new Date(clock().getTime() - REPLIES_SINCE_MS);
  const rows = await listNewestReplies(db.kysely, tenant, { since, limit: REPLIES_SHOWN });
  return rows.map((row) => ({
    intro_id: row.intro_id,
    recipient: [row.recipient_first_name, row.recipient_last_name].filter((name) => name !== null).join(' '),
    member: { id: row.member_id, first_name: row.member_first_name, last_name: row.member_last_name },
    label: row.label,
    message: row.message,
    replied_at: row.created_at.toISOString(),
  }));
}

/** Counting further is expensive, and the exact number no longer matters. */
const COUNTED_UP_TO = 10_000;
const NEXT_SHOWN = 6;
/** Later declines push earlier ones out of sight, which are reassigned, cancelled or expired by then. */
const DECLINES_AMONG = 500;
const SOON_MS = 86_400_000;

async function readWaiting({ db, clock }: Pick<ConsoleDeps, 'db' | 'clock'>, tenant: Tenant): Promise<Waiting> {
  const before = new Date(clock().getTime() + SOON_MS);
  const [requested, ready, next, declined] = await Promise.all([
    countWaitingIntros(db, tenant, { status: 'requested', limit: COUNTED_UP_TO, before }),
    countWaitingIntros(db, tenant, { status: 'ready', limit: COUNTED_UP_TO, before }),
    listNextDue(db, tenant, { among: COUNTED_UP_TO, limit: NEXT_SHOWN }),
    listOpenDeclines(db.kysely, tenant, { among: DECLINES_AMONG, limit: NEXT_SHOWN }),
  ]);
  return {
    counted_up_to: COUNTED_UP_TO,
    to_record: requested.amount,
    due_soon: requested.due,
    to_send: ready.amount,
    next: next.map((row) => ({
      id: row.id,
      recipient: [row.recipient_first_name, row.recipient_last_name].filter((name) => name !== null).join(' '),
      touchpoint: row.touchpoint_name,
      member: { id: row.member_id, first_name: row.member_first_name, last_name: row.member_last_name },
      requested_at: row.created_at.toISOString(),
      expires_at: row.expires_at?.toISOString() ?? null,
    })),
    declined: declined.map((row) => ({
      id: row.intro_id,
      recipient: [row.recipient_first_name, row.recipient_last_name].filter((name) => name !== null).join(' '),
      member: { id: row.member_id, first_name: row.member_first_name, last_name: row.member_last_name },
      reason: row.reason,
      message: row.message,
      expires_at: row.expires_at?.toISOString() ?? null,
    })),
  };
}
