import { sql } from 'kysely';
import { allOf, type Condition, hiddenLimit, type ScannedPage, scanPage } from '../../../db/scan.ts';
import { type Db, forTenant, type Tenant } from '../../../db/tenancy.ts';
import { idBound } from '../../../platform/ids.ts';
import { phonePrefixes } from '../../index.ts';
import { type EventRow, type EventStatus, readEvents } from '../store.ts';

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

export interface FoundEvents {
  readonly rows: readonly EventRow[];
  /** The id to continue after; null at the end. */
  readonly next: string | null;
}

/** Scanned per page of results. */
const MAX_ROWS = 1_500;

/** Fields stored only in the request are searched unindexed; such searches are rare. */
function matchesText(query: string): Condition {
  const text = query.trim();
  const prefix = `${text.toLowerCase().replaceAll(/[\\%_]/g, '\\$&')}%`;
  const phones = phonePrefixes(text).map((phone) => sql`request #>> '{recipient,phone}' like ${`${phone}%`}`);
  const conditions = [
    sql`id = ${text}`,
    sql`intro_id = ${text}`,
    sql`request #>> '{reference,id}' = ${text}`,
    // Any word of the name, so that a last name is found as well.
    sql`recipient_name like ${prefix}`,
    sql`recipient_name like ${`% ${prefix}`}`,
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
  const conditions = isFailedOnly ? [...range, sql`error_code is not null`] : range;
  return {
    // The name is computed once per row, and only if a condition uses it. `#>>` copies no part of the request.
    select: (count) => sql`select id, status, touchpoint_id, member_id, intro_id, request,
        lower(concat_ws(' ', request #>> '{recipient,first_name}', request #>> '{recipient,last_name}')) as recipient_name
      from touchpoint_events where ${allOf(conditions)} order by id desc ${hiddenLimit(count)}`,
    filters: isFailedOnly || statuses.length === 0 ? [] : [sql`status in (${sql.join(statuses)})`],
  };
}

function findIds(db: Db, tenant: Tenant, search: EventSearch): Promise<ScannedPage> {
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

export async function searchEvents(db: Db, tenant: Tenant, search: EventSearch): Promise<FoundEvents> {
  const { ids, next } = await findIds(db, tenant, search);
  return { rows: await readEvents(db, tenant, sql`select unnest(${ids}::text[]) as id`), next };
}

/** Counts pending and failed events. Counting stops at `atMost + 1`, so that it stays fast. */
export async function countOpenEvents(
  db: Db,
  tenant: Tenant,
  atMost: number,
): Promise<{ accepted: number; failed: number }> {
  const owned = forTenant(db, tenant).owns();
  const limit = sql.lit(atMost + 1);
  const { rows } = await sql<{ accepted: number; failed: number }>`
    select (
      select count(*)::int from (
        select from waiting_events where ${owned} limit ${limit}
      ) waiting
    ) as accepted, (
      select count(*)::int from (
        select from touchpoint_events
        where ${owned} and error_code is not null limit ${limit}
      ) failed
    ) as failed`.execute(db);
  return rows[0] ?? { accepted: 0, failed: 0 };
}
