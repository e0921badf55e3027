/** Folder: opt-outs of recipients. */

import type { Transaction } from 'kysely';
import { newId } from '../../platform/ids.ts';
import type { ConsentSource, Tables, Tenant } from '../../tables.ts';
import { appendConsent, changeOptOutSource, deleteOptOut, findOptOut, insertOptOut } from '../store/consents.ts';
import { makeDeliveriesDue } from '../store/messages.ts';
import type { ErasedOptOuts } from './erased.ts';
import { canBeUndone, UNDONE_BY_TEAM } from './undo.ts';

/** A recipient's decision about text messages, and how it was received. */
export interface Consent {
  readonly phone: string;
  readonly source: ConsentSource;
  /** The recipient's own words. */
  readonly said?: string | undefined;
}

export interface OptOutEvent {
  readonly type: 'recipient.opted_out';
  readonly tenant: Tenant;
  readonly phone: string;
  readonly optedOutAt: Date;
}

type PublishOptOut = (tx: Transaction<Tables>, events: readonly OptOutEvent[], now: Date) => Promise<void>;

const SAID_MAX_LENGTH = 100;

const toConsent = ({ phone, source, said }: Consent, kind: 'opt_out' | 'opt_in', now: Date) => ({
  id: newId('con', now),
  phone,
  kind,
  source,
  said: said?.slice(0, SAID_MAX_LENGTH) ?? null,
  created_at: now,
  by_member: null,
});

/** Returns false, and publishes nothing, if the number had already opted out. */
export async function optOut(
  publish: PublishOptOut,
  tx: Transaction<Tables>,
  tenant: Tenant,
  consent: Consent,
  now: Date,
): Promise<boolean> {
  const { phone, source } = consent;
  if (!(await insertOptOut(tx, tenant, { phone, source, opted_out_at: now }))) {
    if (canBeUndone(source)) return false;
    // A STOP after the button on the page: from now on, only START undoes it.
    if (await changeOptOutSource(tx, tenant, phone, { from: UNDONE_BY_TEAM, to: source })) {
      await appendConsent(tx, tenant, toConsent(consent, 'opt_out', now));
      return false;
    }
    // The row that prevented the insert is gone: the team undid it at this moment, before the STOP.
    const isGone = (await findOptOut(tx, tenant, phone)) === undefined;
    return isGone && optOut(publish, tx, tenant, consent, now);
  }
  await appendConsent(tx, tenant, toConsent(consent, 'opt_out', now));
  await makeDeliveriesDue(tx, tenant, phone, now);
  await publish(tx, [{ type: 'recipient.opted_out', tenant, phone, optedOutAt: now }], now);
  return true;
}

/** False if the number had not opted out. */
export async function optIn(
  erasedOptOuts: Pick<ErasedOptOuts, 'forget'>,
  tx: Transaction<Tables>,
  tenant: Tenant,
  consent: Consent,
  now: Date,
): Promise<boolean> {
  const isDeleted = await deleteOptOut(tx, tenant, consent.phone);
  const isForgotten = await erasedOptOuts.forget(tx, tenant, consent.phone);
  // A new intro may have brought it back between the two.
  if (!isDeleted && !isForgotten && !(await deleteOptOut(tx, tenant, consent.phone))) return false;
  await appendConsent(tx, tenant, toConsent(consent, 'opt_in', now));
  return true;
}
