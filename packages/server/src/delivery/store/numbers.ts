import type { Transaction } from 'kysely';
import type pg from 'pg';
import { namedQuery } from '../../platform/named-statement.ts';
import type { Tables, Tenant } from '../../tables.ts';
import { acrossTenants, forTenant, queryForTenant } from '../../tenancy.ts';
import type { NumberFault } from '../carriers/codes.ts';
import { type NumberFlag, TEXT_GAP_MS } from '../queue/rules.ts';
import { type MessageRow, tenantOf } from './messages.ts';

/**
 * Condition for texts that reached the recipient, who therefore knows how to opt out. A partial index has the same beginning.
 * Only a test number gets simulated texts; those to members on a test clock reached no one.
 */
export const REACHED_RECIPIENT = `channel = 'text' and accepted_at is not null and status in ('accepted', 'delivered')
  and (carrier is distinct from 'simulated' or address like '+1500555%')`;

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

const HISTORY = {
  name: 'history of two numbers',
  text: `
select
  exists (select from opt_outs
    where organization_id = $1 and environment = $2 and phone = $4 offset 0) as is_member_opted_out,
  exists (select from messages
    where organization_id = $1 and environment = $2 and address = $3 and ${REACHED_RECIPIENT} offset 0) as is_known_number,
  (select texted_at from texted_numbers
    where organization_id = $1 and environment = $2 and phone = $3 and touchpoint = $5) as last_text_at,
  flag.failure as flagged_as, flag.flagged_at
from (select) one
left join flagged_numbers flag on flag.organization_id = $1 and flag.environment = $2 and flag.phone = $3`,
};

export interface NumberHistory extends FlagColumns {
  readonly is_member_opted_out: boolean;
  readonly is_known_number: boolean;
  readonly last_text_at: Date | null;
}

/** The member's opt-out, earlier texts and flags, which decide what a new intro would send. */
export async function readNumberHistory(
  pool: pg.Pool,
  tenant: Tenant,
  numbers: { recipient: string; member: string | null; touchpoint: string },
): Promise<NumberHistory> {
  const values = [numbers.recipient, numbers.member ?? '', numbers.touchpoint];
  const { rows } = await queryForTenant<NumberHistory & pg.QueryResultRow>(pool, tenant, HISTORY, values);
  const [history] = rows;
  if (history === undefined) throw new Error('the number lookup returned no row');
  return history;
}

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
