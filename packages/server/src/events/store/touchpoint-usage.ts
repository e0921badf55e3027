import { sql } from 'kysely';
import type { Queryable } from '../../platform/db.ts';
import type { Tables, Tenant } from '../../tables.ts';
import { forTenant } from '../../tenancy.ts';

/** Scans only this many of the oldest pending events. There are few of them unless a backlog has built up. */
const MAX_ROWS = 5_000;

/** Counts accepted events that are not processed yet, by the id of their touchpoint. `more`: the counts are lower bounds. */
export async function countWaitingByTouchpoint(
  db: Queryable<Tables>,
  tenant: Tenant,
): Promise<{ counts: ReadonlyMap<string, number>; more: boolean }> {
  const { rows } = await sql<{ id: string; count: number; scanned: number }>`
    with oldest as materialized (
      select organization_id, environment, touchpoint_id from touchpoint_events where status = 'accepted'
      order by created_at limit ${sql.lit(MAX_ROWS)}
    )
    select touchpoint_id as id, count(*)::int as count, (select count(*)::int from oldest) as scanned from oldest
    where ${forTenant(db, tenant).owns()}
    group by touchpoint_id`.execute(db);
  return {
    counts: new Map(rows.map(({ id, count }) => [id, count])),
    more: rows.some(({ scanned }) => scanned >= MAX_ROWS),
  };
}
