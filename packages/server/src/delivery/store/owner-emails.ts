import type { Selectable, Transaction } from 'kysely';
import type { Queryable } from '../../platform/db.ts';
import type { MemberRow, OwnerEmailTable, Tables, Tenant } from '../../tables.ts';
import { acrossTenants, forTenant } from '../../tenancy.ts';

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

// Rows with a job have the status "sending" and no claim: an older version, which polls this table, then leaves them alone.
const WITH_JOB = { status: 'sending', claimed_at: null } as const;

export async function insertOwnerEmails(
  tx: Transaction<Tables>,
  tenant: Tenant,
  emails: readonly (Pick<OwnerEmailRow, 'id' | 'purpose' | 'address' | 'subject' | 'body'> &
    Partial<Pick<OwnerEmailRow, 'member_id' | 'week'>>)[],
  now: Date,
): Promise<void> {
  if (emails.length === 0) return;
  const owned = { organization_id: tenant.organizationId, environment: tenant.environment };
  const values = emails.map((email) => ({ ...owned, ...email, ...WITH_JOB, due_at: now, created_at: now }));
  await forTenant(tx, tenant).insertInto('owner_letters').values(values).execute();
}

/** Counts an attempt. Undefined if the email is already sent or failed. */
export const startAttempt = (db: Queryable<Tables>, tenant: Tenant, id: string): Promise<OwnerEmailRow | undefined> =>
  forTenant(db, tenant)
    .updateTable('owner_letters')
    .set((row) => ({ attempts: row('attempts', '+', 1) }))
    .where('id', '=', id)
    .where('status', '=', WITH_JOB.status)
    .where('claimed_at', 'is', null)
    .returningAll()
    .executeTakeFirst();

export async function recordAttempt(
  db: Queryable<Tables>,
  { organization_id: organizationId, environment, id }: OwnerEmailRow,
  result: Pick<OwnerEmailRow, 'status' | 'carrier' | 'error_message' | 'settled_at'>,
): Promise<void> {
  await forTenant(db, { organizationId, environment })
    .updateTable('owner_letters')
    .set(result)
    .where('id', '=', id)
    .execute();
}

/** Marks unsent emails of an older version, which have no job, as having one. Those it may be sending are left to it. */
export const adoptOwnerEmails = (
  tx: Transaction<Tables>,
  abandonedBefore: Date,
): Promise<Pick<OwnerEmailRow, 'organization_id' | 'id'>[]> =>
  acrossTenants(tx)
    .updateTable('owner_letters')
    .set(WITH_JOB)
    .where(({ or, and, eb }) =>
      or([eb('status', '=', 'scheduled'), and([eb('status', '=', 'sending'), eb('claimed_at', '<', abandonedBefore)])]),
    )
    .returning(['organization_id', 'id'])
    .execute();

/** Records that an email to an owner bounced after the mail server had accepted it. Returns when it was accepted. */
export async function failOwnerEmail(
  tx: Transaction<Tables>,
  tenant: Tenant,
  id: string,
  reason: string,
): Promise<Date | null> {
  const row = await forTenant(tx, tenant)
    .updateTable('owner_letters')
    .set({ status: 'failed', error_message: reason })
    .where('id', '=', id)
    .where('status', '=', 'accepted')
    .returning('settled_at')
    .executeTakeFirst();
  return row?.settled_at ?? null;
}

const MAX_LISTED = 50;

/** Newest first. An email that waits for its next attempt has the status "scheduled". */
export async function listOwnerEmails(db: Queryable<Tables>, tenant: Tenant): Promise<OwnerEmailRow[]> {
  const query = forTenant(db, tenant).selectFrom('owner_letters').selectAll().orderBy('id', 'desc').limit(MAX_LISTED);
  const rows = await query.execute();
  return rows.map((row) => (row.status === 'sending' ? { ...row, status: 'scheduled' } : row));
}
