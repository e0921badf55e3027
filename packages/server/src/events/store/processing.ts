import { sql } from 'kysely';
import type pg from 'pg';
import type { Queryable } from '../../platform/db.ts';
import type { Tables, Tenant } from '../../tables.ts';
import { forTenant, queryForTenant } from '../../tenancy.ts';
import type { EventInContext } from '../decision.ts';

/** Joins the rows `taken` with everything that the decision depends on. */
const IN_CONTEXT = `
select e.organization_id, e.environment, e.id, e.request,
  t.slug as touchpoint_slug, t.version as touchpoint_version, t.active as touchpoint_active, t.page_title, t.script, t.page_title_es, t.script_es, t.delivery, t.minutes_to_record,
  m.id as member_id, m.active and m.likeness_withdrawn_at is null as member_active, m.first_name as member_first_name, m.last_name as member_last_name,
  o.name as organization_name, o.language as organization_language, x.phone is not null as recipient_opted_out,
  (
    select offset_seconds from test_clocks where organization_id = e.organization_id and environment = e.environment
  ) as clock_offset_s
from taken e
cross join lateral (
  select slug, version, active, page_title, script, page_title_es, script_es, delivery, minutes_to_record from touchpoints
  where organization_id = e.organization_id and id = e.touchpoint_id offset 0
) t
cross join lateral (
  select id, active, likeness_withdrawn_at, first_name, last_name from members
  where organization_id = e.organization_id and id = e.member_id offset 0
) m
cross join lateral (select name, language from organizations where id = e.organization_id offset 0) o
left join lateral (
  select phone from opt_outs
  where organization_id = e.organization_id and environment = e.environment and phone = e.request -> 'recipient' ->> 'phone'
  offset 0
) x on true`;

// Skips events that another worker has locked. The migration explains why this checks settled_at and not the status.
const TAKE = {
  name: 'take events',
  text: `
with taken as materialized (
  select e.* from unnest($1::text[], $2::text[]) as i(organization_id, id)
  cross join lateral (
    select organization_id, environment, id, request, touchpoint_id, member_id from touchpoint_events
    where organization_id = i.organization_id and id = i.id and settled_at is null
    for update skip locked
  ) e
)
${IN_CONTEXT}`,
};

export type EventKey = readonly [organizationId: string, id: string];

export async function takeAccepted(client: pg.ClientBase, keys: readonly EventKey[]): Promise<EventInContext[]> {
  const { rows } = await client.query<EventInContext>({
    ...TAKE,
    values: [keys.map(([organizationId]) => organizationId), keys.map(([, id]) => id)],
  });
  return rows;
}

const DRY_RUN = {
  name: 'dry-run an event',
  text: `
with taken as materialized (
  select $1::text as organization_id, $2::text as environment, ''::text as id, $3::json as request,
    $4::text as touchpoint_id, $5::text as member_id
)
${IN_CONTEXT}`,
};

/** The context of an event that is not stored. */
export async function readDryRunContext(
  pool: pg.Pool,
  tenant: Tenant,
  event: { readonly request: string; readonly touchpointId: string; readonly memberId: string },
): Promise<EventInContext | null> {
  const values = [event.request, event.touchpointId, event.memberId];
  return (await queryForTenant<EventInContext>(pool, tenant, DRY_RUN, values)).rows[0] ?? null;
}

const STORED = {
  name: 'read the context of an event',
  text: `
with taken as materialized (
  select organization_id, environment, id, request, touchpoint_id, member_id from touchpoint_events
  where organization_id = $1 and environment = $2 and id = $3
)
${IN_CONTEXT}`,
};

/** The context of a stored event, without a lock. */
export async function readEventContext(pool: pg.Pool, tenant: Tenant, id: string): Promise<EventInContext | null> {
  return (await queryForTenant<EventInContext>(pool, tenant, STORED, [id])).rows[0] ?? null;
}

export interface Outcome {
  readonly organization_id: string;
  readonly id: string;
  readonly intro_id: string | null;
  readonly error_code: string | null;
  readonly error_message: string | null;
}

const SETTLE = {
  name: 'settle events',
  text: `
with found as materialized (
  select o.*, e.part, e.place
  from json_to_recordset($1::json)
    as o(organization_id text, id text, intro_id text, error_code text, error_message text)
  cross join lateral (
    select tableoid as part, ctid as place from touchpoint_events
    where organization_id = o.organization_id and id = o.id and settled_at is null
    for update
  ) e
)
update touchpoint_events e
set status = case when f.error_code is null then 'processed' else 'failed' end,
  intro_id = f.intro_id, error_code = f.error_code, error_message = f.error_message, settled_at = $2
from found f where e.ctid = f.place and e.tableoid = f.part`,
};

export async function settleEvents(client: pg.ClientBase, outcomes: Outcome[], now: Date): Promise<void> {
  const { rowCount } = await client.query({ ...SETTLE, values: [JSON.stringify(outcomes), now] });
  if (rowCount !== outcomes.length) throw new Error(`settling ${outcomes.length} events updated ${rowCount} rows`);
}

const FIND_WAITING = {
  name: 'find waiting events',
  text: "select organization_id, id from touchpoint_events where status = 'accepted' order by created_at limit $1",
};

/** Oldest first. Includes events that another worker may have locked. */
export async function findWaiting(pool: pg.Pool, limit: number): Promise<EventKey[]> {
  const { rows } = await pool.query<{ organization_id: string; id: string }>({ ...FIND_WAITING, values: [limit] });
  return rows.map((row) => [row.organization_id, row.id]);
}

export async function countWaiting(pool: pg.Pool): Promise<number> {
  const { rows } = await pool.query<{ n: number }>(
    "select count(*)::int as n from touchpoint_events where status = 'accepted'",
  );
  return rows[0]?.n ?? 0;
}

/** 0 if no event is waiting. */
export async function oldestAcceptedAgeMs(pool: pg.Pool, now: Date): Promise<number> {
  const { rows } = await pool.query<{ oldest: Date | null }>(
    "select min(created_at) as oldest from touchpoint_events where status = 'accepted'",
  );
  const oldest = rows[0]?.oldest ?? null;
  return oldest === null ? 0 : Math.max(0, now.getTime() - oldest.getTime());
}

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
