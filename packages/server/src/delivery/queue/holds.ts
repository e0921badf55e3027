import { DELIVERY_FAILURES, type DeliveryFailureCode } from '@foreword/contract';
import { type Db, type Tenant, type Tx, tenantOf } from '../../db/tenancy.ts';
import { findIntro, readAppointment } from '../../intros/index.ts';
import type { Outcome, Report } from '../carriers/carrier.ts';
import { type AccountFault, knownFault } from '../carriers/codes.ts';
import type { Carriers } from '../carriers/index.ts';
import type { OwnerEmails } from '../owner-emails.ts';
import {
  countHeldTexts,
  endHold,
  findProbeStatus,
  type HoldRow,
  insertHold,
  listNotices,
  lockHolds,
  markProbe,
  NOTICE_GAP_MS,
  saveNotice,
} from '../store/holds.ts';
import { readAccount, releaseNumber } from '../store/limits.ts';
import { insertMessages, type MessageChange, type MessageRow, type NewMessage, newMessage } from '../store/queue.ts';
import type { LimitedText } from './rules.ts';

/** The fault of the account that sends the organization's texts. */
export async function readAccountFaults(deps: { carriers: Carriers }, db: Db, tenant: Tenant, now: Date) {
  const sealed = await readAccount(db, tenant);
  const account = deps.carriers.accountKeyOf({ organizationId: tenant.organizationId, sealed });
  const failedSince = new Date(now.getTime() - NOTICE_GAP_MS);
  const [notices, heldTexts] = await Promise.all([
    listNotices(db, tenant, { account, failedSince }),
    countHeldTexts(db, tenant),
  ]);
  const faults = notices.map(({ fault, started_at: since, message, is_held: isHeld }) => ({
    fault: knownFault(fault),
    ...{ since, message, isHeld },
  }));
  return { faults, heldTexts, isOwn: sealed !== null };
}

/**
 * Seconds between two texts that find out whether an account works again; the last one repeats. The first are short, because most
 * faults in a response end at once, and such a text costs nothing.
 */
const PROBE_DELAYS_S = [5, 30, 120, 600, 1_800, 3_600] as const;
/** If the carrier accepts texts and reports the fault later, each one costs money, and the report may take minutes. */
const REPORTED_PROBE_DELAYS_S = [600, 3_600, 14_400] as const;

/** When the next text may be sent after this many, while the account cannot send. */
function nextProbeAt(probes: number, { isReported }: { readonly isReported: boolean }, now: Date): Date {
  const delays = isReported ? REPORTED_PROBE_DELAYS_S : PROBE_DELAYS_S;
  const delayS = delays[Math.min(probes, delays.length - 1)] ?? 0;
  return new Date(now.getTime() + delayS * 1000);
}

/** Seconds before a text is sent again that the carrier accepted, but did not hand to the mobile network. */
const RESEND_DELAYS_S = [600, 3_600, 21_600] as const;

/** When to send it again; null after the last time. */
function resendAt(resends: number, now: Date): Date | null {
  const delayS = RESEND_DELAYS_S[resends];
  return delayS === undefined ? null : new Date(now.getTime() + delayS * 1000);
}

/** The carrier's words without phone numbers: they are kept after a recipient is erased. */
const withoutNumbers = (message: string): string => message.replaceAll(/\+?\d[\d ().-]{5,}\d/g, '…');

interface HoldContext {
  readonly ownerEmails: OwnerEmails;
  readonly tx: Tx;
  /** A text, as the claim left it. */
  readonly row: MessageRow;
  readonly now: Date;
}

interface Fault {
  readonly fault: AccountFault;
  readonly message: string;
}

/** Shows the fault in the console, and emails the owners once. */
export async function notifyOwners(
  { ownerEmails, tx, row, now }: HoldContext,
  { fault, message: words, since, isHeld }: Fault & { readonly since: Date; readonly isHeld: boolean },
): Promise<void> {
  const message = withoutNumbers(words);
  const { account, by_own_account: isOwnAccount } = row;
  if (account === null) return;
  const tenant = tenantOf(row);
  if (!(await saveNotice(tx, tenant, { fault, account, message, since }, now))) return;
  await ownerEmails.notifyCarrierFault(tx, tenant, { fault, message, isHeld, isOwnAccount });
}

/** Holds all texts of the account, and returns when the next one is sent to find out whether it works again. */
async function holdAccount(
  context: HoldContext,
  { fault, message, isReported }: Fault & { readonly isReported: boolean },
): Promise<Date> {
  const { tx, row, now } = context;
  const next = nextProbeAt(0, { isReported }, now);
  if (row.account === null) return next;
  const hold = await insertHold(tx, {
    account: row.account,
    fault,
    message: withoutNumbers(message),
    is_reported: isReported,
    started_at: now,
    next_probe_at: next,
  });
  await notifyOwners(context, { fault, message, since: hold.started_at, isHeld: true });
  return hold.next_probe_at > now ? hold.next_probe_at : next;
}

/**
 * The carrier took this text, so its account may work again; it works if the text arrived. Returns false if a report may still show
 * that it does not.
 */
export async function releaseHold({ tx, row, now }: HoldContext, outcome: 'accepted' | 'delivered'): Promise<boolean> {
  if (row.account === null || row.held_for !== 'carrier_account') return true;
  const [hold] = await lockHolds(tx, [row.account]);
  if (hold === undefined) return true;
  if (hold.probe_message_id !== row.id || (hold.is_reported && outcome === 'accepted')) return false;
  await endHold(tx, row.account, now);
  return true;
}

/** A probe that the carrier accepted, and about which it reported no fault until the next one is due, worked. */
async function endIfProbeWorked(tx: Tx, hold: HoldRow, now: Date): Promise<boolean> {
  if (!hold.is_reported || hold.next_probe_at > now) return false;
  const status = await findProbeStatus(tx, hold);
  if (status !== 'accepted' && status !== 'delivered') return false;
  await endHold(tx, hold.account, now);
  return true;
}

/**
 * Finds the texts, which a provider is about to get, whose account cannot send. Once it is time for a probe, the first of them is sent; the lock of the hold makes
 * that one text, even with several nodes.
 */
export async function holdAccounts<
  Text extends { readonly row: MessageRow; readonly account: string; readonly isOwnAccount: boolean },
>(ownerEmails: OwnerEmails, tx: Tx, texts: readonly Text[], now: Date) {
  const holds = await lockHolds(tx, [...new Set(texts.map(({ account }) => account))]);
  const held = new Map<Text, LimitedText>();
  const probes = new Map<Text, { readonly hold: HoldRow; readonly next: Date }>();
  for (const hold of holds) {
    if (await endIfProbeWorked(tx, hold, now)) continue;
    const isProbing = hold.next_probe_at <= now;
    const next = isProbing ? nextProbeAt(hold.probes + 1, { isReported: hold.is_reported }, now) : hold.next_probe_at;
    const waiting = texts.filter(({ account }) => account === hold.account);
    const [probe, ...others] = isProbing ? waiting : [undefined, ...waiting];
    if (probe !== undefined) probes.set(probe, { hold, next });
    for (const text of others) {
      if (text === undefined) continue;
      held.set(text, { kind: 'wait', until: next, heldFor: 'carrier_account', account: hold.account });
      if (text.row.held_for === 'carrier_account') continue;
      const { fault, message, started_at: since } = hold;
      const row = { ...text.row, account: text.account, by_own_account: text.isOwnAccount };
      await notifyOwners({ ownerEmails, tx, row, now }, { fault: knownFault(fault), message, since, isHeld: true });
    }
  }
  return {
    /** Texts that wait for their account. */
    held: held as ReadonlyMap<Text, LimitedText>,
    /** Marks the probes that are sent after all, and returns them. */
    async markProbes(isSent: (text: Text) => boolean): Promise<readonly Text[]> {
      const marked = [...probes].filter(([text]) => isSent(text));
      for (const [{ row }, { hold, next }] of marked) await markProbe(tx, hold.account, { row, nextProbeAt: next });
      return marked.map(([text]) => text);
    },
  };
}

type IntroContext = { appointment: { starts_at: string; timezone: string } | null } | null;

/** A text that is too late is not left waiting. */
async function endBeforeAppointment({ tx, row, now }: HoldContext, until: Date): Promise<Date> {
  const intro = row.purpose === 'deliver' ? await findIntro(tx, tenantOf(row), row.intro_id) : null;
  const appointment = readAppointment((intro?.context as IntroContext)?.appointment ?? undefined);
  return appointment !== null && appointment.startsAt > now && appointment.startsAt < until
    ? appointment.startsAt
    : until;
}

/** The account cannot send: the text waits for it, and does not lose an attempt. */
export async function holdText(
  context: HoldContext,
  { fault, message, mayFailOver }: Extract<Outcome, { kind: 'unusable' }>,
): Promise<Partial<MessageChange>> {
  const { tx, row } = context;
  const next = await holdAccount(context, { fault, message, isReported: false });
  const until = await endBeforeAppointment(context, next);
  await releaseNumber(tx, row);
  return {
    status: 'scheduled',
    due_at: until,
    held_for: 'carrier_account',
    held_until: until,
    held_attempts: row.held_attempts + 1,
    unsent_attempts: row.unsent_attempts + 1,
    // Both carriers failed: after the pause, the first one comes first again.
    ...(mayFailOver === true && { uses_fallback: false }),
    in_doubt: false,
    error_code: null,
    error_message: message,
  };
}

/** Plans the text after this one, unless there is one already. */
const planResend = ({ tx, row, now }: HoldContext, planned: Partial<NewMessage>): Promise<void> => {
  const { intro_id, audience, purpose, channel, address, account, round } = row;
  const message = newMessage(tenantOf(row), { intro_id, audience, purpose, channel, round: round + 1 }, now);
  return insertMessages(tx, [{ ...message, address, account, resends: row.resends + 1, ...planned }]);
};

/**
 * The carrier did not deliver a text that it had accepted, but another one can arrive. The new text has its own row, so that reports
 * about the old one still find it. One that was sent manually in the meantime has the same round, and replaces it. Returns
 * why the old text failed, if its account is at fault.
 */
export async function sendAgain(
  context: HoldContext,
  { again, fault, message }: Report,
): Promise<{ code: DeliveryFailureCode; message: string } | null> {
  const { tx, row, now } = context;
  if (again === undefined || row.channel !== 'text' || row.account === null) return null;
  if (again === 'retry') {
    const dueAt = resendAt(row.resends, now);
    if (dueAt === null || row.purpose !== 'deliver') return null;
    await releaseNumber(tx, row);
    await planResend(context, { due_at: dueAt });
    return null;
  }
  await holdAccount(context, { fault: fault ?? 'credentials', message: message ?? '', isReported: true });
  await releaseNumber(tx, row);
  // Its claim decides until when it waits, or gives it to the second carrier.
  if (row.purpose === 'deliver') await planResend(context, { held_for: 'carrier_account', held_until: now });
  return { code: 'carrier_account', message: `${DELIVERY_FAILURES.carrier_account} (${message ?? ''})` };
}
