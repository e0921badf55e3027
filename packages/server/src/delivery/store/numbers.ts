import type { Transaction } from 'kysely';
import { acrossTenants, forTenant, type Tables, type Tenant } from '../../db/tenancy.ts';
import { namedQuery } from '../../platform/named-statement.ts';
import type { NumberFault } from '../carriers/codes.ts';
import { TEXT_GAP_MS } from '../queue/rules.ts';
import { type MessageRow, tenantOf } from './queue.ts';

export interface NumberClaim {
  readonly organization_id: string;
  readonly environment: 'test';
  readonly phone: string;
  readonly touchpoint: string;
  readonly message_id: string;
}

// Ordered, so that two batches that share numbers cannot deadlock.
const CLAIM_NUMBERS = {
  name: 'claim numbers',
  text: `
insert into texted_numbers as t (organization_id, environment, phone, touchpoint, message_id, texted_at)
select organization_id, environment, phone, touchpoint, message_id, $2
from json_to_recordset($1::json) as c(organization_id text, environment text, phone text, touchpoint text, message_id text)
order by organization_id, environment, phone, touchpoint
on conflict (organization_id, environment, phone, touchpoint)
do update set message_id = excluded.message_id, texted_at = excluded.texted_at
where t.touchpoint = '' or t.message_id = excluded.message_id or t.texted_at <= $3
returning message_id`,
};

/** Returns the messages that may be sent now; another message was sent to the number of the rest. */
export async function claimNumbers(
  tx: Transaction<Tables>,
  claims: readonly NumberClaim[],
  now: Date,
): Promise<Set<string>> {
  if (claims.length === 0) return new Set();
  const freeSince = new Date(now.getTime() - TEXT_GAP_MS);
  const values = [JSON.stringify(claims), now, freeSince];
  const { rows } = await tx.executeQuery<{ message_id: string }>(namedQuery(CLAIM_NUMBERS, values));
  return new Set(rows.map(({ message_id }) => message_id));
}

/** A text that was not sent must not delay other texts to its number. */
export async function releaseNumber(tx: Transaction<Tables>, row: MessageRow): Promise<void> {
  if (row.address === null || row.channel !== 'text') return;
  await forTenant(tx, tenantOf(row))
    .deleteFrom('texted_numbers')
    .where('phone', '=', row.address)
    .where('message_id', '=', row.id)
    .execute();
}

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
