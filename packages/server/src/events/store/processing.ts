import { sql } from 'kysely';
import type pg from 'pg';
import type { Queryable } from '../../platform/db.ts';
import { createdAtOf } from '../../platform/ids.ts';
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

// Jumps from organization to organization in the index.
const LIST_WAITING = {
  name: 'list organizations with waiting events',
  text: `
with recursive waiting as (
  (
    select organization_id, environment, event_id from waiting_events
    order by organization_id, environment, event_id limit 1
  )
  union all
  select next.* from waiting w cross join lateral (
    select organization_id, environment, event_id from waiting_events
    where (organization_id, environment) > (w.organization_id, w.environment)
    order by organization_id, environment, event_id limit 1
  ) next
)
select organization_id, environment, event_id from waiting order by event_id`,
};

/** An organization, and its oldest event that waits. */
export interface Waiting {
  readonly tenant: Tenant;
  readonly eventId: string;
}

/** The organizations with events that wait, the one with the oldest first. Includes events that another worker is processing. */
export async function listWaiting(pool: pg.Pool): Promise<Waiting[]> {
  const { rows } = await pool.query<{ organization_id: string; environment: Tenant['environment']; event_id: string }>(
    LIST_WAITING,
  );
  return rows.map(({ organization_id: organizationId, environment, event_id: eventId }) => ({
    tenant: { organizationId, environment },
    eventId,
  }));
}

// Leaves the queue with the transaction, and skips events that another worker is processing. Waits for an erasure, which settles the
// event.
const TAKE = {
  name: 'take events',
  text: `
with queued as materialized (
  select q.* from unnest($1::text[], $2::text[], $3::int[]) as t(organization_id, environment, share)
  cross join lateral (
    select organization_id, event_id, ctid as place from waiting_events
    where organization_id = t.organization_id and environment = t.environment
    order by event_id limit t.share for update skip locked
  ) q
), removed as (
  delete from waiting_events w using queued q where w.ctid = q.place
), taken as materialized (
  select e.* from queued q
  cross join lateral (
    select organization_id, environment, id, request, touchpoint_id, member_id from touchpoint_events
    where organization_id = q.organization_id and id = q.event_id and settled_at is null
    for update
  ) e
)
${IN_CONTEXT}`,
};

/** Takes this many of the oldest events of an organization. */
export interface Turn {
  readonly tenant: Tenant;
  readonly share: number;
}

export async function takeWaiting(client: pg.ClientBase, turns: readonly Turn[]): Promise<EventInContext[]> {
  const { rows } = await client.query<EventInContext>({
    ...TAKE,
    values: [
      turns.map(({ tenant }) => tenant.organizationId),
      turns.map(({ tenant }) => tenant.environment),
      turns.map(({ share }) => share),
    ],
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

// Joined by place: a connection may keep a plan that it made while the table was small, and a join by id would read all of it.
const SETTLE = {
  name: 'settle events',
  text: `
with found as materialized (
  select o.*, e.place
  from json_to_recordset($1::json)
    as o(organization_id text, id text, intro_id text, error_code text, error_message text)
  cross join lateral (
    select ctid as place from touchpoint_events
    where organization_id = o.organization_id and id = o.id and settled_at is null
    for update
  ) e
)
update touchpoint_events e
set status = case when f.error_code is null then 'processed' else 'failed' end,
  intro_id = f.intro_id, error_code = f.error_code, error_message = f.error_message, settled_at = $2
from found f where e.ctid = f.place`,
};

export async function settleEvents(client: pg.ClientBase, outcomes: Outcome[], now: Date): Promise<void> {
  const { rowCount } = await client.query({ ...SETTLE, values: [JSON.stringify(outcomes), now] });
  if (rowCount !== outcomes.length) throw new Error(`settling ${outcomes.length} events updated ${rowCount} rows`);
}

export async function countWaiting(pool: pg.Pool): Promise<number> {
  const { rows } = await pool.query<{ n: number }>('select count(*)::int as n from waiting_events');
  return rows[0]?.n ?? 0;
}

/** 0 if no event is waiting. */
export async function oldestAcceptedAgeMs(pool: pg.Pool, now: Date): Promise<number> {
  const [oldest] = await listWaiting(pool);
  const createdAt = oldest === undefined ? null : createdAtOf(oldest.eventId);
  return createdAt === null ? 0 : Math.max(0, now.getTime() - createdAt.getTime());
}

/** Counts only this many of the oldest waiting events. There are few of them unless a backlog has built up. */
const MAX_ROWS = 5_000;

/** Counts accepted events that are not processed yet, by the id of their touchpoint. `more`: the counts are lower bounds. */
export async function countWaitingByTouchpoint(
  db: Queryable<Tables>,
  tenant: Tenant,
): Promise<{ counts: ReadonlyMap<string, number>; more: boolean }> {
  const { rows } = await sql<{ id: string; count: number }>`
    select e.touchpoint_id as id, count(*)::int as count
    from (
      select organization_id, event_id from waiting_events where ${forTenant(db, tenant).owns()}
      order by event_id limit ${sql.lit(MAX_ROWS)}
    ) w
    cross join lateral (
      select touchpoint_id from touchpoint_events where organization_id = w.organization_id and id = w.event_id offset 0
    ) e
    group by e.touchpoint_id`.execute(db);
  return {
    counts: new Map(rows.map(({ id, count }) => [id, count])),
    more: rows.reduce((sum, { count }) => sum + count, 0) >= MAX_ROWS,
  };
}
