import type { Transaction } from 'kysely';
import { findOrganization, testTenant } from '../../organizations/index.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Database } from '../../platform/db.ts';
import { newId } from '../../platform/ids.ts';
import type { Jobs, QueueDefinition } from '../../platform/jobs.ts';
import type { Logger } from '../../platform/log.ts';
import type { ApiKeyRow, OrganizationRow, Tables, Tenant, WebhookEndpointRow } from '../../tables.ts';
import type { Carriers } from '../carriers/index.ts';
import type { PauseReason } from '../limits/rules.ts';
import {
  adoptOwnerEmails,
  insertOwnerEmails,
  listOwners,
  type OwnerEmailRow,
  recordAttempt,
  startAttempt,
} from '../store/owner-emails.ts';
import {
  type DisabledReason,
  type Email,
  renderEmailHtml,
  renderEmailText,
  writeDailyLimit,
  writeDisabledEndpoint,
  writeExpiringKey,
  writeTextsPaused,
} from '../wording/email.ts';
import { ABANDONED_AFTER_MS } from './rules.ts';

/** Retries for about eight hours, so that an email survives an outage of the mail server. */
export const OWNER_EMAILS: QueueDefinition = {
  name: 'owner-emails',
  batchSize: 1,
  retryLimit: 13,
  retryDelayS: 5,
  retryDelayMaxS: 14_400,
  expireInSeconds: ABANDONED_AFTER_MS / 1000,
};
export const ADOPT_INTERVAL_MS = 60_000;
const SENDER_NAME = 'Foreword';
/** The page of the console that shows the limits. */
const TEXT_LIMITS_PATH = '/console/outbox/limits';

/** Only ids: the recipient and the contents stay in the row, which also records the result. */
export interface OwnerEmailJob {
  readonly organizationId: string;
  readonly id: string;
}

/** Emails to the owners of an organization about its setup. */
export interface OwnerEmails {
  /** In the transaction that disables the endpoint. */
  notifyEndpointDisabled(tx: Transaction<Tables>, endpoint: WebhookEndpointRow, reason: DisabledReason): Promise<void>;
  /** In the transaction that marks the key as notified. */
  notifyKeyExpires(tx: Transaction<Tables>, key: ApiKeyRow): Promise<void>;
  /** In the transaction that pauses the texts. */
  notifyTextsPaused(tx: Transaction<Tables>, tenant: Tenant, reason: PauseReason): Promise<void>;
  /** In the transaction that holds the first text. Without a member: the limit of the organization. */
  notifyDailyLimit(
    tx: Transaction<Tables>,
    tenant: Tenant,
    reached: { readonly member: string | null; readonly limit: number },
  ): Promise<void>;
  /** Runs a job; throws to have it retried. */
  send(job: OwnerEmailJob): Promise<void>;
  /** Creates jobs for emails that an older version left unsent; also during a rolling update, so it repeats. */
  adopt(): Promise<void>;
}

export const workOnOwnerEmails = (jobs: Pick<Jobs, 'work'>, ownerEmails: OwnerEmails): Promise<void> =>
  jobs.work<OwnerEmailJob>(OWNER_EMAILS, async (batch) => {
    for (const job of batch) await ownerEmails.send(job);
  });

interface OwnerEmailDeps {
  readonly db: Database<Tables>;
  readonly clock: Clock;
  readonly jobs: Pick<Jobs, 'sendWithin'>;
  readonly carriers: Carriers;
  readonly publicUrl: string;
  readonly log: Logger;
}

function toMessage({ id, address: to, subject, body, attempts: attempt }: OwnerEmailRow) {
  const [greeting = '', ...paragraphs] = body.trimEnd().split('\n\n');
  const email = { subject, greeting, lines: paragraphs.slice(0, -1), organization: paragraphs.at(-1) ?? '' };
  const html = renderEmailHtml(email, null);
  return {
    channel: 'email',
    message: { id, to, attempt, fromName: SENDER_NAME, subject, text: body, html },
    stored: { subject, body, wording: null, segments: null },
  } as const;
}

/**
 * A job that runs again skips an email that is recorded as sent. The owner gets a second one, with the same Message-ID, only
 * if the acknowledgment is lost: the connection breaks or the process dies between handing over and recording.
 */
async function sendEmail({ db, clock, carriers, log }: OwnerEmailDeps, tenant: Tenant, id: string): Promise<void> {
  const row = await startAttempt(db.kysely, tenant, id);
  if (row === undefined) return;
  const account = { organizationId: tenant.organizationId, sealed: null };
  const carrier = carriers.nameOf('email', row.address, account);
  const outcome = await carriers.send(toMessage(row), account);
  const line = {
    organization: tenant.organizationId,
    email: id,
    carrier,
    attempt: row.attempts,
    outcome: outcome.kind,
  };
  log.info(line, 'owner email');
  if (outcome.kind === 'accepted') {
    await recordAttempt(db.kysely, row, { status: 'accepted', carrier, error_message: null, settled_at: clock() });
    return;
  }
  const { message: error_message } = outcome;
  if (outcome.kind === 'refused' || row.attempts > OWNER_EMAILS.retryLimit) {
    await recordAttempt(db.kysely, row, { status: 'failed', carrier, error_message, settled_at: clock() });
    return;
  }
  await recordAttempt(db.kysely, row, { status: row.status, carrier, error_message, settled_at: null });
  throw new Error(`owner email ${id} was not sent: ${error_message}`);
}

/** Stores one email to each active owner, and enqueues it, in the caller's transaction. Returns how many. */
async function enqueue(
  { clock, jobs }: OwnerEmailDeps,
  tx: Transaction<Tables>,
  tenant: Tenant,
  purpose: OwnerEmailRow['purpose'],
  write: (owner: { firstName: string; organization: Pick<OrganizationRow, 'name' | 'timezone'> }) => Email,
): Promise<number> {
  const { organizationId } = tenant;
  const organization = await findOrganization(tx, organizationId);
  if (organization === null) return 0;
  const now = clock();
  const emails = (await listOwners(tx, tenant)).map(({ first_name: firstName, email: address }) => {
    const email = write({ firstName, organization });
    return { id: newId('msg', now), purpose, address, subject: email.subject, body: renderEmailText(email) };
  });
  await insertOwnerEmails(tx, tenant, emails, now);
  for (const { id } of emails) await jobs.sendWithin(tx, OWNER_EMAILS, { organizationId, id });
  return emails.length;
}

const tenantOf = (row: Pick<ApiKeyRow, 'organization_id' | 'environment'>): Tenant => ({
  organizationId: row.organization_id,
  environment: row.environment,
});

export function createOwnerEmails(deps: OwnerEmailDeps): OwnerEmails {
  const { db, clock, jobs, log } = deps;
  const consoleUrl = `${deps.publicUrl}${TEXT_LIMITS_PATH}`;
  return {
    async notifyEndpointDisabled(tx, endpoint, reason) {
      const count = await enqueue(
        deps,
        tx,
        tenantOf(endpoint),
        'webhook_disabled',
        ({ firstName, organization: { name } }) =>
          writeDisabledEndpoint({ endpoint, reason, organization: name, ownerFirstName: firstName }),
      );
      if (count === 0) {
        log.warn({ organization: endpoint.organization_id, endpoint: endpoint.id }, 'no active owner to notify');
      }
    },
    async notifyKeyExpires(tx, key) {
      const count = await enqueue(deps, tx, tenantOf(key), 'key_expires', ({ firstName, organization }) =>
        writeExpiringKey({ key, organization, ownerFirstName: firstName }),
      );
      if (count === 0) log.warn({ organization: key.organization_id, key: key.id }, 'no active owner to notify');
    },
    async notifyTextsPaused(tx, tenant, reason) {
      const count = await enqueue(deps, tx, tenant, 'texts_paused', ({ firstName, organization: { name } }) =>
        writeTextsPaused({ organization: name, ownerFirstName: firstName, consoleUrl }, reason),
      );
      if (count === 0) log.warn({ organization: tenant.organizationId, reason }, 'no active owner to notify');
    },
    async notifyDailyLimit(tx, tenant, reached) {
      const count = await enqueue(deps, tx, tenant, 'daily_limit', ({ firstName, organization: { name } }) =>
        writeDailyLimit({ organization: name, ownerFirstName: firstName, consoleUrl }, reached),
      );
      if (count === 0) log.warn({ organization: tenant.organizationId }, 'no active owner to notify');
    },
    send: ({ organizationId, id }) => sendEmail(deps, testTenant(organizationId), id),
    adopt: () =>
      db.kysely.transaction().execute(async (tx) => {
        const rows = await adoptOwnerEmails(tx, new Date(clock().getTime() - ABANDONED_AFTER_MS));
        for (const { organization_id: organizationId, id } of rows) {
          await jobs.sendWithin(tx, OWNER_EMAILS, { organizationId, id });
        }
      }),
  };
}
