import type { OrganizationBrand } from '@foreword/contract';
import { type Insertable, sql } from 'kysely';
import type { AllRelations, Db, Row } from '../db/tenancy.ts';

export function insertOrganization(
  db: Db,
  row: Insertable<AllRelations['organizations']>,
): Promise<Row<'organizations'>> {
  return db.insertInto('organizations').values(row).returningAll().executeTakeFirstOrThrow();
}

/** No other transaction can add an organization until this one ends. */
export async function lockOrganizations(db: Db): Promise<void> {
  await sql`lock table organizations in exclusive mode`.execute(db);
}

export function listOrganizations(db: Db): Promise<Row<'organizations'>[]> {
  return db.selectFrom('organizations').selectAll().orderBy('id', 'desc').execute();
}

export async function findOrganization(db: Db, id: string): Promise<Row<'organizations'> | null> {
  return (await db.selectFrom('organizations').selectAll().where('id', '=', id).executeTakeFirst()) ?? null;
}

export type OrganizationChange = Partial<OrganizationBrand & Pick<Row<'organizations'>, 'logo'>>;

/** Null when the organization does not exist or is no longer at version `edited`. */
export async function updateOrganization(
  db: Db,
  id: string,
  change: OrganizationChange,
  edited?: number,
): Promise<Row<'organizations'> | null> {
  let query = db
    .updateTable('organizations')
    .set({ ...change, version: sql<number>`version + 1` })
    .where('id', '=', id);
  if (edited !== undefined) query = query.where('version', '=', edited);
  return (await query.returningAll().executeTakeFirst()) ?? null;
}

/** Keeps the time of the first dismissal. */
export async function dismissSetup(db: Db, id: string, now: Date): Promise<void> {
  await db
    .updateTable('organizations')
    .set({ setup_dismissed_at: now })
    .where('id', '=', id)
    .where('setup_dismissed_at', 'is', null)
    .execute();
}

/** From when owners and managers need a passkey; null for not at all. Not part of the brand, so its version stays. */
export async function setSecondFactorFrom(db: Db, id: string, from: Date | null): Promise<boolean> {
  const update = db.updateTable('organizations').set({ second_factor_from: from }).where('id', '=', id);
  return (await update.executeTakeFirstOrThrow()).numUpdatedRows === 1n;
}

/** How long the audit log keeps entries. Not part of the brand, so its version stays. */
export async function setAuditDays(db: Db, id: string, days: number): Promise<void> {
  await db.updateTable('organizations').set({ audit_days: days }).where('id', '=', id).execute();
}
