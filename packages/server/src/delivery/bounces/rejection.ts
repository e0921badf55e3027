import { markBounced } from '../../members/index.ts';
import type { Database } from '../../platform/db.ts';
import type { Tables, Tenant } from '../../tables.ts';
import type { Outcome } from '../carriers/carrier.ts';

/** Why an email is not sent. */
export const ADDRESS_BOUNCES = 'Not sent: emails to this address bounce.';

/** Marks the address that the mail server has just rejected, if it does not exist. */
export async function markIfWrong(
  { kysely }: Database<Tables>,
  tenant: Tenant,
  address: string,
  outcome: Outcome,
  now: Date,
): Promise<void> {
  if (outcome.kind !== 'refused' || outcome.isAddressWrong !== true) return;
  const bounce = { address, reason: outcome.message, sentAt: now };
  await kysely.transaction().execute((tx) => markBounced(tx, tenant, bounce, now));
}
