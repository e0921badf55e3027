import type { Transaction } from 'kysely';
import type { Tables, Tenant } from '../../tables.ts';
import { acrossTenants, forTenant } from '../../tenancy.ts';
import type { NumberFault } from '../carriers/codes.ts';
import type { NumberFlag } from '../queue/rules.ts';

/** Null without a flag. */
export interface FlagColumns {
  readonly flagged_as: NumberFault | null;
  readonly flagged_at: Date | null;
}

export const flagOf = ({ flagged_as: failure, flagged_at: at }: FlagColumns): NumberFlag | null =>
  failure === null || at === null ? null : { failure, at };

export async function flagNumber(
  tx: Transaction<Tables>,
  { organizationId, environment }: Tenant,
  { phone, failure, at }: { readonly phone: string; readonly failure: NumberFault; readonly at: Date },
): Promise<void> {
  const flag = { failure, flagged_at: at };
  await forTenant(tx, { organizationId, environment })
    .insertInto('flagged_numbers')
    .values({ organization_id: organizationId, environment, phone, ...flag })
    .onConflict((on) => on.columns(['organization_id', 'environment', 'phone']).doUpdateSet(flag))
    .execute();
}

/** A text to the number arrived. */
export async function unflagNumber(tx: Transaction<Tables>, tenant: Tenant, phone: string): Promise<void> {
  await forTenant(tx, tenant).deleteFrom('flagged_numbers').where('phone', '=', phone).execute();
}

/** The number texted us: an organization's own number, or the one that organizations share (null). */
export async function unflagSender(
  tx: Transaction<Tables>,
  { from, organizationId }: { readonly from: string; readonly organizationId: string | null },
): Promise<void> {
  const flags = acrossTenants(tx).deleteFrom('flagged_numbers').where('phone', '=', from);
  await (organizationId === null ? flags : flags.where('organization_id', '=', organizationId)).execute();
}
