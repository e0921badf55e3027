import type { CreateTouchpointEvent } from '@foreword/contract';
import { sql } from 'kysely';
import { phonePrefixes } from '../intros/index.ts';
import type { Queryable } from '../platform/db.ts';
import { idBound } from '../platform/ids.ts';
import { allOf, type Condition, type ScannedPage, scanPage } from '../platform/scan.ts';
import type { Tables, Tenant, TouchpointEventTable } from '../tables.ts';

type EventStatus = TouchpointEventTable['status'];

export interface EventSearch {
  /** None: any. */
  readonly statuses: readonly EventStatus[];
  readonly memberId: string | undefined;
  readonly touchpoint: string | undefined;
  readonly from: Date | undefined;
  /** Not included. */
  readonly until: Date | undefined;
  readonly text: string | undefined;
  readonly after: string | undefined;
  readonly limit: number;
}

export interface EventListRow {
  readonly id: string;
  readonly status: EventStatus;
  readonly touchpoint_slug: string;
  readonly touchpoint_name: string;
  readonly member_id: string;
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
  /** Where to go on; null at the end. */
  readonly next: string | null;
}

/** By one page. */
const MAX_SCANNED = 1_500;

/** What of an event stands in its request alone is looked at there: nobody pays for an index of what is rarely asked. */
function textIn(written: string): Condition {
  const text = written.trim();
  const begins = `${text.toLowerCase().replaceAll(/[\\%_]/g, '\\$&')}%`;
  const recipient = sql`request -> 'recipient'`;
  const phones = phonePrefixes(text).map((phone) => sql`${recipient} ->> 'phone' like ${`${phone}%`}`);
  const meant = [
    sql`id = ${text}`,
    sql`intro_id = ${text}`,
    sql`request -> 'reference' ->> 'id' = ${text}`,
    sql`lower(${recipient} ->> 'last_name') like ${begins}`,
    sql`lower(concat_ws(' ', ${recipient} ->> 'first_name', ${recipient} ->> 'last_name')) like ${begins}`,
    ...phones,
  ];
  return sql`(${sql.join(meant, sql` or `)})`;
}

/** Failed ones have an index; of the others most are processed, and the few that wait are new. */
function plan(tenant: Tenant, search: EventSearch): { newest(count: number): Condition; rest: Condition[] } {
  const { statuses, from, until, after } = search;
  const range = [
    sql`organization_id = ${tenant.organizationId} and environment = ${tenant.environment}`,
    ...(from === undefined ? [] : [sql`id >= ${idBound('evt', from)}`]),
    ...(until === undefined ? [] : [sql`id < ${idBound('evt', until)}`]),
    ...(after === undefined ? [] : [sql`id < ${after}`]),
  ];
  const isFailedOnly = statuses.length === 1 && statuses[0] === 'failed';
  // In the text, not as a parameter, so that the planner sees that the partial index will do.
  const conditions = isFailedOnly ? [...range, sql`status = 'failed'`] : range;
  return {
    newest: (count) => sql`select id, status, touchpoint_id, member_id, intro_id, request from touchpoint_events
      where ${allOf(conditions)} order by id desc limit ${sql.lit(count)}`,
    rest: isFailedOnly || statuses.length === 0 ? [] : [sql`status in (${sql.join(statuses)})`],
  };
}

function findIds(db: Queryable<Tables>, tenant: Tenant, search: EventSearch): Promise<ScannedPage> {
  const { memberId, touchpoint, text, limit } = search;
  const { newest, rest } = plan(tenant, search);
  const conditions = [
    ...(memberId === undefined ? [] : [sql`member_id = ${memberId}`]),
    ...(touchpoint === undefined
      ? []
      : [
          sql`touchpoint_id = (select id from touchpoints where slug = ${touchpoint}
            and organization_id = ${tenant.organizationId} and environment = ${tenant.environment})`,
        ]),
    ...(text === undefined ? [] : [textIn(text)]),
  ];
  return scanPage(db, { newest, conditions: [...rest, ...conditions], limit, maxRows: MAX_SCANNED });
}

async function read(db: Queryable<Tables>, { organizationId, environment }: Tenant, ids: readonly string[]) {
  if (ids.length === 0) return [];
  const { rows } = await sql<EventListRow>`
    select e.*, t.slug as touchpoint_slug, t.name as touchpoint_name, m.first_name as member_first_name,
      m.last_name as member_last_name
    from unnest(${[...ids]}::text[]) with ordinality as asked(id, n)
    cross join lateral (
      select id, status, touchpoint_id, member_id, request, intro_id, error_code, error_message, created_at, settled_at
      from touchpoint_events
      where organization_id = ${organizationId} and environment = ${environment} and id = asked.id offset 0
    ) e
    cross join lateral (
      select slug, name from touchpoints where organization_id = ${organizationId} and id = e.touchpoint_id offset 0
    ) t
    cross join lateral (
      select first_name, last_name from members where organization_id = ${organizationId} and id = e.member_id offset 0
    ) m
    order by asked.n`.execute(db);
  return rows;
}

export async function searchEvents(db: Queryable<Tables>, tenant: Tenant, search: EventSearch): Promise<FoundEvents> {
  const { ids, next } = await findIds(db, tenant, search);
  return { rows: await read(db, tenant, ids), next };
}

export async function findEventListRow(
  db: Queryable<Tables>,
  tenant: Tenant,
  id: string,
): Promise<EventListRow | null> {
  const [row] = await read(db, tenant, [id]);
  return row ?? null;
}

/** How many wait and how many failed, up to a number beyond which nobody counts. */
export async function countOpenEvents(
  db: Queryable<Tables>,
  { organizationId, environment }: Tenant,
  atMost: number,
): Promise<{ accepted: number; failed: number }> {
  const limit = sql.lit(atMost + 1);
  const { rows } = await sql<{ accepted: number; failed: number }>`
    select (
      select count(*)::int from (
        select from touchpoint_events
        where organization_id = ${organizationId} and environment = ${environment} and status = 'accepted' limit ${limit}
      ) waiting
    ) as accepted, (
      select count(*)::int from (
        select from touchpoint_events
        where organization_id = ${organizationId} and environment = ${environment} and status = 'failed' limit ${limit}
      ) failed
    ) as failed`.execute(db);
  return rows[0] ?? { accepted: 0, failed: 0 };
}

/** A failed event waits again, as if it had just come. False when it did not fail, or waits again already. */
export async function moveToAccepted(db: Queryable<Tables>, tenant: Tenant, id: string): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('touchpoint_events')
    .set({ status: 'accepted', settled_at: null, error_code: null, error_message: null })
    .where('organization_id', '=', tenant.organizationId)
    .where('environment', '=', tenant.environment)
    .where('id', '=', id)
    .where('status', '=', 'failed')
    .executeTakeFirst();
  return numUpdatedRows === 1n;
}
