import type { Selectable, Transaction } from 'kysely';
import type { Queryable } from '../../platform/db.ts';
import type { MemberRow, OwnerEmailTable, Tables, Tenant } from '../../tables.ts';
import { forTenant } from '../../tenancy.ts';

export type OwnerEmailRow = Selectable<OwnerEmailTable>;

export const listOwners = (db: Queryable<Tables>, tenant: Tenant): Promise<Pick<MemberRow, 'first_name' | 'email'>[]> =>
  forTenant(db, tenant)
    .selectFrom('members')
    .select(['first_name', 'email'])
    .where('role', '=', 'owner')
    .where('active', '=', true)
    .orderBy('id')
    .execute();

/** Active owners and managers, without one member. */
export const listManagersExcept = (
  db: Queryable<Tables>,
  tenant: Tenant,
  memberId: string,
): Promise<Pick<MemberRow, 'first_name' | 'email'>[]> =>
  forTenant(db, tenant)
    .selectFrom('members')
    .select(['first_name', 'email'])
    .where('role', 'in', ['owner', 'manager'])
    .where('active', '=', true)
    .where('id', '<>', memberId)
    .orderBy('id')
    .execute();

export async function insertOwnerEmails(
  tx: Transaction<Tables>,
  tenant: Tenant,
  emails: readonly (Pick<OwnerEmailRow, 'id' | 'purpose' | 'address' | 'subject' | 'body'> &
    Partial<Pick<OwnerEmailRow, 'member_id' | 'week'>>)[],
  now: Date,
): Promise<void> {
  if (emails.length === 0) return;
  const owned = { organization_id: tenant.organizationId, environment: tenant.environment };
  const values = emails.map((email) => ({ ...owned, ...email, status: 'scheduled' as const, created_at: now }));
  await forTenant(tx, tenant).insertInto('owner_emails').values(values).execute();
}

/** An update of the email, unless it is settled. */
export const unsettled = (db: Queryable<Tables>, tenant: Tenant, id: string) =>
  forTenant(db, tenant).updateTable('owner_emails').where('id', '=', id).where('status', '=', 'scheduled');

/** Counts an attempt. Undefined if the email is settled. */
export const startAttempt = (db: Queryable<Tables>, tenant: Tenant, id: string): Promise<OwnerEmailRow | undefined> =>
  unsettled(db, tenant, id)
    .set((row) => ({ attempts: row('attempts', '+', 1) }))
    .returningAll()
    .executeTakeFirst();

/** Also if it was withdrawn meanwhile: the recipient has it. */
export async function recordAcceptance(
  db: Queryable<Tables>,
  { organization_id: organizationId, environment, id }: OwnerEmailRow,
  accepted: Pick<OwnerEmailRow, 'carrier' | 'settled_at'>,
): Promise<void> {
  await forTenant(db, { organizationId, environment })
    .updateTable('owner_emails')
    .set({ status: 'accepted', error_message: null, ...accepted })
    .where('id', '=', id)
    .execute();
}

/** Records why an attempt failed, unless the email is settled or another attempt has started. `settled_at` null: it is retried. */
export async function recordFailure(
  db: Queryable<Tables>,
  { organization_id: organizationId, environment, id, attempts }: OwnerEmailRow,
  failure: Pick<OwnerEmailRow, 'carrier' | 'error_message' | 'settled_at'>,
): Promise<void> {
  await unsettled(db, { organizationId, environment }, id)
    .set({ status: failure.settled_at === null ? 'scheduled' : 'failed', ...failure })
    .where('attempts', '=', attempts)
    .execute();
}

/** Records that an email to an owner bounced after the mail server had accepted it. Returns when it was accepted. */
export async function failOwnerEmail(
  tx: Transaction<Tables>,
  tenant: Tenant,
  id: string,
  reason: string,
): Promise<Date | null> {
  const row = await forTenant(tx, tenant)
    .updateTable('owner_emails')
    .set({ status: 'failed', error_message: reason })
    .where('id', '=', id)
    .where('status', '=', 'accepted')
    .returning('settled_at')
    .executeTakeFirst();
  return row?.settled_at ?? null;
}

const MAX_LISTED = 50;

/** Newest first. */
export const listOwnerEmails = (db: Queryable<Tables>, tenant: Tenant): Promise<OwnerEmailRow[]> =>
  forTenant(db, tenant).selectFrom('owner_emails').selectAll().orderBy('id', 'desc').limit(MAX_LISTED).execute();
