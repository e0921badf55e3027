/** The SQL of events. */

import { type CreateTouchpointEvent, type EventFailureCode, foldName } from '@foreword/contract';
import { CompiledQuery, sql } from 'kysely';
import type pg from 'pg';
import { allOf, anyOf, type Condition, hiddenLimit, idRange, type Period, scanPage } from '../../db/lists.ts';
import { planned } from '../../db/statements.ts';
import {
  type Database,
  type Db,
  forTenant,
  keyColumns,
  type ObjectOfTenant,
  queryForTenant,
  type Row,
  type Tenant,
} from '../../db/tenancy.ts';
import { idBound } from '../../platform/ids.ts';
import { phoneTerms } from '../index.ts';

/** The channel of the hint that reports accepted events to the workers. */
export const EVENTS_WAITING = 'foreword_events';

type EventStatus = Row<'touchpoint_events'>['status'];

export interface EventRow extends Omit<Row<'touchpoint_events'>, 'touchpoint_id' | 'erasure_id' | 'request'> {
  readonly request: CreateTouchpointEvent;
  readonly error_code: EventFailureCode | null;
  readonly touchpoint_slug: string;
  readonly member_external_id: string | null;
  readonly member_first_name: string;
  readonly member_last_name: string;
}

const READ = planned(`
select e.*, t.slug as touchpoint_slug,
  m.external_id as member_external_id, m.first_name as member_first_name, m.last_name as member_last_name
from unnest($1::text[], $2::text[], $3::text[]) as i(organization_id, environment, id)
cross join lateral (
  select organization_id, id, environment, status, touchpoint_id, touchpoint_name, member_id, request, intro_id,
    error_code, error_message, created_at, settled_at
  from touchpoint_events where organization_id = i.organization_id and environment = i.environment and id = i.id offset 0
) e
cross join lateral (select slug from touchpoints where organization_id = e.organization_id and id = e.touchpoint_id offset 0) t
cross join lateral (
  select external_id, first_name, last_name from members
  where organization_id = e.organization_id and id = e.member_id offset 0
) m
order by e.id desc`);

/** The events of a batch that exist, newest first. */
export async function readEvents(db: Db, events: readonly ObjectOfTenant[]): Promise<EventRow[]> {
  return (await db.executeQuery<EventRow>(CompiledQuery.raw(READ, keyColumns(events)))).rows;
}

export async function findEvent(db: Db, tenant: Tenant, id: string): Promise<EventRow | null> {
  return (await readEvents(db, [{ tenant, id }]))[0] ?? null;
}

const FIND_SETTLED = planned(`
select i.n::int - 1 as position
from unnest($1::text[], $2::text[], $3::text[]) with ordinality as i(organization_id, environment, id, n)
cross join lateral (
  select from touchpoint_events
  where organization_id = i.organization_id and environment = i.environment and id = i.id and status <> 'accepted'
  offset 0
) e`);

/** The positions of the events that are no longer `accepted`. */
export async function findSettled(pool: pg.Pool, events: readonly ObjectOfTenant[]): Promise<number[]> {
  const { rows } = await pool.query<{ position: number }>(FIND_SETTLED, keyColumns(events));
  return rows.map(({ position }) => position);
}

/** Queues a failed event again. Returns false if it has not failed or is already queued. */
export async function moveToAccepted(db: Db, tenant: Tenant, id: string): Promise<boolean> {
  const { rows } = await sql`
    with moved as (
      update touchpoint_events set status = 'accepted', settled_at = null, error_code = null, error_message = null
      where ${forTenant(db, tenant).owns()} and id = ${id} and status = 'failed' and erasure_id is null
      returning organization_id, environment, id
    ), queued as (
      insert into waiting_events (organization_id, environment, oldest_id, event_ids)
      select organization_id, environment, id, array[id] from moved returning 1
    )
    select hint(${EVENTS_WAITING}, '') from queued`.execute(db);
  return rows.length === 1;
}

interface FailingTouchpoint {
  readonly slug: string;
  readonly name: string;
  readonly amount: number;
  readonly last_event_id: string;
  readonly last_code: EventFailureCode;
}

const FAILING = planned(`
select t.slug, t.name, f.amount, f.last_event_id, coalesce(f.last_code, 'processing_failed') as last_code
from (
  select touchpoint_id, count(*)::int as amount, max(id) as last_event_id,
    (array_agg(error_code order by id desc))[1] as last_code
  from touchpoint_events
  where organization_id = $1 and environment = $2 and id >= $3 and error_code is not null
  group by touchpoint_id
) f
join touchpoints t on t.organization_id = $1 and t.id = f.touchpoint_id
order by f.last_event_id desc limit $4`);

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

interface EventFilter extends Period {
  /** Empty: any status. */
  readonly statuses: readonly EventStatus[];
  readonly touchpoint: string | undefined;
  readonly referenceId: string | undefined;
  readonly startingAfter: string | undefined;
  readonly limit: number;
}

/** The expression of the index on references. */
const REFERENCE_ID = sql`(request #>> '{reference,id}')`;

/**
 * Selects the newest ids. With a filter, they are read from the indexes in order: the newest of each touchpoint, failed and other
 * events apart, merged. So each page takes about as long, however many events there are and however few of them match.
 */
function selectPage(db: Db, tenant: Tenant, filter: EventFilter): Condition {
  const { statuses, touchpoint, referenceId } = filter;
  const tenantScope = forTenant(db, tenant);
  const range = idRange('evt', { ...filter, after: filter.startingAfter });
  const newest = sql`order by id desc limit ${sql.lit(filter.limit)}`;
  if (statuses.length === 0 && touchpoint === undefined && referenceId === undefined) {
    return sql`select id from touchpoint_events where ${allOf([tenantScope.owns(), ...range])} ${newest}`;
  }
  const conditions = referenceId === undefined ? range : [sql`${REFERENCE_ID} = ${referenceId}`, ...range];
  const isTouchpoint = touchpoint === undefined ? [] : [sql`slug = ${touchpoint}`];
  const touchpoints = sql`select id from touchpoints where ${allOf([tenantScope.owns(), ...isTouchpoint])}`;
  const isWanted = (status: EventStatus) => statuses.length === 0 || statuses.includes(status);
  const newestOfEach = (isIndexed: Condition) => sql`
    select each_one.id from (${touchpoints} offset 0) t
    cross join lateral (
      select id from touchpoint_events where touchpoint_id = t.id and ${isIndexed} and ${allOf(conditions)} ${newest}
    ) each_one`;
  const found: Condition[] = [];
  if (isWanted('failed')) found.push(newestOfEach(sql`error_code is not null`));
  if (isWanted('processed')) {
    const isSettled = isWanted('accepted') ? sql`true` : sql`settled_at is not null`;
    found.push(newestOfEach(sql`error_code is null and ${isSettled}`));
  } else if (isWanted('accepted')) {
    // Few unless a backlog has built up.
    found.push(sql`
    select id from (
      select e.id, e.touchpoint_id, e.request from waiting_events w
      cross join unnest(w.event_ids) as one(id)
      cross join lateral (
        select id, touchpoint_id, request from touchpoint_events
        where organization_id = w.organization_id and id = one.id offset 0
      ) e
      where ${tenantScope.owns('w')} offset 0
    ) waiting
    where ${allOf([...conditions, sql`touchpoint_id in (${touchpoints})`])}`);
  }
  return sql`select id from (${sql.join(found, sql` union all `)}) found ${newest}`;
}

export async function findEvents(db: Db, tenant: Tenant, filter: EventFilter): Promise<EventRow[]> {
  const { rows } = await sql<{ id: string }>`${selectPage(db, tenant, filter)}`.execute(db);
  return readEvents(
    db,
    rows.map(({ id }) => ({ tenant, id })),
  );
}

interface EventSearch extends Period {
  /** Empty: any status. */
  readonly statuses: readonly EventStatus[];
  readonly memberId: string | undefined;
  readonly touchpoint: string | undefined;
  readonly text: string | undefined;
  readonly after: string | undefined;
  readonly limit: number;
}

/** Scanned per page of results. */
const MAX_ROWS = 1_500;

/** Fields stored only in the request are searched unindexed; such searches are rare. */
function matchesText(query: string): Condition {
  const text = query.trim();
  const phones = phoneTerms(text).map((term) =>
    term.kind === 'phone'
      ? sql`starts_with(phone, ${term.prefix})`
      : sql`right(phone, ${term.digits.length}) = ${term.digits}`,
  );
  const name = foldName(text);
  const conditions = [
    sql`id = ${text}`,
    sql`intro_id = ${text}`,
    sql`request #>> '{reference,id}' = ${text}`,
    ...(name === '' ? [] : [sql`starts_with(first_name || last_name, ${name})`, sql`starts_with(last_name, ${name})`]),
    ...phones,
  ];
  return anyOf(conditions);
}

/** The events that match. `next` is the id to continue after; null at the end. */
export async function searchEvents(
  db: Db,
  tenant: Tenant,
  search: EventSearch,
): Promise<{ rows: EventRow[]; next: string | null }> {
  const { statuses, memberId, touchpoint, text, limit } = search;
  const owned = forTenant(db, tenant).owns();
  // Only failed events have an index: nearly all others are processed, and the few pending ones are new.
  const isFailedOnly = statuses.length === 1 && statuses[0] === 'failed';
  const indexed = [owned, ...idRange('evt', search), ...(isFailedOnly ? [sql`error_code is not null`] : [])];
  // Computed once per row, and only if a condition uses it. `#>>` copies no part of the request.
  const newest = (count: number) => sql`
    select id, status, touchpoint_id, member_id, intro_id, request, request #>> '{recipient,phone}' as phone,
      search_name(request #>> '{recipient,first_name}') as first_name,
      coalesce(search_name(request #>> '{recipient,last_name}'), '') as last_name
    from touchpoint_events where ${allOf(indexed)} order by id desc ${hiddenLimit(count)}`;
  const conditions = [
    ...(isFailedOnly || statuses.length === 0 ? [] : [sql`status in (${sql.join(statuses)})`]),
    ...(memberId === undefined ? [] : [sql`member_id = ${memberId}`]),
    ...(touchpoint === undefined
      ? []
      : [sql`touchpoint_id = (select id from touchpoints where slug = ${touchpoint} and ${owned})`]),
    ...(text === undefined ? [] : [matchesText(text)]),
  ];
  const { ids, next } = await scanPage(db, { newest, conditions, limit, maxRows: MAX_ROWS });
  const rows = await readEvents(
    db,
    ids.map((id) => ({ tenant, id })),
  );
  return { rows, next };
}

/** Counts pending and failed events. Counting stops at `atMost + 1`, so that it stays fast. */
export async function countOpenEvents(
  db: Db,
  tenant: Tenant,
  atMost: number,
): Promise<{ accepted: number; failed: number }> {
  const owned = forTenant(db, tenant).owns();
  const count = (rows: Condition) =>
    sql`(select count(*)::int from (select from ${rows} ${hiddenLimit(atMost + 1)}) counted)`;
  const { rows } = await sql<{ accepted: number; failed: number }>`
    select ${count(sql`waiting_events cross join unnest(event_ids) where ${owned}`)} as accepted,
      ${count(sql`touchpoint_events where ${owned} and error_code is not null order by id desc`)} as failed`.execute(
    db,
  );
  return rows[0] ?? { accepted: 0, failed: 0 };
}
