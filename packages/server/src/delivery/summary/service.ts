/** Folder: the weekly summary for owners. */

import { isBounced } from '../../members/index.ts';
import { findOrganization, testTenant } from '../../organizations/index.ts';
import type { Jobs } from '../../platform/jobs.ts';
import type { Tenant } from '../../tables.ts';
import { ADDRESS_BOUNCES, markIfWrong } from '../bounces/rejection.ts';
import type { Mail, Outcome } from '../carriers/carrier.ts';
import { type OwnerEmailJob, SENDER_NAME } from '../queue/owner-emails.ts';
import { type OwnerEmailRow, recordAcceptance, recordFailure } from '../store/owner-emails.ts';
import {
  findFigures,
  findSummaryOwner,
  markHandedOver,
  settleUnconfirmed,
  startSummaryAttempt,
  takeBack,
} from '../store/weekly-summaries.ts';
import { renderSummaryHtml, renderSummaryText, summarySubject } from '../wording/weekly-summary.ts';
import { planSummaries, SUMMARIES_INTERVAL_MS, type SummaryDeps, WEEKLY_SUMMARIES } from './planning.ts';

export { SUMMARIES_INTERVAL_MS, WEEKLY_SUMMARIES };

const UNCONFIRMED = 'The mail server did not confirm the email, so it may have arrived. It is not sent again.';
const NOT_WANTED = 'The owner turned the summary off, or is no longer an owner.';

/** The email that sums up the week for each owner, on Monday morning. */
export interface WeeklySummaries {
  /** Plans the summaries that are due. Any number of nodes may run it at once. */
  plan(): Promise<void>;
  /** Runs a job; throws to have it retried. */
  send(job: OwnerEmailJob): Promise<void>;
}

/** Null if the owner no longer wants it. */
async function writeMail(deps: SummaryDeps, tenant: Tenant, row: OwnerEmailRow): Promise<Mail | null> {
  const { db, offLinks, publicUrl } = deps;
  const { id, address: to, attempts: attempt, member_id: memberId, week } = row;
  if (memberId === null || week === null) return null;
  const { organizationId } = tenant;
  const [organization, owner, figures] = await Promise.all([
    findOrganization(db.kysely, organizationId),
    findSummaryOwner(db.kysely, tenant, memberId),
    findFigures(db.kysely, tenant, week),
  ]);
  if (organization === null || owner === null || figures === null) return null;
  const offUrl = offLinks.urlOf({ organizationId, memberId });
  const consoleUrl = `${publicUrl}/console`;
  const written = { organization, ownerFirstName: owner.first_name, week, figures, consoleUrl, offUrl };
  return {
    ...{ id, to, attempt, fromName: SENDER_NAME, subject: summarySubject(written), unsubscribeUrl: offUrl },
    ...{ text: renderSummaryText(written), html: renderSummaryHtml(written) },
  };
}

interface Attempt {
  readonly row: OwnerEmailRow;
  readonly carrier: string;
  readonly handedOver: boolean;
}

async function settle(
  { db, clock }: SummaryDeps,
  tenant: Tenant,
  { row, carrier, handedOver }: Attempt,
  outcome: Outcome,
): Promise<void> {
  const { id } = row;
  if (outcome.kind === 'accepted') {
    await recordAcceptance(db.kysely, row, { carrier, settled_at: clock() });
    return;
  }
  const { message: error_message } = outcome;
  if (outcome.kind === 'doubt') {
    const unconfirmed = { error_message: UNCONFIRMED, settled_at: clock() };
    // False if it was not handed over. If this attempt still hands it over later, the next one cannot.
    if (await settleUnconfirmed(db.kysely, tenant, id, unconfirmed)) return;
  } else if (handedOver) {
    await takeBack(db.kysely, tenant, id);
  }
  await markIfWrong(db, tenant, row.address, outcome, clock());
  if (outcome.kind === 'refused' || row.attempts > WEEKLY_SUMMARIES.retryLimit) {
    await recordFailure(db.kysely, row, { carrier, error_message, settled_at: clock() });
    return;
  }
  await recordFailure(db.kysely, row, { carrier, error_message, settled_at: null });
  throw new Error(`weekly summary ${id} was not sent: ${error_message}`);
}

/**
 * The row notes when the mail server asks for the content. A job that runs again after that, because the process died before
 * the server confirmed, sends nothing: a second copy annoys more than a missing one.
 */
async function sendSummary(deps: SummaryDeps, tenant: Tenant, id: string): Promise<void> {
  const { db, clock, carriers, log } = deps;
  const row = await startSummaryAttempt(db.kysely, tenant, id);
  if (row === undefined) {
    await settleUnconfirmed(db.kysely, tenant, id, { error_message: UNCONFIRMED, settled_at: clock() });
    return;
  }
  const bounces = await isBounced(db.kysely, tenant, row.address);
  const mail = bounces ? null : await writeMail(deps, tenant, row);
  if (mail === null) {
    const error_message = bounces ? ADDRESS_BOUNCES : NOT_WANTED;
    await recordFailure(db.kysely, row, { carrier: null, error_message, settled_at: clock() });
    return;
  }
  const account = { organizationId: tenant.organizationId, sealed: null };
  const carrier = carriers.nameOf('email', row.address, account);
  const stored = { subject: row.subject, body: row.body, segments: null };
  let handedOver = false;
  const beforeContent = async () => {
    handedOver = await markHandedOver(db.kysely, tenant, id, clock());
    if (!handedOver) throw new Error('another attempt is sending this email');
  };
  const outcome = await carriers.send({ channel: 'email', message: { ...mail, beforeContent }, stored }, account);
  log.info({ organization: tenant.organizationId, email: id, carrier, outcome: outcome.kind }, 'weekly summary');
  await settle(deps, tenant, { row, carrier, handedOver }, outcome);
}

export const createWeeklySummaries = (deps: SummaryDeps): WeeklySummaries => ({
  plan: () => planSummaries(deps),
  send: ({ organizationId, id }) => sendSummary(deps, testTenant(organizationId), id),
});

export const workOnWeeklySummaries = (jobs: Pick<Jobs, 'work'>, summaries: WeeklySummaries): Promise<void> =>
  jobs.work<OwnerEmailJob>(WEEKLY_SUMMARIES, async (batch) => {
    for (const job of batch) await summaries.send(job);
  });
