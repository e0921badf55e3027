import { setTimeout as pause } from 'node:timers/promises';
import { DEFAULT_LANGUAGE, HOUR_MS, type Language } from '@foreword/contract';
import type { Services } from '../app/services.ts';
import { type Row, type Tenant, type Tx, tenantOf } from '../db/tenancy.ts';
import { findIntro, type NewDecline } from '../intros/index.ts';
import { isBounced, markBounced } from '../members/index.ts';
import { findOrganization } from '../organizations/index.ts';
import { newId } from '../platform/ids.ts';
import type { Logger } from '../platform/log.ts';
import { every, type Schedule } from '../platform/schedule.ts';
import type { Mail } from './carriers/carrier.ts';
import type { Carriers } from './carriers/index.ts';
import { ABANDONED_AFTER_MS, type PauseReason } from './queue/rules.ts';
import {
  findLanguageOf,
  insertOwnerEmails,
  listManagersExcept,
  listOwners,
  markHandedOver,
  type OwnerEmailRow,
  type Recipient,
  recordAcceptance,
  recordFailure,
  settleUnconfirmed,
  takeBack,
  takeDueEmail,
} from './store/messages.ts';
import {
  type CarrierFault,
  type DisabledReason,
  type Email,
  type EmailWithLink,
  renderEmailHtml,
  renderEmailText,
  withButton,
  writeCarrierFault,
  writeDailyLimit,
  writeDeclinedIntro,
  writeDisabledEndpoint,
  writeExpiringKey,
  writeTextsPaused,
} from './wording/email.ts';

/** Eight hours with the pauses between them, so that an email survives an outage of the mail server. */
const ATTEMPTS = 10;
/** A worker that died did not report back within the first one. */
const RETRY_PAUSE = { firstMs: ABANDONED_AFTER_MS, maxMs: 4 * HOUR_MS } as const;
const FIND_INTERVAL_MS = 1_000;
export const SENDER_NAME = 'Foreword';
/** The page of the console that shows the limits. */
const TEXT_LIMITS_PATH = '/console/organization/texting';

interface OwnerEmailDeps extends Pick<Services, 'db' | 'clock' | 'publicUrl' | 'log'> {
  readonly carriers: Carriers;
}

/** The table is the queue. Returns whether an email was due. */
export async function sendDueEmail(
  { db: { kysely }, clock }: Pick<OwnerEmailDeps, 'db' | 'clock'>,
  send: (row: OwnerEmailRow) => Promise<void>,
): Promise<boolean> {
  const row = await takeDueEmail(kysely, clock(), RETRY_PAUSE);
  if (row !== undefined) await send(row);
  return row !== undefined;
}

/** Sends emails as they become due, one at a time. Another worker continues with an email that is in flight when this one stops. */
export const startSendingEmails = (log: Logger, sendNext: () => Promise<boolean>): Schedule =>
  every(FIND_INTERVAL_MS, 'send emails to owners', log, async (stopping) => {
    while (!stopping.aborted && (await sendNext()));
  });

function toMail(
  { id, purpose, address: to, subject, body, attempts: attempt }: OwnerEmailRow,
  language: Language,
): Mail {
  const [greeting = '', ...paragraphs] = body.trimEnd().split('\n\n');
  const words = { language, subject, greeting, lines: paragraphs.slice(0, -1), organization: paragraphs.at(-1) ?? '' };
  // The last paragraph of this email is the link.
  const html = () => renderEmailHtml(purpose === 'intro_declined' ? withButton(words) : words, null);
  return { id, to, attempt, fromName: SENDER_NAME, subject, text: body, html };
}

const ADDRESS_BOUNCES = 'Not sent: emails to this address bounce.';
const UNCONFIRMED = 'The mail server did not confirm the email, so it may have arrived. It is not sent again.';

/**
 * Sends an email whose attempt is counted. `write` returns it, or why it is not sent. The owner gets a second one, with the same
 * Message-ID, only if the acknowledgment is lost: the connection breaks or the process dies between handing over and recording. One that
 * is sent `once` notes in its row when the mail server asks for the content, and is not handed over again.
 */
export async function sendOwnerEmail(
  { db: { kysely }, clock, carriers, log }: Pick<OwnerEmailDeps, 'db' | 'clock' | 'carriers' | 'log'>,
  row: OwnerEmailRow,
  { once, write }: { readonly once: boolean; write(row: OwnerEmailRow): Promise<Mail | string> },
): Promise<void> {
  const { organization_id: organizationId, id } = row;
  const tenant = tenantOf(row);
  const settleInDoubt = () =>
    settleUnconfirmed(kysely, tenant, id, { error_message: UNCONFIRMED, settled_at: clock() });
  // By an attempt that did not report back.
  if (row.handed_over_at !== null) {
    await settleInDoubt();
    return;
  }
  const mail = (await isBounced(kysely, tenant, row.address)) ? ADDRESS_BOUNCES : await write(row);
  if (typeof mail === 'string') {
    await recordFailure(kysely, row, { carrier: null, error_message: mail, settled_at: clock() });
    return;
  }
  let isHandedOver = false;
  const beforeContent = async () => {
    isHandedOver = await markHandedOver(kysely, tenant, id, clock());
    if (!isHandedOver) throw new Error('another attempt is sending this email');
  };
  const account = { organizationId, sealed: null };
  const carrier = carriers.nameOf('email', row.address, account);
  const message = once ? { ...mail, beforeContent } : mail;
  const stored = { subject: row.subject, body: row.body, segments: null };
  const outcome = await carriers.send({ channel: 'email', message, stored }, account);
  const line = { organization: organizationId, email: id, purpose: row.purpose, carrier };
  log.info({ ...line, attempt: row.attempts, outcome: outcome.kind }, 'owner email');
  if (outcome.kind === 'accepted') {
    await recordAcceptance(kysely, row, { carrier, settled_at: clock() });
    return;
  }
  // If it was not handed over, and this attempt still hands it over later, the next one cannot.
  if (once && outcome.kind === 'doubt' && (await settleInDoubt())) return;
  if (isHandedOver) await takeBack(kysely, tenant, id);
  if (outcome.kind === 'refused' && outcome.isAddressWrong === true) {
    const bounce = { address: row.address, reason: outcome.message, sentAt: clock() };
    await kysely.transaction().execute((tx) => markBounced(tx, tenant, bounce, clock()));
  }
  const isLast = outcome.kind === 'refused' || row.attempts >= ATTEMPTS;
  await recordFailure(kysely, row, { carrier, error_message: outcome.message, settled_at: isLast ? clock() : null });
}

type Writer = (to: { ownerFirstName: string; organization: Row<'organizations'> }) => Email;

/** Stores one email to each recipient, by default each active owner, in the caller's transaction. Returns how many. */
async function enqueue(
  { clock }: OwnerEmailDeps,
  tx: Tx,
  tenant: Tenant,
  purpose: OwnerEmailRow['purpose'],
  write: Writer,
  recipients?: readonly Recipient[],
): Promise<number> {
  const organization = await findOrganization(tx, tenant.organizationId);
  if (organization === null) return 0;
  const now = clock();
  const emails = (recipients ?? (await listOwners(tx, tenant))).map(
    ({ first_name: ownerFirstName, email: address, language }) => {
      const email = write({ ownerFirstName, organization: { ...organization, language } });
      return { id: newId('msg', now), purpose, address, subject: email.subject, body: renderEmailText(email) };
    },
  );
  await insertOwnerEmails(tx, tenant, emails, now);
  return emails.length;
}

export type OwnerEmails = ReturnType<typeof createOwnerEmails>;

/** Emails to the owners of an organization about its setup, and to managers about intros that need them. */
export function createOwnerEmails(deps: OwnerEmailDeps) {
  const { log } = deps;
  const consoleUrl = `${deps.publicUrl}${TEXT_LIMITS_PATH}`;
  async function notify(tx: Tx, tenant: Tenant, purpose: OwnerEmailRow['purpose'], write: Writer): Promise<void> {
    const count = await enqueue(deps, tx, tenant, purpose, write);
    if (count === 0) log.warn({ organization: tenant.organizationId, purpose }, 'no active owner to notify');
  }
  return {
    /** In the transaction that disables the endpoint. */
    notifyEndpointDisabled: (tx: Tx, endpoint: Row<'webhook_endpoints'>, reason: DisabledReason) =>
      notify(tx, tenantOf(endpoint), 'webhook_disabled', (to) => writeDisabledEndpoint(to, { endpoint, reason })),
    /** In the transaction that marks the key as notified. */
    notifyKeyExpires: (tx: Tx, key: Row<'api_keys'>) =>
      notify(tx, tenantOf(key), 'key_expires', (to) => writeExpiringKey(to, key)),
    /** In the transaction that pauses the texts. */
    notifyTextsPaused: (tx: Tx, tenant: Tenant, reason: PauseReason) =>
      notify(tx, tenant, 'texts_paused', (to) => writeTextsPaused(to, reason, consoleUrl)),
    /** In the transaction that holds the first text. Without a member: the limit of the organization. */
    notifyDailyLimit: (tx: Tx, tenant: Tenant, reached: { member: string | null; limit: number }) =>
      notify(tx, tenant, 'daily_limit', (to) => writeDailyLimit(to, reached, consoleUrl)),
    /** In the transaction that holds the texts, or fails one. */
    async notifyCarrierFault(tx: Tx, tenant: Tenant, fault: CarrierFault): Promise<void> {
      const owners = await enqueue(deps, tx, tenant, 'carrier_fault', (to) => writeCarrierFault(to, fault, consoleUrl));
      const line = { organization: tenant.organizationId, fault: fault.fault, held: fault.isHeld, owners };
      log.warn(line, 'the account cannot send texts');
    },
    /** In the transaction that declines the intro. Goes to owners and managers, without the member who declined. */
    async notifyIntroDeclined(tx: Tx, tenant: Tenant, declined: NewDecline): Promise<void> {
      const { introId, memberId } = declined;
      const intro = await findIntro(tx, tenant, introId);
      if (intro === null) throw new Error(`cannot notify: the intro ${introId} does not exist`);
      const recipients = await listManagersExcept(tx, tenant, memberId);
      const link = `${deps.publicUrl}/console/intros/${introId}`;
      const write: Writer = (to) => writeDeclinedIntro(to, intro, declined, link);
      await enqueue(deps, tx, tenant, 'intro_declined', write, recipients);
    },
    send: (row: OwnerEmailRow): Promise<void> =>
      sendOwnerEmail(deps, row, {
        once: false,
        async write() {
          const language = await findLanguageOf(deps.db.kysely, tenantOf(row), row.address);
          return toMail(row, language ?? DEFAULT_LANGUAGE);
        },
      }),
  };
}

const RETRY_PAUSES_MS = [2_000, 10_000];

/**
 * Sends an email that contains a secret at once, and never stores it. If this process dies first, the email is lost and the
 * user requests another one. Returns false when it was certainly not sent.
 */
export async function sendSecretEmail(
  { carriers, log }: { carriers: Carriers; log: Logger },
  email: EmailWithLink,
  to: { id: string; address: string; organizationId: string; accent: string | null; fromName: string },
): Promise<boolean> {
  const { id, address, organizationId, accent, fromName } = to;
  const account = { organizationId, sealed: null };
  const { subject } = email;
  const text = renderEmailText(email);
  const html = () => renderEmailHtml(email, accent);
  for (const [index, retryPause] of [...RETRY_PAUSES_MS, null].entries()) {
    const message = { id, to: address, attempt: index + 1, fromName, subject, text, html };
    const stored = { subject, body: null, segments: null };
    const outcome = await carriers.send({ channel: 'email', message, stored }, account);
    log.info({ organization: organizationId, email: id, outcome: outcome.kind }, 'sign-in email');
    if (outcome.kind !== 'later' || retryPause === null) return outcome.kind === 'accepted' || outcome.kind === 'doubt';
    await pause(retryPause, undefined, { ref: false });
  }
  return false;
}
