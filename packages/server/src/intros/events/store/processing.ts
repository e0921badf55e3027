import type { CreateTouchpointEvent } from '@foreword/contract';
import { sql } from 'kysely';
import type pg from 'pg';
import { planned } from '../../../db/statements.ts';
import { type Db, forTenant, queryForTenant, type Tenant } from '../../../db/tenancy.ts';
import { toSelector } from '../../../members/index.ts';
import { createdAtOf } from '../../../platform/ids.ts';
import { type EventInContext, inContext } from '../../index.ts';
import { type AcceptanceResult, RESOLVE } from './acceptance.ts';

/** Adds the touchpoints of the rows `taken`, and what else deciding about them depends on. */
const IN_CONTEXT = inContext(`
  select e.*, t.* from taken e
  left join lateral (
    select slug as touchpoint_slug, version as touchpoint_version, active as touchpoint_active,
      page_title, script, page_title_es, script_es, delivery, minutes_to_record
    from touchpoints where organization_id = e.organization_id and id = e.touchpoint_id offset 0
  ) t on true`);

/** The columns of `taken`, from an event. */
const EVENT = `
    select organization_id, environment, id as event_id, request, request #>> '{recipient,phone}' as phone, touchpoint_id, member_id
    from touchpoint_events`;

/** Organizations in one batch of events, and rows of the queue that it takes from each. */
const MAX_ORGANIZATIONS = 20;
const MAX_ROWS = 100;

// Jumps from organization to organization in the index.
const LIST_WAITING = planned(`
with recursive waiting as (
  (
    select organization_id, environment, oldest_id from waiting_events
    order by organization_id, environment, oldest_id limit 1
  )
  union all
  select next.* from waiting w cross join lateral (
    select organization_id, environment, oldest_id from waiting_events
    where (organization_id, environment) > (w.organization_id, w.environment)
    order by organization_id, environment, oldest_id limit 1
  ) next
)
select organization_id as "organizationId", environment, oldest_id as "oldestId", array(
    select cardinality(event_ids) from waiting_events q
    where q.organization_id = w.organization_id and q.environment = w.environment order by q.oldest_id limit ${MAX_ROWS}
  ) as sizes
from (select * from waiting order by oldest_id limit ${MAX_ORGANIZATIONS}) w order by oldest_id`);

/** An organization, its oldest event that waits, and how many events each of its oldest rows of the queue has. */
export type Waiting = Tenant & { readonly oldestId: string; readonly sizes: readonly number[] };

/** The organizations with events that wait, the one with the oldest first. Includes events that another worker is processing. */
export const listWaiting = async (pool: pg.Pool): Promise<Waiting[]> => (await pool.query<Waiting>(LIST_WAITING)).rows;

/** How many of the oldest rows have at most this many events in all; at least one. */
export function countRows({ sizes }: Waiting, events: number): number {
  let sum = 0;
  const more = sizes.findIndex((size) => {
    sum += size;
    return sum > events;
  });
  return more < 0 ? sizes.length : Math.max(1, more);
}

// Leaves the queue with the transaction, and skips rows that another worker is processing. The events are not locked: an erasure settles
// them, and writing the intros then fails.
const TAKE = planned(`
with queued as materialized (
  select q.* from unnest($1::text[], $2::text[], $3::int[]) as t(organization_id, environment, rows)
  cross join lateral (
    select organization_id, event_ids, ctid as place from waiting_events
    where organization_id = t.organization_id and environment = t.environment
    order by oldest_id limit t.rows for update skip locked
  ) q
), removed as (
  delete from waiting_events w using queued q where w.ctid = q.place
), taken as materialized (
  select e.* from queued q
  cross join unnest(q.event_ids) as one(id)
  cross join lateral (
    ${EVENT}
    where organization_id = q.organization_id and id = one.id and settled_at is null
    offset 0
  ) e
)
${IN_CONTEXT}`);

/** Takes the oldest events of each organization: about this many, or those of one row of the queue. */
export async function takeWaiting(
  client: pg.ClientBase,
  waiting: readonly Waiting[],
  ofEach: number,
): Promise<EventInContext[]> {
  const { rows } = await client.query<EventInContext>(TAKE, [
    waiting.map(({ organizationId }) => organizationId),
    waiting.map(({ environment }) => environment),
    waiting.map((one) => countRows(one, ofEach)),
  ]);
  return rows;
}

/** From now on, events that were accepted together with this one are processed one by one. */
export async function splitWaiting(pool: pg.Pool, { oldestId, ...tenant }: Waiting): Promise<void> {
  const split = `
    with removed as (
      delete from waiting_events where organization_id = $1 and environment = $2 and oldest_id = $3
      returning organization_id, environment, event_ids
    )
    insert into waiting_events (organization_id, environment, oldest_id, event_ids)
    select organization_id, environment, id, array[id] from removed cross join unnest(event_ids) as id`;
  await queryForTenant(pool, tenant, split, [oldestId]);
}

const DRY_RUN = planned(`
with taken as materialized (
  select i.organization_id, i.environment, '' as event_id, i.phone, t.id as touchpoint_id, t.context as touchpoint_context, m.ids[1] as member_id, coalesce(cardinality(m.ids), 0) as members
  from (
    select $1::text as organization_id, $2::text as environment, $3::text as phone, $4::text as slug, $5::text as member_id,
      $6::text as member_external_id, $7::text as member_email
  ) i
  ${RESOLVE}
)
${IN_CONTEXT}`);

/** A touchpoint is missing if its context is null, and the member unless `members` is 1. */
type DryRunContext = EventInContext & Pick<AcceptanceResult, 'touchpoint_context' | 'members'>;

/** The context of an event that is not stored. Its request may be one that PostgreSQL could not read. */
export async function readDryRunContext(
  pool: pg.Pool,
  tenant: Tenant,
  request: CreateTouchpointEvent,
): Promise<DryRunContext[]> {
  const { id, externalId, email } = toSelector(request.member);
  const values = [request.recipient.phone, request.touchpoint, id, externalId, email];
  const { rows } = await queryForTenant<Omit<DryRunContext, 'request'>>(pool, tenant, DRY_RUN, values);
  return rows.map((found) => ({ ...found, request }));
}

const STORED = planned(`
with taken as materialized (
  ${EVENT}
  where organization_id = $1 and environment = $2 and id = $3
)
${IN_CONTEXT}`);

/** The context of a stored event, without a lock. */
export async function readEventContext(pool: pg.Pool, tenant: Tenant, id: string): Promise<EventInContext | null> {
  return (await queryForTenant<EventInContext>(pool, tenant, STORED, [id])).rows[0] ?? null;
}

export async function countWaiting(pool: pg.Pool): Promise<number> {
  const { rows } = await pool.query<{ n: number }>(
    'select coalesce(sum(cardinality(event_ids)), 0)::int as n from waiting_events',
  );
  return rows[0]?.n ?? 0;
}

/** 0 if no event is waiting. */
export async function oldestAcceptedAgeMs(pool: pg.Pool, now: Date): Promise<number> {
  const [oldest] = await listWaiting(pool);
  const createdAt = oldest === undefined ? null : createdAtOf(oldest.oldestId);
  return createdAt === null ? 0 : Math.max(0, now.getTime() - createdAt.getTime());
}

/** Counts only this many of the oldest waiting events. There are few of them unless a backlog has built up. */
const MAX_COUNTED = 5_000;

/** Counts accepted events that are not processed yet, by the id of their touchpoint. `more`: the counts are lower bounds. */
export async function countWaitingByTouchpoint(
  db: Db,
  tenant: Tenant,
): Promise<{ counts: ReadonlyMap<string, number>; more: boolean }> {
  const { rows } = await sql<{ id: string; count: number }>`
    select e.touchpoint_id as id, count(*)::int as count
    from (
      select organization_id, unnest(event_ids) as event_id from waiting_events where ${forTenant(db, tenant).owns()}
      order by oldest_id limit ${sql.lit(MAX_COUNTED)}
    ) w
    cross join lateral (
      select touchpoint_id from touchpoint_events where organization_id = w.organization_id and id = w.event_id offset 0
    ) e
    group by e.touchpoint_id`.execute(db);
  return {
    counts: new Map(rows.map(({ id, count }) => [id, count])),
    more: rows.reduce((sum, { count }) => sum + count, 0) >= MAX_COUNTED,
  };
}
