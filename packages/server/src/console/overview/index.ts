/** The overview: figures, setup steps and problems. */

import { Readable } from 'node:stream';
import {
  type Attention,
  type AttentionIntro,
  INTRO_PROBLEMS,
  type IntroProblem,
  iso,
  OVERVIEW_DAYS,
  type OVERVIEW_OPERATIONS,
  type OverviewDays,
  type OverviewIssue,
  type SetupChecklist,
} from '@foreword/contract';
import type { FastifyInstance } from 'fastify';
import type { Tenant } from '../../db/tenancy.ts';
import { hasDeliveredTexts, readAccount } from '../../delivery/index.ts';
import { hasEvents } from '../../intros/events/index.ts';
import {
  CSV_COLUMNS,
  hasIntros,
  type IntroFields,
  type IntroListRow,
  problemsSince,
  readExportPages,
  readListRows,
  searchIntros,
} from '../../intros/index.ts';
import { countActive } from '../../members/index.ts';
import { dismissSetup, findOrganization } from '../../organizations/index.ts';
import { createCache } from '../../platform/bounded-map.ts';
import { type CsvColumns, type CsvValue, writeCsv } from '../../platform/csv.ts';
import { invalid } from '../../platform/errors.ts';
import { idBound } from '../../platform/ids.ts';
import { type ConsoleAccess, keepPrivate, mayActAs } from '../access.ts';
import { recordExport } from '../activity.ts';
import type { ConsoleDeps } from '../deps.ts';
import { presentIntroRow } from '../intros/present.ts';
import { type ConsoleHandlers, requireOrganization } from '../operations.ts';
import type { ConsoleUser } from '../sessions/service.ts';
import { datesUntil, orderAttention, startOfDate } from './rules.ts';
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
    readAttention: (user) =>
      readAttention(deps, user, () => issues.get(user.tenant.organizationId, () => findIssues(deps, user.tenant))),
    readSetup: (user) => readSetup(deps, user.tenant),
    async dismissSetup(user) {
      await dismissSetup(db.kysely, user.tenant.organizationId, deps.clock());
      return { dismissed: true };
    },
  };
}

/** More would not be read: the list of problems has them all. */
const INTROS_SHOWN = 30;

/** The next step of these is for managers and owners. */
const OF_TEAM: readonly IntroProblem[] = ['declined', 'member_not_reached'];

function presentProblem(row: IntroListRow, now: Date, { links }: Pick<ConsoleDeps, 'links'>): AttentionIntro[] {
  const { id, problem, recipient, member, delivery_error, declined, created_at, expires_at } = presentIntroRow(
    row,
    now,
  );
  if (problem === null) return [];
  const about = {
    declined: [declined?.reason, declined?.message, declined?.at],
    not_sent: [delivery_error?.message],
    not_delivered: [delivery_error?.message],
    member_not_reached: [row.notification_error_message],
    reply_waiting: [row.reply_label, row.reply_message, iso(row.replied_at)],
  }[problem];
  const [reason = null, message = null, at] = about;
  const recipient_url = row.recording_id === null ? null : links.pageUrl(id, row.link_host);
  const times = { at: at ?? created_at, expires_at };
  const code = delivery_error?.code ?? null;
  return [{ kind: 'intro', id, problem, recipient, member, reason, code, message, ...times, recipient_url, amount: 1 }];
}

/** A member sees what is theirs to do. System issues are for those who can fix them: webhooks are for owners. */
async function readAttention(
  deps: Pick<ConsoleDeps, 'db' | 'clock' | 'links'>,
  { tenant, memberId, role }: ConsoleUser,
  findIssues: () => Promise<readonly OverviewIssue[]>,
): Promise<Attention> {
  const { kysely: db } = deps.db;
  const now = deps.clock();
  const isTeam = mayActAs(role, 'manager');
  const kinds = INTRO_PROBLEMS.filter((kind) => isTeam || !OF_TEAM.includes(kind));
  const search = { statuses: [], terms: [], limit: INTROS_SHOWN, problems: { kinds, since: problemsSince(now) } };
  const [{ ids, next }, issues] = await Promise.all([
    searchIntros(db, tenant, { ...search, ...(!isTeam && { memberId }), isFixed: true }),
    isTeam ? findIssues() : [],
  ]);
  const rows = await readListRows(db, tenant, ids);
  const intros = rows.flatMap((row) => presentProblem(row, now, deps));
  const seen = issues.filter(({ kind }) => kind !== 'webhook' || mayActAs(role, 'owner'));
  return { items: orderAttention(intros, seen, now), has_more: next !== null };
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
