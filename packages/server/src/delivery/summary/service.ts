/** Folder: the weekly summary for owners. */

import { timingSafeEqual } from 'node:crypto';
import type { Transaction } from 'kysely';
import type { Tables, Tenant } from '../../db/tenancy.ts';
import { countWeeks, listLongestWaiting } from '../../intros/index.ts';
import { findOrganization, testTenant } from '../../organizations/index.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Database } from '../../platform/db.ts';
import { hmac } from '../../platform/hmac.ts';
import { newId } from '../../platform/ids.ts';
import type { Jobs } from '../../platform/jobs.ts';
import type { Logger } from '../../platform/log.ts';
import type { ServerKey } from '../../platform/server-key.ts';
import type { Mail } from '../carriers/carrier.ts';
import type { Carriers } from '../carriers/index.ts';
import { type OwnerEmailJob, SENDER_NAME, sendOwnerEmail, WEEKLY_SUMMARIES } from '../owner-emails.ts';
import {
  findFigures,
  findSummaryOwner,
  insertOwnerEmails,
  insertSummary,
  listSummaryOwners,
  listTimezones,
  listUnsummarized,
  type OwnerEmailRow,
  type SummarizedOrganization,
} from '../store/owner-emails.ts';
import {
  renderSummaryHtml,
  renderSummaryText,
  type SummaryFigures,
  summarySubject,
} from '../wording/weekly-summary.ts';
import { isDue, type SummaryWeek, summaryWeek } from './rules.ts';

const NOT_WANTED = 'The owner turned the summary off, or is no longer an owner.';

/** The email that sums up the week for each owner, on Monday morning. */
export interface WeeklySummaries {
  /** Plans the summaries that are due. Any number of nodes may run it at once. */
  plan(): Promise<void>;
  /** Runs a job; throws to have it retried. */
  send(job: OwnerEmailJob): Promise<void>;
}

/** Or why it is not sent. */
async function writeMail(deps: SummaryDeps, row: OwnerEmailRow): Promise<Mail | string> {
  const { db, offLinks, publicUrl } = deps;
  const { id, address: to, attempts: attempt, member_id: memberId, week, organization_id: organizationId } = row;
  if (memberId === null || week === null) return NOT_WANTED;
  const tenant = testTenant(organizationId);
  const [organization, owner, figures] = await Promise.all([
    findOrganization(db.kysely, organizationId),
    findSummaryOwner(db.kysely, tenant, memberId),
    findFigures(db.kysely, tenant, week),
  ]);
  if (organization === null || owner === null || figures === null) return NOT_WANTED;
  const offUrl = offLinks.urlOf({ organizationId, memberId });
  const consoleUrl = `${publicUrl}/console`;
  const written = { organization, ownerFirstName: owner.first_name, week, figures, consoleUrl, offUrl };
  return {
    ...{ id, to, attempt, fromName: SENDER_NAME, subject: summarySubject(written), unsubscribeUrl: offUrl },
    ...{ text: renderSummaryText(written), html: renderSummaryHtml(written) },
  };
}

export const createWeeklySummaries = (deps: SummaryDeps): WeeklySummaries => ({
  plan: () => planSummaries(deps),
  // A second copy annoys more than a missing one.
  send: (job) => sendOwnerEmail(deps, job, { once: true, write: (row) => writeMail(deps, row) }),
});

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
async function planSummaries(deps: SummaryDeps): Promise<void> {
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

/** The owner that a link belongs to. */
export interface SummaryRecipient {
  readonly organizationId: string;
  readonly memberId: string;
}

/** Links that turn the summary off without signing in. Nothing about them is stored. */
export interface OffLinks {
  urlOf(recipient: SummaryRecipient): string;
  /** Null unless this service has signed the token. */
  read(token: string): SummaryRecipient | null;
}

const PURPOSE = 'link that turns the weekly summary off';

export const OFF_PATH = '/weekly-summary/off';

export function createOffLinks(serverKey: ServerKey, publicUrl: string): OffLinks {
  const sign = (key: Buffer, recipient: string): string => hmac(key, recipient).toString('base64url');
  const isSignedWith = (key: Buffer, recipient: string, signature: string): boolean => {
    const [given, right] = [Buffer.from(signature), Buffer.from(sign(key, recipient))];
    return given.length === right.length && timingSafeEqual(given, right);
  };
  return {
    urlOf({ organizationId, memberId }) {
      const recipient = `${organizationId}.${memberId}`;
      return `${publicUrl}${OFF_PATH}/${recipient}.${sign(serverKey.current(PURPOSE).key, recipient)}`;
    },
    read(token) {
      const [organizationId = '', memberId = '', signature = '', ...rest] = token.split('.');
      const recipient = `${organizationId}.${memberId}`;
      const isSigned = serverKey.all(PURPOSE).some(({ key }) => isSignedWith(key, recipient, signature));
      return rest.length === 0 && isSigned ? { organizationId, memberId } : null;
    },
  };
}
