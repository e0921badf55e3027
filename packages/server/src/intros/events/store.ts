/** The SQL of events. */

import type { CreateTouchpointEvent, EventFailureCode } from '@foreword/contract';
import { type RawBuilder, sql } from 'kysely';
import type pg from 'pg';
import { namedQuery } from '../../db/named-statement.ts';
import {
  type Database,
  type Db,
  forTenant,
  type ObjectOfTenant,
  queryForTenant,
  type Row,
  selectKeys,
  type Tenant,
} from '../../db/tenancy.ts';
import { idBound } from '../../platform/ids.ts';

export type EventStatus = Row<'touchpoint_events'>['status'];

export interface EventRow {
  readonly organization_id: string;
  readonly id: string;
  readonly environment: Tenant['environment'];
  readonly status: EventStatus;
  readonly touchpoint_slug: string;
  readonly touchpoint_name: string;
  readonly member_id: string;
  readonly member_external_id: string | null;
  readonly member_first_name: string;
  readonly member_last_name: string;
  readonly request: CreateTouchpointEvent;
  readonly intro_id: string | null;
  readonly error_code: EventFailureCode | null;
  readonly error_message: string | null;
  readonly created_at: Date;
  readonly settled_at: Date | null;
}

/** The events whose keys `page` selects and `owned` accepts, newest first. */
const selectEvents = (page: RawBuilder<unknown>, owned: RawBuilder<unknown>) => sql<EventRow>`
    select e.*, t.slug as touchpoint_slug,
      m.external_id as member_external_id, m.first_name as member_first_name, m.last_name as member_last_name
    from (${page}) page
    cross join lateral (
      select organization_id, id, environment, status, touchpoint_id, touchpoint_name, member_id, request, intro_id,
        error_code, error_message, created_at, settled_at
      from touchpoint_events where ${owned} and id = page.id offset 0
    ) e
    cross join lateral (select slug from touchpoints where ${owned} and id = e.touchpoint_id offset 0) t
    cross join lateral (
      select external_id, first_name, last_name from members where ${owned} and id = e.member_id offset 0
    ) m
    order by e.id desc`;

/** Reads the events whose ids `page` selects, newest first. */
export const readEvents = async (db: Db, tenant: Tenant, page: RawBuilder<unknown>): Promise<EventRow[]> =>
  (await selectEvents(page, forTenant(db, tenant).owns()).execute(db)).rows;

/** The events of a batch that exist, with one statement. */
export async function readEventBatch(db: Db, events: readonly ObjectOfTenant[]): Promise<EventRow[]> {
  const owned = sql`organization_id = page.organization_id and environment = page.environment`;
  const { sql: text, parameters } = selectEvents(selectKeys(events), owned).compile(db);
  return (await db.executeQuery<EventRow>(namedQuery({ name: 'read events', text }, parameters))).rows;
}

export async function findEvent(db: Db, tenant: Tenant, id: string): Promise<EventRow | null> {
  return (await readEventBatch(db, [{ tenant, id }]))[0] ?? null;
}

const FIND_SETTLED = {
  name: 'find settled events',
  text: `
select i.n::int - 1 as position
from unnest($1::text[], $2::text[], $3::text[]) with ordinality as i(organization_id, environment, id, n)
cross join lateral (
  select from touchpoint_events
  where organization_id = i.organization_id and environment = i.environment and id = i.id and status <> 'accepted'
  offset 0
) e`,
};

/** The positions of the events that are no longer `accepted`. */
export async function findSettled(pool: pg.Pool, events: readonly ObjectOfTenant[]): Promise<number[]> {
  const values = [
    events.map(({ tenant }) => tenant.organizationId),
    events.map(({ tenant }) => tenant.environment),
    events.map(({ id }) => id),
  ];
  return (await pool.query<{ position: number }>({ ...FIND_SETTLED, values })).rows.map(({ position }) => position);
}

/** Queues a failed event again. Returns false if it has not failed or is already queued. */
export async function moveToAccepted(db: Db, tenant: Tenant, id: string): Promise<boolean> {
  const { numAffectedRows } = await sql`
    with moved as (
      update touchpoint_events set status = 'accepted', settled_at = null, error_code = null, error_message = null
      where ${forTenant(db, tenant).owns()} and id = ${id} and status = 'failed' and erasure_id is null
      returning organization_id, environment, id
    )
    insert into waiting_events select organization_id, environment, id from moved`.execute(db);
  return numAffectedRows === 1n;
}

export interface FailingTouchpoint {
  readonly slug: string;
  readonly name: string;
  readonly amount: number;
  readonly last_event_id: string;
  readonly last_code: string;
}

const FAILING = {
  name: 'list failing touchpoints',
  text: `
select t.slug, t.name, f.amount, f.last_event_id, coalesce(f.last_code, 'processing_failed') as last_code
from (
  select touchpoint_id, count(*)::int as amount, max(id) as last_event_id,
    (array_agg(error_code order by id desc))[1] as last_code
  from touchpoint_events
  where organization_id = $1 and environment = $2 and id >= $3 and error_code is not null
  group by touchpoint_id
) f
join touchpoints t on t.organization_id = $1 and t.id = f.touchpoint_id
order by f.last_event_id desc limit $4`,
};

/** Touchpoints with failed events since then, the most recent failure first. */
export async function listFailingTouchpoints(
  { pool }: Database,
  tenant: Tenant,
  { since, limit }: { since: Date; limit: number },
): Promise<readonly FailingTouchpoint[]> {
  return (await queryForTenant<FailingTouchpoint>(pool, tenant, FAILING, [idBound('evt', since), limit])).rows;
}

export async function hasEvents({ pool }: Database, tenant: Tenant): Promise<boolean> {
  const any = 'select 1 from touchpoint_events where organization_id = $1 and environment = $2 limit 1';
  return (await queryForTenant(pool, tenant, any)).rows.length > 0;
}
