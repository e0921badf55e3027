import { INTRO_STATUSES, type IntroStatus } from '@foreword/contract';
import { sql } from 'kysely';
import { allOf, type Condition, hiddenLimit, type ScannedPage } from '../../db/scan.ts';
import type { Db } from '../../db/tenancy.ts';
import { idBound } from '../../platform/ids.ts';

/** The conditions that an index covers, alone or in some combination. */
export interface IndexedFilter {
  /** Empty: any status. */
  readonly statuses: readonly IntroStatus[];
  readonly memberId?: string | undefined;
  /** Null: intros without a touchpoint. Undefined: any. */
  readonly touchpoint?: string | null | undefined;
  readonly referenceId?: string | undefined;
  readonly from?: Date | undefined;
  /** Exclusive. */
  readonly until?: Date | undefined;
  readonly after?: string | undefined;
}

/** Ids sort by creation time, so a period is a range of ids. */
function idRange({ from, until, after }: IndexedFilter): Condition[] {
  return [
    ...(from === undefined ? [] : [sql`id >= ${idBound('int', from)}`]),
    ...(until === undefined ? [] : [sql`id < ${idBound('int', until)}`]),
    ...(after === undefined ? [] : [sql`id < ${after}`]),
  ];
}

const isStatus = (statuses: readonly IntroStatus[]): Condition[] =>
  statuses.length === 0 ? [] : [sql`status in (${sql.join(statuses)})`];
export const isMember = (memberId: string | undefined): Condition[] =>
  memberId === undefined ? [] : [sql`member_id = ${memberId}`];
const isTouchpoint = (slug: string | null | undefined): Condition[] =>
  slug === undefined ? [] : [slug === null ? sql`touchpoint_slug is null` : sql`touchpoint_slug = ${slug}`];
const isReference = (id: string | undefined): Condition[] => (id === undefined ? [] : [sql`reference_id = ${id}`]);

/** All of the conditions, for rows that were found in another way. */
export const conditionsOf = (filter: IndexedFilter): Condition[] => [
  ...isStatus(filter.statuses),
  ...isMember(filter.memberId),
  ...isTouchpoint(filter.touchpoint),
  ...isReference(filter.referenceId),
  ...idRange(filter),
];

const unionAll = (parts: readonly Condition[]): Condition => sql.join(parts, sql` union all `);

/** The columns that conditions use; sorting whole rows would need much more memory. */
export const SCANNED_COLUMNS = sql`id, status, member_id, touchpoint_slug, event_id, reference_id, recipient_first_name,
  recipient_last_name, recipient_phone, metadata`;

const newest = (owned: Condition, conditions: readonly Condition[], limit: number) =>
  sql`select ${SCANNED_COLUMNS} from intros where ${owned} and ${allOf(conditions)}
    order by id desc ${hiddenLimit(limit)}`;

/** The newest intros, in index order: each status is a separate range of the index, read only up to the limit. */
const newestByStatus = (
  owned: Condition,
  statuses: readonly IntroStatus[],
  conditions: readonly Condition[],
  limit: number,
) =>
  sql`select * from (${unionAll(
    statuses.map(
      // Each needs its own order and limit. Otherwise all rows would be read and sorted.
      (status) => sql`(${newest(owned, [sql`status = ${status}`, ...conditions], limit)})`,
    ),
  )}) as each_status order by id desc ${hiddenLimit(limit)}`;

export interface Scan {
  /** The newest `count` rows, in the order of an index. */
  select(count: number): Condition;
  /** The conditions to check on each of them. */
  readonly filters: readonly Condition[];
}

/** Chooses the index: reference, or member, touchpoint or nothing, each of the latter with the status. */
export function planScan(owned: Condition, filter: IndexedFilter): Scan {
  const { statuses, memberId, touchpoint, referenceId } = filter;
  const range = idRange(filter);
  const byStatus = statuses.length === 0 ? INTRO_STATUSES : statuses;
  if (referenceId !== undefined) {
    return {
      select: (count) => newest(owned, [...isReference(referenceId), ...range], count),
      filters: [...isStatus(statuses), ...isMember(memberId), ...isTouchpoint(touchpoint)],
    };
  }
  if (memberId !== undefined) {
    return {
      select: (count) => newestByStatus(owned, byStatus, [...isMember(memberId), ...range], count),
      filters: isTouchpoint(touchpoint),
    };
  }
  if (touchpoint !== undefined) {
    return {
      select: (count) => newestByStatus(owned, byStatus, [...isTouchpoint(touchpoint), ...range], count),
      filters: [],
    };
  }
  return {
    select: (count) =>
      statuses.length === 0 ? newest(owned, range, count) : newestByStatus(owned, statuses, range, count),
    filters: [],
  };
}

/** If an indexed condition matches more intros than this, the newest intros are scanned instead. */
const MAX_INDEX_MATCHES = 1_000;

/**
 * Finds intros through indexes that are not in id order: at least one of `branches` must match, and all of `conditions`.
 * Returns null if a branch matches too many.
 */
export async function findByIndex(
  db: Db,
  owned: Condition,
  find: {
    branches: readonly Condition[];
    conditions: readonly Condition[];
    limit: number;
    /** The rows to search, named `intros`. Default: the table. */
    from?: Condition;
  },
): Promise<ScannedPage | null> {
  const { limit, from = sql`intros` } = find;
  const branches = find.branches.map(
    (branch, n) => sql`(select ${sql.lit(n)} as branch, ${SCANNED_COLUMNS} from ${from}
      where ${owned} and ${branch} limit ${sql.lit(MAX_INDEX_MATCHES + 1)})`,
  );
  const { rows } = await sql<{ ids: string[] | null; highest: number | null }>`
    with found as materialized (${unionAll(branches)})
    select (select max(n)::int from (select count(*) as n from found group by branch) b) as highest,
      (select array_agg(id) from (
        select distinct id from found where ${allOf(find.conditions)} order by id desc limit ${sql.lit(limit + 1)}
      ) page) as ids`.execute(db);
  const [{ ids, highest } = { ids: null, highest: null }] = rows;
  if ((highest ?? 0) > MAX_INDEX_MATCHES) return null;
  const found = ids ?? [];
  return { ids: found.slice(0, limit), next: found.length > limit ? (found[limit - 1] ?? null) : null };
}
