import { findOrganization } from '../../organizations/index.ts';
import type { Queryable } from '../../platform/db.ts';
import type { OrganizationRow, Tables, Tenant } from '../../tables.ts';

/** The organization of the signed-in user always exists. */
export async function requireOwnOrganization(db: Queryable<Tables>, tenant: Tenant): Promise<OrganizationRow> {
  const row = await findOrganization(db, tenant.organizationId);
  if (row === null) throw new Error('the organization of a signed-in member does not exist');
  return row;
}
