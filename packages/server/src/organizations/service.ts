import type { OrganizationBrand } from '@foreword/contract';
import type { Transaction } from 'kysely';
import type { Clock } from '../platform/clock.ts';
import { newId } from '../platform/ids.ts';
import type { OrganizationRow, Tables, Tenant } from '../tables.ts';
import { insertStartingTouchpoints } from '../touchpoints/index.ts';
import { insertOrganization } from './store.ts';

export type NewOrganization = Pick<OrganizationRow, 'name' | 'industry' | 'lanes' | 'timezone'> &
  Partial<OrganizationBrand>;

export const testTenant = (organizationId: string): Tenant => ({ organizationId, environment: 'test' });

/** Runs in a transaction, so that no one sees an organization without its touchpoints. */
export async function createOrganization(
  tx: Transaction<Tables>,
  clock: Clock,
  organization: NewOrganization,
): Promise<OrganizationRow> {
  const now = clock();
  const row = await insertOrganization(tx, { id: newId('org', now), version: 1, ...organization, created_at: now });
  await insertStartingTouchpoints(tx, testTenant(row.id), row);
  return row;
}
