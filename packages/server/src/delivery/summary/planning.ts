import type { Transaction } from 'kysely';
import { countWeeks, listLongestWaiting } from '../../intros/index.ts';
import { findOrganization, testTenant } from '../../organizations/index.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Database } from '../../platform/db.ts';
import { newId } from '../../platform/ids.ts';
import type { Jobs, QueueDefinition } from '../../platform/jobs.ts';
import type { Logger } from '../../platform/log.ts';
import type { Tables, Tenant } from '../../tables.ts';
import type { Carriers } from '../carriers/index.ts';
import { OWNER_EMAILS } from '../queue/owner-emails.ts';
import { insertOwnerEmails } from '../store/owner-emails.ts';
import {
  insertSummary,
  listSummaryOwners,
  listTimezones,
  listUnsummarized,
  type SummarizedOrganization,
} from '../store/weekly-summaries.ts';
import { renderSummaryText, summarySubject } from '../wording/weekly-summary.ts';
import type { SummaryFigures } from './figures.ts';
import type { OffLinks } from './off-link.ts';
import { isDue, type SummaryWeek, summaryWeek } from './rules.ts';

/** A queue of its own: a summary is written when it is sent, and never sent twice. */
export const WEEKLY_SUMMARIES: QueueDefinition = { ...OWNER_EMAILS, name: 'weekly-summaries' };
export const SUMMARIES_INTERVAL_MS = 60_000;

export interface SummaryDeps {
  readonly db: Database<Tables>;
  /** For statistics. */
  readonly reportDb: Database<Tables>;
  readonly clock: Clock;
  readonly jobs: Pick<Jobs, 'sendWithin'>;
  readonly carriers: Carriers;
  readonly offLinks: OffLinks;
  readonly publicUrl: string;
  readonly log: Logger;
}

/** Organizations per query. The next query finds the rest. */
const BATCH = 100;
/** More names would not be read on a Monday morning; the overview lists the others. */
const LONGEST_SHOWN = 5;

/** Null for a week without any intros. */
async function readFigures(
  db: Database<Tables>,
  tenant: Tenant,
  week: SummaryWeek,
  now: Date,
): Promise<SummaryFigures | null> {
  const counts = await countWeeks(db, tenant, { ...week, now });
  const { requested, sent, watched, answered } = counts;
  if (requested.now + sent.now + watched.now + answered.now === 0) return null;
  const longest = await listLongestWaiting(db, tenant, LONGEST_SHOWN);
  return {
    ...counts,
    longest: longest.map((row) => ({
      id: row.id,
      recipient: [row.recipient_first_name, row.recipient_last_name].filter((name) => name !== null).join(' '),
      member: `${row.member_first_name} ${row.member_last_name}`,
      since: row.created_at.toISOString(),
    })),
  };
}

/** Stores the week, and an email with a job for each owner, in one transaction. Another node that is first wins. */
async function planOrganization(deps: SummaryDeps, { id, timezone }: SummarizedOrganization, now: Date): Promise<void> {
  const { db, jobs, publicUrl } = deps;
  const tenant = testTenant(id);
  const week = summaryWeek(now, timezone);
  const figures = await readFigures(deps.reportDb, tenant, week, now);
  await db.kysely.transaction().execute(async (tx) => {
    if (!(await insertSummary(tx, tenant, { week: week.week, figures }, now)) || figures === null) return;
    const organization = await findOrganization(tx, id);
    if (organization === null) return;
    const emails = (await listSummaryOwners(tx, tenant)).map((owner) => {
      const written = {
        organization,
        ownerFirstName: owner.first_name,
        week: week.week,
        figures,
        consoleUrl: `${publicUrl}/console`,
        offUrl: null,
      };
      return {
        id: newId('msg', now),
        purpose: 'weekly_summary' as const,
        address: owner.email,
        subject: summarySubject(written),
        body: renderSummaryText(written),
        member_id: owner.id,
        week: week.week,
      };
    });
    await insertOwnerEmails(tx, tenant, emails, now);
    for (const email of emails) await jobs.sendWithin(tx, WEEKLY_SUMMARIES, { organizationId: id, id: email.id });
  });
}

/** The summary of this week is not sent, because another installation has sent it. */
export async function skipWeeklySummary(tx: Transaction<Tables>, tenant: Tenant, now: Date): Promise<void> {
  const organization = await findOrganization(tx, tenant.organizationId);
  if (organization === null) throw new Error('the organization no longer exists');
  const { week } = summaryWeek(now, organization.timezone);
  await insertSummary(tx, tenant, { week, figures: null }, now);
}

/** Plans every summary that is due. Does almost nothing except on Mondays. */
export async function planSummaries(deps: SummaryDeps): Promise<void> {
  const { db, clock, log } = deps;
  const now = clock();
  const zones = (await listTimezones(db.kysely))
    .map((timezone) => ({ timezone, due: summaryWeek(now, timezone) }))
    .filter(({ due }) => isDue(due, now))
    .map(({ timezone, due }) => ({ timezone, week: due.week }));
  if (zones.length === 0) return;
  const failed = new Set<string>();
  for (;;) {
    // An organization that failed stays in the list until the next run, so the list grows by as many.
    const found = await listUnsummarized(db.kysely, zones, BATCH + failed.size);
    const open = found.filter(({ id }) => !failed.has(id));
    if (open.length === 0) return;
    for (const organization of open) {
      try {
        await planOrganization(deps, organization, now);
      } catch (err) {
        failed.add(organization.id);
        log.warn({ err, organization: organization.id }, 'weekly summary was not planned; it is tried again');
      }
    }
  }
}
