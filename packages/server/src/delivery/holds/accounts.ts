import type { Transaction } from 'kysely';
import type { Tables } from '../../tables.ts';
import type { AccountFault } from '../carriers/codes.ts';
import type { OwnerEmails } from '../queue/owner-emails.ts';
import { endHold, insertHold, lockHolds, probeAgain, saveNotice } from '../store/holds.ts';
import { type MessageRow, tenantOf } from '../store/messages.ts';
import { nextProbeAt, withoutNumbers } from './rules.ts';

export interface HoldContext {
  readonly ownerEmails: OwnerEmails;
  readonly tx: Transaction<Tables>;
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
export async function holdAccount(
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

/** The carrier took this text, so its account may work again. Returns false if a report may still show that it does not. */
export async function releaseAfterAcceptance({ tx, row, now }: HoldContext): Promise<boolean> {
  if (row.account === null || row.held_for !== 'carrier_account') return true;
  const [hold] = await lockHolds(tx, [row.account]);
  if (hold === undefined) return true;
  if (hold.is_reported || hold.probe_message_id !== row.id) return false;
  await endHold(tx, row.account, now);
  return true;
}

/** The text arrived, so the account works. */
export async function releaseAfterDelivery({ tx, row, now }: HoldContext): Promise<void> {
  if (row.account === null || row.held_for !== 'carrier_account') return;
  const [hold] = await lockHolds(tx, [row.account]);
  if (hold?.probe_message_id === row.id) await endHold(tx, row.account, now);
}

/** The text failed for a reason of its own. If it was a probe, the next text is one. */
export async function probeWithAnother({ tx, row, now }: HoldContext): Promise<void> {
  if (row.held_for === 'carrier_account') await probeAgain(tx, row, now);
}
