import type { Db, Row, Tenant } from '../db/tenancy.ts';
import { findOrganization } from '../organizations/index.ts';
import { ApiError } from '../platform/errors.ts';

/** The organization of the signed-in member. The operator may have removed it meanwhile. */
export async function requireOrganization(
  db: Db,
  { organizationId }: Pick<Tenant, 'organizationId'>,
): Promise<Row<'organizations'>> {
  const organization = await findOrganization(db, organizationId);
  if (organization === null) throw new ApiError('not_found', 'This organization no longer exists.');
  return organization;
}
