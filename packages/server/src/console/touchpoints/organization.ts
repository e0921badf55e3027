import { findOrganization } from '../../organizations/index.ts';
import type { Queryable } from '../../platform/db.ts';
import type { OrganizationRow, Tables, Tenant } from '../../tables.ts';

/** Of whoever is signed in: there is one. */
export async function requireOwnOrganization(db: Queryable<Tables>, tenant: Tenant): Promise<OrganizationRow> {
  const row = await findOrganization(db, tenant.organizationId);
  if (row === null) throw new Error('somebody is signed in to an organization that is not there');
  return row;
}
