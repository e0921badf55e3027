import { DAY_MS } from '@foreword/contract';
import type { Services } from '../app/services.ts';
import type { Database, Row, Tenant, Tx } from '../db/tenancy.ts';
import { countWeeks, listLongestWaiting } from '../intros/index.ts';
import { findOrganization, testTenant } from '../organizations/index.ts';
import { newId } from '../platform/ids.ts';
import { localDate } from '../platform/instants.ts';
import { hmac, isSame } from '../platform/seal.ts';
import type { ServerKey } from '../platform/server-key.ts';
import type { Mail } from './carriers/carrier.ts';
import type { Carriers } from './carriers/index.ts';
import { SENDER_NAME, sendOwnerEmail } from './owner-emails.ts';
import {
  findFigures,
  insertOwnerEmails,
  insertSummary,
  listSummaryOwners,
  listTimezones,
  listUnsummarized,
  type OwnerEmailRow,
  type Recipient,
  type SummarizedOrganization,
} from './store/messages.ts';
import { fullName, type SummaryFigures, writeSummary } from './wording/email.ts';

/** Monday morning, before the week is planned. */
const SEND_AT = '08:00';
/** After a longer outage, the summary would arrive in the middle of the week, and is left out. */
const SENT_UNTIL_MS = DAY_MS;
const WEEK_DAYS = 7;

interface SummaryWeek {
  /** The Monday on which the summary is sent, such as `2026-03-09`. */
  readonly week: string;
  readonly dueAt: Date;
  /** The seven days before, and those before them: from midnight to midnight in the time zone. */
  readonly before: Date;
  readonly from: Date;
  readonly until: Date;
}

const toDate = ({ epochMilliseconds }: Temporal.ZonedDateTime): Date => new Date(epochMilliseconds);

/** The week whose summary is sent on the Monday of the current week. Weeks with a clock change have 167 or 169 hours. */
export function summaryWeek(now: Date, timezone: string): SummaryWeek {
  const today = Temporal.PlainDate.from(localDate(now, timezone));
  const monday = today.subtract({ days: today.dayOfWeek - 1 });
  const midnight = (days: number) => toDate(monday.add({ days }).toZonedDateTime(timezone));
  return {
    week: monday.toString(),
    dueAt: toDate(monday.toZonedDateTime({ timeZone: timezone, plainTime: SEND_AT })),
    before: midnight(-2 * WEEK_DAYS),
    from: midnight(-WEEK_DAYS),
    until: midnight(0),
  };
}

export const isDue = ({ dueAt }: SummaryWeek, now: Date): boolean =>
  now >= dueAt && now.getTime() < dueAt.getTime() + SENT_UNTIL_MS;

export const SUMMARIES_INTERVAL_MS = 60_000;

interface Deps extends Pick<Services, 'db' | 'reportDb' | 'clock' | 'publicUrl' | 'log'> {
  readonly carriers: Carriers;
  readonly offLinks: OffLinks;
}

/** Organizations per query. The next query finds the rest. */
const BATCH = 100;
/** More names would not be read on a Monday morning; the overview lists the others. */
const LONGEST_SHOWN = 5;

/** Null for a week without any intros. */
async function readFigures(db: Database, tenant: Tenant, week: SummaryWeek, now: Date): Promise<SummaryFigures | null> {
  const counts = await countWeeks(db, tenant, { ...week, now });
  const { requested, sent, watched, answered } = counts;
  if (requested.now + sent.now + watched.now + answered.now === 0) return null;
  const longest = await listLongestWaiting(db, tenant, LONGEST_SHOWN);
  return {
    ...counts,
    longest: longest.map((row) => ({
      id: row.id,
      recipient: fullName(row.recipient_first_name, row.recipient_last_name),
      member: fullName(row.member_first_name, row.member_last_name),
      since: row.created_at.toISOString(),
    })),
  };
}

function writeTo(
  { publicUrl }: Deps,
  { first_name: ownerFirstName, language }: Recipient,
  about: { organization: Row<'organizations'>; week: string; figures: SummaryFigures; offUrl: string | null },
) {
  const to = { ownerFirstName, organization: { ...about.organization, language } };
  const monday = Temporal.PlainDate.from(about.week);
  // The figures are those of the week that the summary covers.
  const days = { first: monday.subtract({ weeks: 1 }).toString(), last: monday.subtract({ days: 1 }).toString() };
  return writeSummary({ ...about, ...days, ...to, consoleUrl: `${publicUrl}/console` });
}

/** Stores the week, and an email for each owner, in one transaction. Another node that is first wins. */
async function planOrganization(deps: Deps, { id, timezone }: SummarizedOrganization, now: Date): Promise<void> {
  const tenant = testTenant(id);
  const due = summaryWeek(now, timezone);
  const { week } = due;
  const figures = await readFigures(deps.reportDb, tenant, due, now);
  await deps.db.kysely.transaction().execute(async (tx) => {
    if (!(await insertSummary(tx, tenant, { week, figures }, now)) || figures === null) return;
    const organization = await findOrganization(tx, id);
    if (organization === null) return;
    const emails = (await listSummaryOwners(tx, tenant)).map((owner) => {
      const { subject, text: body } = writeTo(deps, owner, { organization, week, figures, offUrl: null });
      const to = { purpose: 'weekly_summary', address: owner.email, member_id: owner.id } as const;
      return { id: newId('msg', now), ...to, subject, body, week };
    });
    await insertOwnerEmails(tx, tenant, emails, now);
  });
}

/** The summary of this week is not sent, because another installation has sent it. */
export async function skipWeeklySummary(tx: Tx, tenant: Tenant, now: Date): Promise<void> {
  const organization = await findOrganization(tx, tenant.organizationId);
  if (organization === null) throw new Error('the organization no longer exists');
  const { week } = summaryWeek(now, organization.timezone);
  await insertSummary(tx, tenant, { week, figures: null }, now);
}

/** Plans every summary that is due. Does almost nothing except on Mondays. */
async function planSummaries(deps: Deps): Promise<void> {
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

const NOT_WANTED = 'The owner turned the summary off, or is no longer an owner.';

/** The email, or why it is not sent. */
async function writeMail(deps: Deps, row: OwnerEmailRow): Promise<Mail | string> {
  const { kysely } = deps.db;
  const { id, address: to, attempts: attempt, member_id: memberId, week, organization_id: organizationId } = row;
  if (memberId === null || week === null) return NOT_WANTED;
  const tenant = testTenant(organizationId);
  const [organization, owners, figures] = await Promise.all([
    findOrganization(kysely, organizationId),
    listSummaryOwners(kysely, tenant),
    findFigures(kysely, tenant, week),
  ]);
  const owner = owners.find(({ id: owner }) => owner === memberId);
  if (organization === null || owner === undefined || figures === null) return NOT_WANTED;
  const offUrl = deps.offLinks.urlOf({ organizationId, memberId });
  const written = writeTo(deps, owner, { organization, week, figures, offUrl });
  return { id, to, attempt, fromName: SENDER_NAME, unsubscribeUrl: offUrl, ...written };
}

/** The email that sums up the week for each owner, on Monday morning. */
export const createWeeklySummaries = (deps: Deps) => ({
  /** Plans the summaries that are due. Any number of nodes may run it at once. */
  plan: () => planSummaries(deps),
  /** A second copy annoys more than a missing one. */
  send: (row: OwnerEmailRow) => sendOwnerEmail(deps, row, { once: true, write: () => writeMail(deps, row) }),
});

export interface OffLink {
  readonly organizationId: string;
  readonly memberId: string;
}

const PURPOSE = 'link that turns the weekly summary off';

export const OFF_PATH = '/weekly-summary/off';

type OffLinks = ReturnType<typeof createOffLinks>;

/** Links that turn the summary off without signing in. Nothing about them is stored. */
export function createOffLinks(serverKey: ServerKey, publicUrl: string) {
  const sign = (key: Buffer, recipient: string): string => hmac(key, recipient).toString('base64url');
  return {
    urlOf({ organizationId, memberId }: OffLink): string {
      const recipient = `${organizationId}.${memberId}`;
      return `${publicUrl}${OFF_PATH}/${recipient}.${sign(serverKey.current(PURPOSE).key, recipient)}`;
    },
    /** Null unless this service has signed the token. */
    read(token: string): OffLink | null {
      const [organizationId = '', memberId = '', signature = '', ...rest] = token.split('.');
      const recipient = `${organizationId}.${memberId}`;
      const isSigned = serverKey.all(PURPOSE).some(({ key }) => isSame(signature, sign(key, recipient)));
      return rest.length === 0 && isSigned ? { organizationId, memberId } : null;
    },
  };
}
