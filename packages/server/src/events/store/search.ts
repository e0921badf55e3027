import type { CreateTouchpointEvent } from '@foreword/contract';
import { sql } from 'kysely';
import { phonePrefixes } from '../../intros/index.ts';
import type { Queryable } from '../../platform/db.ts';
import { idBound } from '../../platform/ids.ts';
import { allOf, type Condition, type ScannedPage, scanPage } from '../../platform/scan.ts';
import type { Tables, Tenant, TouchpointEventTable } from '../../tables.ts';
import { forTenant } from '../../tenancy.ts';

type EventStatus = TouchpointEventTable['status'];

export interface EventSearch {
  /** Empty: any status. */
  readonly statuses: readonly EventStatus[];
  readonly memberId: string | undefined;
  readonly touchpoint: string | undefined;
  readonly from: Date | undefined;
  /** Exclusive. */
  readonly until: Date | undefined;
  readonly text: string | undefined;
  readonly after: string | undefined;
  readonly limit: number;
}

export interface EventListRow {
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
  readonly error_code: string | null;
  readonly error_message: string | null;
  readonly created_at: Date;
  readonly settled_at: Date | null;
}

export interface FoundEvents {
  readonly rows: readonly EventListRow[];
  /** The id to continue after; null at the end. */
  readonly next: string | null;
}

/** Scanned per page of results. */
const MAX_ROWS = 1_500;

/** Fields stored only in the request are searched unindexed; such searches are rare. */
function matchesText(query: string): Condition {
  const text = query.trim();
  const prefix = `${text.toLowerCase().replaceAll(/[\\%_]/g, '\\$&')}%`;
  const recipient = sql`request -> 'recipient'`;
  const phones = phonePrefixes(text).map((phone) => sql`${recipient} ->> 'phone' like ${`${phone}%`}`);
  const conditions = [
    sql`id = ${text}`,
    sql`intro_id = ${text}`,
    sql`request -> 'reference' ->> 'id' = ${text}`,
    sql`lower(${recipient} ->> 'last_name') like ${prefix}`,
    sql`lower(concat_ws(' ', ${recipient} ->> 'first_name', ${recipient} ->> 'last_name')) like ${prefix}`,
    ...phones,
  ];
  return sql`(${sql.join(conditions, sql` or `)})`;
}

/** Only failed events have an index: nearly all others are processed, and the few pending ones are new. */
function plan(owned: Condition, search: EventSearch): { select(count: number): Condition; filters: Condition[] } {
  const { statuses, from, until, after } = search;
  const range = [
    owned,
    ...(from === undefined ? [] : [sql`id >= ${idBound('evt', from)}`]),
    ...(until === undefined ? [] : [sql`id < ${idBound('evt', until)}`]),
    ...(after === undefined ? [] : [sql`id < ${after}`]),
  ];
  const isFailedOnly = statuses.length === 1 && statuses[0] === 'failed';
  // A literal, not a parameter: the planner uses the partial index only if it sees the status.
  const conditions = isFailedOnly ? [...range, sql`status = 'failed'`] : range;
  return {
    select: (count) => sql`select id, status, touchpoint_id, member_id, intro_id, request from touchpoint_events
      where ${allOf(conditions)} order by id desc limit ${sql.lit(count)}`,
    filters: isFailedOnly || statuses.length === 0 ? [] : [sql`status in (${sql.join(statuses)})`],
  };
}

function findIds(db: Queryable<Tables>, tenant: Tenant, search: EventSearch): Promise<ScannedPage> {
  const { memberId, touchpoint, text, limit } = search;
  const owned = forTenant(db, tenant).owns();
  const { select, filters } = plan(owned, search);
  const conditions = [
    ...(memberId === undefined ? [] : [sql`member_id = ${memberId}`]),
    ...(touchpoint === undefined
      ? []
      : [sql`touchpoint_id = (select id from touchpoints where slug = ${touchpoint} and ${owned})`]),
    ...(text === undefined ? [] : [matchesText(text)]),
  ];
  return scanPage(db, { newest: select, conditions: [...filters, ...conditions], limit, maxRows: MAX_ROWS });
}

async function readRows(db: Queryable<Tables>, { organizationId, environment }: Tenant, ids: readonly string[]) {
  if (ids.length === 0) return [];
  const { rows } = await sql<EventListRow>`
    select e.*, t.slug as touchpoint_slug, t.name as touchpoint_name, m.external_id as member_external_id,
      m.first_name as member_first_name, m.last_name as member_last_name
    from unnest(${[...ids]}::text[]) with ordinality as given(id, n)
    cross join lateral (
      select id, environment, status, touchpoint_id, member_id, request, intro_id, error_code, error_message, created_at,
        settled_at
      from touchpoint_events
      where organization_id = ${organizationId} and environment = ${environment} and id = given.id offset 0
    ) e
    cross join lateral (
      select slug, name from touchpoints where organization_id = ${organizationId} and id = e.touchpoint_id offset 0
    ) t
    cross join lateral (
      select external_id, first_name, last_name from members
      where organization_id = ${organizationId} and id = e.member_id offset 0
    ) m
    order by given.n`.execute(db);
  return rows;
}

export async function searchEvents(db: Queryable<Tables>, tenant: Tenant, search: EventSearch): Promise<FoundEvents> {
  const { ids, next } = await findIds(db, tenant, search);
  return { rows: await readRows(db, tenant, ids), next };
}

export async function findEventListRow(
  db: Queryable<Tables>,
  tenant: Tenant,
  id: string,
): Promise<EventListRow | null> {
  const [row] = await readRows(db, tenant, [id]);
  return row ?? null;
}

/** Counts pending and failed events. Counting stops at `atMost + 1`, so that it stays fast. */
export async function countOpenEvents(
  db: Queryable<Tables>,
  tenant: Tenant,
  atMost: number,
): Promise<{ accepted: number; failed: number }> {
  const owned = forTenant(db, tenant).owns();
  const limit = sql.lit(atMost + 1);
  const { rows } = await sql<{ accepted: number; failed: number }>`
    select (
      select count(*)::int from (
        select from touchpoint_events
        where ${owned} and status = 'accepted' limit ${limit}
      ) waiting
    ) as accepted, (
      select count(*)::int from (
        select from touchpoint_events
        where ${owned} and status = 'failed' limit ${limit}
      ) failed
    ) as failed`.execute(db);
  return rows[0] ?? { accepted: 0, failed: 0 };
}
