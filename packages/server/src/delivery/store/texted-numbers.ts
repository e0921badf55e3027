import { CompiledQuery, type Transaction } from 'kysely';
import type { Tables } from '../../tables.ts';
import { TEXT_GAP_MS } from '../queue/rules.ts';
import type { MessageRow } from './messages.ts';

export interface NumberClaim {
  readonly organization_id: string;
  readonly environment: 'test';
  readonly phone: string;
  readonly touchpoint: string;
  readonly message_id: string;
}

/** Numbers are taken in one order by everybody, so that two batches that share some cannot wait for each other. */
const CLAIM_NUMBERS = `
insert into texted_numbers as t (organization_id, environment, phone, touchpoint, message_id, texted_at)
select organization_id, environment, phone, touchpoint, message_id, $2
from json_to_recordset($1::json) as c(organization_id text, environment text, phone text, touchpoint text, message_id text)
order by organization_id, environment, phone, touchpoint
on conflict (organization_id, environment, phone, touchpoint)
do update set message_id = excluded.message_id, texted_at = excluded.texted_at
where t.touchpoint = '' or t.message_id = excluded.message_id or t.texted_at <= $3
returning message_id`;

/** The messages that may go now; the number of the others was texted by somebody else in between. */
export async function claimNumbers(
  tx: Transaction<Tables>,
  claims: readonly NumberClaim[],
  now: Date,
): Promise<Set<string>> {
  if (claims.length === 0) return new Set();
  const freeSince = new Date(now.getTime() - TEXT_GAP_MS);
  const values = [JSON.stringify(claims), now, freeSince];
  const { rows } = await tx.executeQuery<{ message_id: string }>(CompiledQuery.raw(CLAIM_NUMBERS, values));
  return new Set(rows.map(({ message_id }) => message_id));
}

/** A text that has not left holds back no other. That earlier ones arrived is told by their own rows. */
export async function releaseNumber(tx: Transaction<Tables>, row: MessageRow): Promise<void> {
  if (row.address === null || row.channel !== 'text') return;
  await tx
    .deleteFrom('texted_numbers')
    .where('organization_id', '=', row.organization_id)
    .where('environment', '=', row.environment)
    .where('phone', '=', row.address)
    .where('message_id', '=', row.id)
    .execute();
}
