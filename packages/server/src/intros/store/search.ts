import type { Responsibility } from '@foreword/contract';
import { sql } from 'kysely';
import type { Queryable } from '../../platform/db.ts';
import { idBound } from '../../platform/ids.ts';
import { allOf, type Condition, type ScannedPage, scanPage } from '../../platform/scan.ts';
import type { IntroStatus, Tables, Tenant } from '../../tables.ts';
import { forTenant } from '../../tenancy.ts';
import type { SearchTerm } from '../search-terms.ts';

export interface IntroSearch {
  /** Empty: any status. */
  readonly statuses: readonly IntroStatus[];
  readonly memberId: string | undefined;
  /** Null: intros without a touchpoint. Undefined: any. */
  readonly touchpoint: string | null | undefined;
  readonly from: Date | undefined;
  /** Exclusive. */
  readonly until: Date | undefined;
  /** At least one must match, unless there are none. */
  readonly terms: readonly SearchTerm[];
  readonly after: string | undefined;
  readonly limit: number;
}

const ALL_STATUSES: readonly IntroStatus[] = ['requested', 'ready', 'sent', 'cancelled', 'expired'];
/** If a term matches more intros than this, the search scans the newest intros instead of using the term's index. */
const MAX_INDEX_MATCHES = 1_000;
/** Scanned per page of results. */
const MAX_ROWS = 2_500;

/** Sorts after every character in byte order. */
const LAST_CHARACTER = '\u{10ffff}';
const startsWith = (expression: Condition, prefix: string): Condition =>
  sql`${expression} collate "C" >= lower(${prefix}) and ${expression} collate "C" < lower(${prefix}) || ${LAST_CHARACTER}`;

const FIRST = sql`lower(recipient_first_name)`;
const LAST = sql`lower(recipient_last_name)`;
const PHONE = sql`recipient_phone`;

function matches(term: SearchTerm): Condition {
  switch (term.kind) {
    case 'id':
      return sql`id = ${term.value}`;
    case 'event':
      return sql`event_id = ${term.value}`;
    case 'reference':
      return sql`reference_id = ${term.value}`;
    case 'phone':
      return startsWith(PHONE, term.prefix);
    case 'first_name':
      return startsWith(FIRST, term.prefix);
    case 'last_name':
      return startsWith(LAST, term.prefix);
    case 'first_last':
      return sql`${startsWith(LAST, term.lastPrefix)} and ${FIRST} collate "C" = lower(${term.first})`;
    case 'last_first':
      return sql`${startsWith(FIRST, term.firstPrefix)} and ${LAST} collate "C" = lower(${term.last})`;
  }
}

/** Ids sort by creation time, so a period is a range of ids. */
function idRange({ from, until, after }: IntroSearch): Condition[] {
  return [
    ...(from === undefined ? [] : [sql`id >= ${idBound('int', from)}`]),
    ...(until === undefined ? [] : [sql`id < ${idBound('int', until)}`]),
    ...(after === undefined ? [] : [sql`id < ${after}`]),
  ];
}

const isStatus = (statuses: readonly IntroStatus[]): Condition[] =>
  statuses.length === 0 ? [] : [sql`status in (${sql.join(statuses)})`];
const isMember = (memberId: string | undefined): Condition[] =>
  memberId === undefined ? [] : [sql`member_id = ${memberId}`];
const isTouchpoint = (slug: string | null | undefined): Condition[] =>
  slug === undefined ? [] : [slug === null ? sql`touchpoint_slug is null` : sql`touchpoint_slug = ${slug}`];

const COLUMNS = sql`id, status, member_id, touchpoint_slug, event_id, reference_id, recipient_first_name,
  recipient_last_name, recipient_phone`;

const unionAll = (parts: readonly Condition[]): Condition => sql.join(parts, sql` union all `);

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
      (status) => sql`(select ${COLUMNS} from intros
        where ${owned} and status = ${status} and ${allOf(conditions)}
        order by id desc limit ${sql.lit(limit)})`,
    ),
  )}) as each_status order by id desc limit ${sql.lit(limit)}`;

const newest = (owned: Condition, conditions: readonly Condition[], limit: number) =>
  sql`select ${COLUMNS} from intros where ${owned} and ${allOf(conditions)}
    order by id desc limit ${sql.lit(limit)}`;

/** `select` reads rows in the order of an index; `filters` are the conditions to check on each of them. */
function plan(owned: Condition, search: IntroSearch): { select(count: number): Condition; filters: Condition[] } {
  const { statuses, memberId, touchpoint, terms } = search;
  const range = idRange(search);
  const matchesAny = terms.length === 0 ? [] : [sql`(${sql.join(terms.map(matches), sql` or `)})`];
  if (memberId !== undefined) {
    const conditions = [...isMember(memberId), ...range];
    const wanted = statuses.length === 0 ? ALL_STATUSES : statuses;
    return {
      select: (count) => newestByStatus(owned, wanted, conditions, count),
      filters: [...isTouchpoint(touchpoint), ...matchesAny],
    };
  }
  if (touchpoint !== undefined) {
    const conditions = [...isTouchpoint(touchpoint), ...range];
    return { select: (count) => newest(owned, conditions, count), filters: [...isStatus(statuses), ...matchesAny] };
  }
  if (statuses.length > 0) {
    return { select: (count) => newestByStatus(owned, statuses, range, count), filters: matchesAny };
  }
  return { select: (count) => newest(owned, range, count), filters: matchesAny };
}

/** Finds matches through the indexes of the terms, which are not in id order. Returns null if a term matches too many. */
async function findByIndex(db: Queryable<Tables>, owned: Condition, search: IntroSearch): Promise<ScannedPage | null> {
  const { terms, statuses, memberId, touchpoint, limit } = search;
  const branches = terms.map(
    (term, n) => sql`(select ${sql.lit(n)} as branch, ${COLUMNS} from intros
      where ${owned} and ${matches(term)} limit ${sql.lit(MAX_INDEX_MATCHES + 1)})`,
  );
  const conditions = [...isStatus(statuses), ...isMember(memberId), ...isTouchpoint(touchpoint), ...idRange(search)];
  const { rows } = await sql<{ ids: string[] | null; highest: number | null }>`
    with found as materialized (${unionAll(branches)})
    select (select max(n)::int from (select count(*) as n from found group by branch) b) as highest,
      (select array_agg(id) from (
        select distinct id from found where ${allOf(conditions)} order by id desc limit ${sql.lit(limit + 1)}
      ) page) as ids`.execute(db);
  const [{ ids, highest } = { ids: null, highest: null }] = rows;
  if ((highest ?? 0) > MAX_INDEX_MATCHES) return null;
  const found = ids ?? [];
  return { ids: found.slice(0, limit), next: found.length > limit ? (found[limit - 1] ?? null) : null };
}

export async function searchIntros(db: Queryable<Tables>, tenant: Tenant, search: IntroSearch): Promise<ScannedPage> {
  const owned = forTenant(db, tenant).owns();
  const found = search.terms.length === 0 ? null : await findByIndex(db, owned, search);
  if (found !== null) return found;
  const { select, filters } = plan(owned, search);
  return scanPage(db, { newest: select, conditions: filters, limit: search.limit, maxRows: MAX_ROWS });
}

export interface IntroListRow {
  readonly id: string;
  readonly status: IntroStatus;
  readonly touchpoint_slug: string | null;
  readonly touchpoint_name: string | null;
  readonly member_id: string;
  readonly member_first_name: string;
  readonly member_last_name: string;
  readonly recipient_first_name: string;
  readonly recipient_last_name: string | null;
  readonly recipient_phone: string;
  readonly reference_id: string | null;
  readonly responsibility: Responsibility;
  readonly delivery_error_code: string | null;
  readonly delivery_error_message: string | null;
  readonly created_at: Date;
  readonly expires_at: Date | null;
  readonly recorded_at: Date | null;
  readonly sent_at: Date | null;
  readonly opened_at: Date | null;
  readonly watched_percent: number;
  readonly cancelled_at: Date | null;
}

/** The rows with these ids, in the same order. */
export async function readListRows(
  db: Queryable<Tables>,
  { organizationId, environment }: Tenant,
  ids: readonly string[],
): Promise<IntroListRow[]> {
  if (ids.length === 0) return [];
  const { rows } = await sql<IntroListRow>`
    select i.*, t.name as touchpoint_name, m.first_name as member_first_name, m.last_name as member_last_name
    from unnest(${[...ids]}::text[]) with ordinality as given(id, n)
    cross join lateral (
      select id, status, touchpoint_slug, member_id, recipient_first_name, recipient_last_name, recipient_phone,
        reference_id, responsibility, delivery_error_code, delivery_error_message, created_at, expires_at, recorded_at,
        sent_at, opened_at, watched_percent, cancelled_at
      from intros where organization_id = ${organizationId} and environment = ${environment} and id = given.id offset 0
    ) i
    cross join lateral (
      select first_name, last_name from members where organization_id = ${organizationId} and id = i.member_id offset 0
    ) m
    left join lateral (
      select name from touchpoints
      where slug = i.touchpoint_slug and organization_id = ${organizationId} and environment = ${environment} offset 0
    ) t on true
    order by given.n`.execute(db);
  return rows;
}

/** Counts intros by status. Counting stops at `atMost + 1`, so that it stays fast. */
export async function countByStatus(
  db: Queryable<Tables>,
  tenant: Tenant,
  options: { memberId: string | undefined; atMost: number },
): Promise<Record<IntroStatus, number>> {
  const limit = sql.lit(options.atMost + 1);
  const { rows } = await sql<{ status: IntroStatus; n: number }>`
    select s.status, (
      select count(*)::int from (
        select from intros where ${forTenant(db, tenant).owns()} and status = s.status and ${allOf(isMember(options.memberId))} limit ${limit}
      ) counted
    ) as n
    from unnest(${[...ALL_STATUSES]}::text[]) as s(status)`.execute(db);
  const counts: Record<IntroStatus, number> = { requested: 0, ready: 0, sent: 0, cancelled: 0, expired: 0 };
  for (const { status, n } of rows) counts[status] = n;
  return counts;
}
