/** Folder: holds texts while their account cannot send, and probes whether it works again. */

import type { Queryable } from '../../platform/db.ts';
import type { Tables, Tenant } from '../../tables.ts';
import { knownFault } from '../carriers/codes.ts';
import type { Carriers } from '../carriers/index.ts';
import { countHeldTexts, listNotices } from '../store/holds.ts';
import { readAccount } from '../store/settings.ts';
import { NOTICE_GAP_MS } from './rules.ts';

/** The fault of the account that sends the organization's texts. */
export async function readAccountFaults(
  deps: { carriers: Carriers },
  db: Queryable<Tables>,
  tenant: Tenant,
  now: Date,
) {
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
