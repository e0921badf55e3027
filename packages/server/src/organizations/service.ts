import { DEFAULT_LANGUAGE, type OrganizationBrand } from '@foreword/contract';
import type { Row, Tenant, Tx } from '../db/tenancy.ts';
import type { Clock } from '../platform/clock.ts';
import { newId } from '../platform/ids.ts';
import { changedFields, recordChange } from '../privacy/audit/index.ts';
import { insertStartingTouchpoints } from '../touchpoints/index.ts';
import { findOrganization, insertOrganization, type OrganizationChange, updateOrganization } from './store.ts';

export type NewOrganization = Pick<Row<'organizations'>, 'name' | 'industry' | 'lanes' | 'timezone'> &
  Partial<OrganizationBrand>;

export const testTenant = (organizationId: string): Tenant => ({ organizationId, environment: 'test' });

/** Runs in a transaction, so that no one sees an organization without its touchpoints. */
export async function createOrganization(
  tx: Tx,
  clock: Clock,
  organization: NewOrganization,
): Promise<Row<'organizations'>> {
  const now = clock();
  const defaults = { version: 1, language: DEFAULT_LANGUAGE } as const;
  const row = await insertOrganization(tx, { id: newId('org', now), ...defaults, ...organization, created_at: now });
  await insertStartingTouchpoints(tx, testTenant(row.id), row);
  await recordChange(tx, testTenant(row.id), { action: 'organization.created', object: row.id });
  return row;
}

/**
 * Changes what recipients see. Null when the organization does not exist or is no longer at version `edited`. `otherFields`
 * are settings that the same form changes, and that are stored elsewhere.
 */
export async function changeBrand(
  tx: Tx,
  id: string,
  change: OrganizationChange,
  { edited, otherFields = [] }: { readonly edited?: number; readonly otherFields?: readonly string[] } = {},
): Promise<Row<'organizations'> | null> {
  const before = await findOrganization(tx, id);
  if (before === null) return null;
  const row = await updateOrganization(tx, id, change, edited);
  if (row === null) return null;
  const fields = [...changedFields<Row<'organizations'>>(before, change), ...otherFields];
  if (fields.length > 0) await recordChange(tx, testTenant(id), { action: 'brand.changed', object: id, fields });
  return row;
}
