import { sql } from 'kysely';
import type { Queryable } from '../platform/db.ts';
import type { Tables, Tenant } from '../tables.ts';
import { MOVES } from './rules.ts';

const own = (db: Queryable<Tables>, tenant: Tenant, id: string) =>
  db
    .updateTable('intros')
    .where('organization_id', '=', tenant.organizationId)
    .where('environment', '=', tenant.environment)
    .where('id', '=', id);

/** The carrier has the message. False when the intro was closed meanwhile, or was sent before. */
export async function moveToSentByService(
  db: Queryable<Tables>,
  tenant: Tenant,
  id: string,
  now: Date,
): Promise<boolean> {
  const { numUpdatedRows } = await own(db, tenant, id)
    .set({
      status: MOVES.send.to,
      sent_at: now,
      expires_at: null,
      delivery_error_code: null,
      delivery_error_message: null,
      version: sql`version + 1`,
    })
    .where('status', 'in', MOVES.send.from)
    .where('responsibility', '=', 'service')
    .executeTakeFirst();
  return numUpdatedRows === 1n;
}

/** Why the recipient has no message, or null once it is known that they have. False when that stood there already. */
export async function setDeliveryError(
  db: Queryable<Tables>,
  tenant: Tenant,
  id: string,
  error: { readonly code: string; readonly message: string } | null,
): Promise<boolean> {
  const { numUpdatedRows } = await own(db, tenant, id)
    .set({
      delivery_error_code: error?.code ?? null,
      delivery_error_message: error?.message ?? null,
      version: sql`version + 1`,
    })
    .where('status', 'in', [...MOVES.send.from, MOVES.send.to])
    .where(sql<boolean>`delivery_error_code is distinct from ${error?.code ?? null}`)
    .executeTakeFirst();
  return numUpdatedRows === 1n;
}

/** The member has the recorder open. Told nobody but the timeline, so that it is no change of the intro. */
export async function markOpenedByMember(db: Queryable<Tables>, tenant: Tenant, id: string, now: Date): Promise<void> {
  await own(db, tenant, id).set({ member_opened_at: now }).where('member_opened_at', 'is', null).execute();
}
