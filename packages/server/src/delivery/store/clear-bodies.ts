import { CompiledQuery, type Transaction } from 'kysely';
import type { Tables } from '../../tables.ts';

export interface ClearBody {
  readonly organization_id: string;
  readonly id: string;
  readonly intro_id: string;
  readonly body: string;
  readonly link_generation: number;
}

// A partial index has the same condition. Until a message is settled, the node that sends it may need the column.
const TAKE = `
with clear as materialized (
  select organization_id, id, intro_id, body from messages
  where body is not null and status not in ('scheduled', 'sending')
  order by organization_id, id limit $1 for update skip locked
)
select c.*, i.link_generation from clear c
cross join lateral (
  select link_generation from intros where organization_id = c.organization_id and id = c.intro_id offset 0
) i`;

/** Locks settled messages that a version before `wording` stored with their links. */
export async function takeClearBodies(tx: Transaction<Tables>, limit: number): Promise<ClearBody[]> {
  return (await tx.executeQuery<ClearBody>(CompiledQuery.raw(TAKE, [limit]))).rows;
}

const HIDE = `
update messages m set body = null, wording = c.wording
from json_to_recordset($1::json) as c(organization_id text, id text, wording text)
where m.organization_id = c.organization_id and m.id = c.id`;

export async function storeWordings(
  tx: Transaction<Tables>,
  rows: readonly { readonly organization_id: string; readonly id: string; readonly wording: string | null }[],
): Promise<void> {
  await tx.executeQuery(CompiledQuery.raw(HIDE, [JSON.stringify(rows)]));
}
