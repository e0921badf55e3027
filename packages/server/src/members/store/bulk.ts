import type { Queryable } from '../../platform/db.ts';
import type { MemberRow, Tables, Tenant } from '../../tables.ts';
import { acrossTenants, forTenant } from '../../tenancy.ts';

/** Keeps a statement below PostgreSQL's limit on parameters. */
const ROWS_PER_STATEMENT = 1000;

const allMembers = (db: Queryable<Tables>, tenant: Tenant) =>
  forTenant(db, tenant).selectFrom('members').selectAll().orderBy('id');

export const readMembers = (db: Queryable<Tables>, tenant: Tenant): Promise<MemberRow[]> =>
  allMembers(db, tenant).execute();

/** All members, oldest first, locked until the transaction ends. */
export const lockMembers = (db: Queryable<Tables>, tenant: Tenant): Promise<MemberRow[]> =>
  allMembers(db, tenant).forUpdate().execute();

/** Throws when an external id is taken. */
export async function insertMembers(db: Queryable<Tables>, rows: readonly MemberRow[]): Promise<void> {
  for (let at = 0; at < rows.length; at += ROWS_PER_STATEMENT) {
    await acrossTenants(db)
      .insertInto('members')
      .values(rows.slice(at, at + ROWS_PER_STATEMENT))
      .execute();
  }
}

/**
 * Overwrites existing members. An insert with a conflict clause finds each row by its key; for an update that joins a
 * list, PostgreSQL may choose a plan that compares every pair of rows.
 */
export async function rewriteMembers(db: Queryable<Tables>, rows: readonly MemberRow[]): Promise<void> {
  for (let at = 0; at < rows.length; at += ROWS_PER_STATEMENT) {
    await acrossTenants(db)
      .insertInto('members')
      .values(rows.slice(at, at + ROWS_PER_STATEMENT))
      .onConflict((on) =>
        on.columns(['organization_id', 'id']).doUpdateSet(({ ref }) => ({
          first_name: ref('excluded.first_name'),
          last_name: ref('excluded.last_name'),
          email: ref('excluded.email'),
          phone: ref('excluded.phone'),
          title: ref('excluded.title'),
          lanes: ref('excluded.lanes'),
          role: ref('excluded.role'),
          external_id: ref('excluded.external_id'),
        })),
      )
      .execute();
  }
}
