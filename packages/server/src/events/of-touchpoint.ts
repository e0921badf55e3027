import { sql } from 'kysely';
import type { Queryable } from '../platform/db.ts';
import type { Tables, Tenant } from '../tables.ts';

/** Of all that waits, the oldest: while the workers keep up there are a few, and a backlog is told as a backlog. */
const LOOKED_AT = 5_000;

/** Accepted events that are not processed yet, by the id of their touchpoint. */
export async function countWaitingByTouchpoint(
  db: Queryable<Tables>,
  tenant: Tenant,
): Promise<{ counts: ReadonlyMap<string, number>; more: boolean }> {
  const { rows } = await sql<{ id: string; count: number; seen: number }>`
    with oldest as materialized (
      select organization_id, environment, touchpoint_id from touchpoint_events where status = 'accepted'
      order by created_at limit ${sql.lit(LOOKED_AT)}
    )
    select touchpoint_id as id, count(*)::int as count, (select count(*)::int from oldest) as seen from oldest
    where organization_id = ${tenant.organizationId} and environment = ${tenant.environment}
    group by touchpoint_id`.execute(db);
  return {
    counts: new Map(rows.map(({ id, count }) => [id, count])),
    more: rows.some(({ seen }) => seen >= LOOKED_AT),
  };
}
