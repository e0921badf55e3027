import { sql } from 'kysely';
import { allOf, type Condition } from '../../../db/scan.ts';
import { type Db, forTenant, type Tenant } from '../../../db/tenancy.ts';
import { idBound } from '../../../platform/ids.ts';
import type { Period } from '../../../platform/paging.ts';
import { type EventRow, type EventStatus, readEvents } from '../store.ts';

export interface EventFilter extends Period {
  /** Empty: any status. */
  readonly statuses: readonly EventStatus[];
  readonly touchpoint: string | undefined;
  readonly referenceId: string | undefined;
  readonly startingAfter: string | undefined;
  readonly limit: number;
}

/** The expression of the index on references. */
const REFERENCE_ID = sql`(request -> 'reference' ->> 'id')`;

/** Ids sort by creation time, so a period is a range of ids. */
const idRange = ({ from, until, startingAfter }: EventFilter): Condition[] => [
  ...(from === undefined ? [] : [sql`id >= ${idBound('evt', from)}`]),
  ...(until === undefined ? [] : [sql`id < ${idBound('evt', until)}`]),
  ...(startingAfter === undefined ? [] : [sql`id < ${startingAfter}`]),
];

/**
 * Selects the newest ids. With a filter, they are read from the indexes in order: the newest of each touchpoint, failed and other
 * events apart, merged. So each page takes about as long, however many events there are and however few of them match.
 */
function selectPage(db: Db, tenant: Tenant, filter: EventFilter): Condition {
  const { statuses, touchpoint, referenceId } = filter;
  const tenantScope = forTenant(db, tenant);
  const range = idRange(filter);
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
      select w.event_id as id, e.touchpoint_id, e.request from waiting_events w
      cross join lateral (
        select touchpoint_id, request from touchpoint_events
        where organization_id = w.organization_id and id = w.event_id offset 0
      ) e
      where ${tenantScope.owns('w')} offset 0
    ) waiting
    where ${allOf([...conditions, sql`touchpoint_id in (${touchpoints})`])}`);
  }
  return sql`select id from (${sql.join(found, sql` union all `)}) found ${newest}`;
}

export const findEvents = (db: Db, tenant: Tenant, filter: EventFilter): Promise<EventRow[]> =>
  readEvents(db, tenant, selectPage(db, tenant, filter));
