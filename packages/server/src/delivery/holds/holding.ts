import type { Transaction } from 'kysely';
import type { Tables } from '../../tables.ts';
import { knownFault } from '../carriers/codes.ts';
import type { OwnerEmails } from '../queue/owner-emails.ts';
import type { LimitedText } from '../queue/rules.ts';
import { endHold, findProbeStatus, type HoldRow, lockHolds, markProbe } from '../store/holds.ts';
import type { MessageRow } from '../store/messages.ts';
import { notifyOwners } from './accounts.ts';
import { nextProbeAt } from './rules.ts';

/** A text that a provider is about to get, and the account that sends it. */
export interface AccountText {
  readonly row: MessageRow;
  readonly account: string;
  readonly isOwnAccount: boolean;
}

export interface AccountHolds<Text extends AccountText> {
  /** Texts that wait for their account. */
  readonly held: ReadonlyMap<Text, LimitedText>;
  /** Marks the probes that are sent after all, and returns them. */
  markProbes(isSent: (text: Text) => boolean): Promise<readonly Text[]>;
}

/** A probe that the carrier accepted, and about which it reported no fault until the next one is due, worked. */
async function endIfProbeWorked(tx: Transaction<Tables>, hold: HoldRow, now: Date): Promise<boolean> {
  if (!hold.is_reported || hold.next_probe_at > now) return false;
  const status = await findProbeStatus(tx, hold);
  if (status !== 'accepted' && status !== 'delivered') return false;
  await endHold(tx, hold.account, now);
  return true;
}

/**
 * Finds the texts whose account cannot send. Once it is time for a probe, the first of them is sent; the lock of the hold makes
 * that one text, even with several nodes.
 */
export async function holdAccounts<Text extends AccountText>(
  ownerEmails: OwnerEmails,
  tx: Transaction<Tables>,
  texts: readonly Text[],
  now: Date,
): Promise<AccountHolds<Text>> {
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
    held,
    async markProbes(isSent) {
      const marked = [...probes].filter(([text]) => isSent(text));
      for (const [{ row }, { hold, next }] of marked) await markProbe(tx, hold.account, { row, nextProbeAt: next });
      return marked.map(([text]) => text);
    },
  };
}
