/** The overview: figures, setup steps and problems. */

import { Readable } from 'node:stream';
import {
  DAY_MS,
  iso,
  OVERVIEW_DAYS,
  type OVERVIEW_OPERATIONS,
  type OverviewDays,
  type OverviewReply,
  type SetupChecklist,
  type Waiting,
} from '@foreword/contract';
import type { FastifyInstance } from 'fastify';
import type { Tenant } from '../../db/tenancy.ts';
import { hasDeliveredTexts, readAccount } from '../../delivery/index.ts';
import { hasEvents } from '../../intros/events/index.ts';
import {
  CSV_COLUMNS,
  countWaitingIntros,
  hasIntros,
  type IntroFields,
  listNewestReplies,
  listNextDue,
  listOpenDeclines,
  listUnsent,
  readExportPages,
  type UnsentRow,
} from '../../intros/index.ts';
import { countActive } from '../../members/index.ts';
import { dismissSetup, findOrganization } from '../../organizations/index.ts';
import { createCache } from '../../platform/bounded-map.ts';
import { type CsvColumns, type CsvValue, writeCsv } from '../../platform/csv.ts';
import { invalid } from '../../platform/errors.ts';
import { idBound } from '../../platform/ids.ts';
import { type ConsoleAccess, keepPrivate } from '../access.ts';
import { recordExport } from '../activity.ts';
import type { ConsoleDeps } from '../deps.ts';
import { type ConsoleHandlers, requireOrganization } from '../operations.ts';
import { datesUntil, startOfDate } from './rules.ts';
import { findIssues, readStatistics } from './statistics.ts';

/** The owner and one more member. */
const FIRST_TEAM = 2;

/** Each item comes from the organization's data, so that it is done no matter where it was done. */
async function readSetup(
  { db, carrierWatch }: Pick<ConsoleDeps, 'db' | 'carrierWatch'>,
  tenant: Tenant,
): Promise<SetupChecklist> {
  const [organization, members, account, has_event, has_intro, has_text] = await Promise.all([
    findOrganization(db.kysely, tenant.organizationId),
    countActive(db, tenant, FIRST_TEAM),
    readAccount(db.kysely, tenant),
    hasEvents(db, tenant),
    hasIntros(db, tenant),
    hasDeliveredTexts(db, tenant),
  ]);
  return {
    has_brand: organization !== null && (organization.logo !== null || organization.accent !== null),
    has_members: members >= FIRST_TEAM,
    has_carrier: account !== null || carrierWatch.states().text === 'ok',
    has_event,
    has_text,
    has_intro,
    dismissed: organization !== null && organization.setup_dismissed_at !== null,
  };
}

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

const COLUMNS: CsvColumns<IntroFields> = CSV_COLUMNS.map(([heading, read]) => [
  heading,
  (row) => read(row) as CsvValue,
]);

function readDays(text: unknown): OverviewDays {
  const days = OVERVIEW_DAYS.find((one) => String(one) === text);
  if (days === undefined) throw invalid('days', `must be one of ${OVERVIEW_DAYS.join(', ')}`);
  return days;
}

/** Streams the period's intros as CSV, one per line. */
export function registerExport(app: FastifyInstance, { db, clock }: ConsoleDeps, access: ConsoleAccess): void {
  app.get<{ Querystring: { days?: string } }>(
    '/console/export/intros.csv',
    { config: { operation: 'console_export' } },
    async (request, reply) => {
      const user = await access.admit(request, 'manager');
      const { tenant } = user;
      const days = readDays(request.query.days);
      const organization = await requireOrganization(db.kysely, tenant);
      const now = clock();
      const dates = datesUntil(now, days, organization.timezone);
      const [first = '', last = ''] = [dates[0], dates.at(-1)];
      const from = idBound('int', startOfDate(first, organization.timezone));
      // Excludes intros that are created during the export.
      const until = idBound('int', new Date(now.getTime() + 1));
      await recordExport({ db }, request, user, 'intros');
      keepPrivate(reply)
        .type('text/csv; charset=utf-8')
        .header('content-disposition', `attachment; filename="intros-${first}-to-${last}.csv"`);
      return reply.send(Readable.from(writeCsv(COLUMNS, readExportPages(db.kysely, tenant, { from, until }))));
    },
  );
}
