import type { Transaction } from 'kysely';
import { recordChange } from '../../audit/index.ts';
import { ApiError } from '../../platform/errors.ts';
import { newId } from '../../platform/ids.ts';
import type { ConsentSource, Tables, Tenant } from '../../tables.ts';
import { appendConsent, deleteOptOutFrom, findOptOut } from '../store/consents.ts';

/** Carriers block a number after STOP until it replies START. Texts to it would fail, whatever our ledger says. */
export const UNDONE_BY_TEAM: readonly ConsentSource[] = ['page', 'operator', 'team'];

export const canBeUndone = (source: ConsentSource): boolean => UNDONE_BY_TEAM.includes(source);

export interface Undoing {
  readonly phone: string;
  readonly memberId: string;
  /** Who asked for it, and how. */
  readonly askedBy: string;
}

/** Allows texts to a recipient who asked for them again. Doing it twice changes nothing more. */
export async function undoOptOut(
  tx: Transaction<Tables>,
  tenant: Tenant,
  { phone, memberId, askedBy }: Undoing,
  now: Date,
): Promise<void> {
  if (await deleteOptOutFrom(tx, tenant, phone, UNDONE_BY_TEAM)) {
    const id = newId('con', now);
    // The entry in the consent log has the number; this one refers to it.
    await recordChange(tx, tenant, { action: 'consent.restored', object: id, by: memberId });
    await appendConsent(tx, tenant, {
      id,
      phone,
      kind: 'opt_in',
      source: 'team',
      said: askedBy,
      created_at: now,
      by_member: memberId,
    });
    return;
  }
  if ((await findOptOut(tx, tenant, phone)) === undefined) return;
  throw new ApiError(
    'delivery_refused',
    'The recipient replied STOP. Only they can allow texts again, by replying START.',
  );
}
