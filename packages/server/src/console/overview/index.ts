/** The overview: figures, setup steps and problems. */

import {
  DAY_MS,
  iso,
  type OVERVIEW_OPERATIONS,
  type OverviewDays,
  type OverviewReply,
  type Waiting,
} from '@foreword/contract';
import type { Tenant } from '../../db/tenancy.ts';
import {
  countWaitingIntros,
  listNewestReplies,
  listNextDue,
  listOpenDeclines,
  listUnsent,
  type UnsentRow,
} from '../../intros/index.ts';
import { dismissSetup } from '../../organizations/index.ts';
import { createCache } from '../cache.ts';
import type { ConsoleDeps } from '../deps.ts';
import type { ConsoleHandlers } from '../operations.ts';
import { findIssues } from './issues.ts';
import { readSetup } from './setup.ts';
import { readStatistics } from './statistics.ts';

/** Expensive; a minute of staleness is fine. */
const STATISTICS_MAX_AGE_MS = 60_000;
/** Short, because "Nothing needs your attention" must not outlast the first problem, nor a problem its fix. */
const ISSUES_MAX_AGE_MS = 5_000;

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
    readOverview: (user, { query }) => {
      const days: OverviewDays = query.days;
      return statistics.get(`${user.tenant.organizationId} ${days}`, () =>
        readStatistics(reporting, user.tenant, days),
      );
    },
    readWaiting: (user) => readWaiting(deps, user.tenant),
    readReplies: async (user) => ({ replies: await readReplies(deps, user.tenant) }),
    readIssues: async (user) => ({
      issues: await issues.get(user.tenant.organizationId, () => findIssues(deps, user.tenant)),
    }),
    readSetup: (user) => readSetup(deps, user.tenant),
    async dismissSetup(user) {
      await dismissSetup(db.kysely, user.tenant.organizationId, deps.clock());
      return { dismissed: true };
    },
  };
}

const nameOf = ({
  recipient_first_name: first,
  recipient_last_name: last,
}: Pick<UnsentRow, 'recipient_first_name' | 'recipient_last_name'>) => (last === null ? first : `${first} ${last}`);

const memberOf = (row: Pick<UnsentRow, 'member_id' | 'member_first_name' | 'member_last_name'>) => ({
  id: row.member_id,
  first_name: row.member_first_name,
  last_name: row.member_last_name,
});

const REPLIES_SHOWN = 6;
const REPLIES_SINCE_MS = 7 * DAY_MS;

async function readReplies({ db, clock }: Pick<ConsoleDeps, 'db' | 'clock'>, tenant: Tenant): Promise<OverviewReply[]> {
  const since = new Date(clock().getTime() - REPLIES_SINCE_MS);
  const rows = await listNewestReplies(db.kysely, tenant, { since, limit: REPLIES_SHOWN });
  return rows.map((row) => ({
    intro_id: row.intro_id,
    recipient: nameOf(row),
    member: memberOf(row),
    label: row.label,
    message: row.message,
    by_text: row.by_text,
    replied_at: row.created_at.toISOString(),
  }));
}

/** Counting further is expensive, and the exact number no longer matters. */
const COUNTED_UP_TO = 10_000;
const NEXT_SHOWN = 6;
/** Few, because without a carrier every recorded intro is one of them. */
const UNSENT_SHOWN = 3;
/** Later declines push earlier ones out of sight, which are reassigned, cancelled or expired by then. */
const DECLINES_AMONG = 500;
const SOON_MS = DAY_MS;

/** These recipients get no link. */
const NEVER_SENT = ['recipient_opted_out', 'recipient_erased'];

async function readWaiting(
  { db, clock, links }: Pick<ConsoleDeps, 'db' | 'clock' | 'links'>,
  tenant: Tenant,
): Promise<Waiting> {
  const before = new Date(clock().getTime() + SOON_MS);
  const [requested, ready, next, declined, unsent] = await Promise.all([
    countWaitingIntros(db, tenant, { status: 'requested', limit: COUNTED_UP_TO, before }),
    countWaitingIntros(db, tenant, { status: 'ready', limit: COUNTED_UP_TO, before }),
    listNextDue(db, tenant, { among: COUNTED_UP_TO, limit: NEXT_SHOWN }),
    listOpenDeclines(db.kysely, tenant, { among: DECLINES_AMONG, limit: NEXT_SHOWN }),
    listUnsent(db, tenant, { among: COUNTED_UP_TO, limit: UNSENT_SHOWN, except: NEVER_SENT }),
  ]);
  return {
    counted_up_to: COUNTED_UP_TO,
    to_record: requested.amount,
    due_soon: requested.due,
    to_send: ready.amount,
    next: next.map((row) => ({
      id: row.id,
      recipient: nameOf(row),
      touchpoint: row.touchpoint_name,
      member: memberOf(row),
      requested_at: row.created_at.toISOString(),
      expires_at: iso(row.expires_at),
    })),
    declined: declined.map((row) => ({
      id: row.intro_id,
      recipient: nameOf(row),
      member: memberOf(row),
      reason: row.reason,
      message: row.message,
      expires_at: iso(row.expires_at),
    })),
    unsent: unsent.map((row) => ({
      id: row.id,
      recipient: nameOf(row),
      member: memberOf(row),
      reason: row.delivery_error_message ?? '',
      recipient_url: links.pageUrl(row.id, row.link_host),
    })),
  };
}
