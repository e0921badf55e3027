import { sql } from 'kysely';
import type { Queryable } from '../../platform/db.ts';
import { idBound } from '../../platform/ids.ts';
import { allOf, type Condition, type ScannedPage, scanPage } from '../../platform/scan.ts';
import type { IntroStatus, Tables, Tenant } from '../../tables.ts';
import type { SearchTerm } from './rules.ts';

export interface IntroSearch {
  /** None: any. */
  readonly statuses: readonly IntroStatus[];
  readonly memberId: string | undefined;
  /** Null: those without one. */
  readonly touchpoint: string | null | undefined;
  readonly from: Date | undefined;
  /** Not included. */
  readonly until: Date | undefined;
  /** One of them has to fit; none: whatever it is. */
  readonly clues: readonly SearchTerm[];
  readonly after: string | undefined;
  readonly limit: number;
}

const ALL_STATUSES: readonly IntroStatus[] = ['requested', 'ready', 'sent', 'cancelled', 'expired'];
/** A clue that fits more intros says little: then the newest are looked through instead. */
const MANY = 1_000;
/** By one page. */
const MAX_SCANNED = 2_500;

const ofTenant = ({ organizationId, environment }: Tenant): Condition =>
  sql`organization_id = ${organizationId} and environment = ${environment}`;

/** Behind every text that begins so, in the order of bytes. */
const END = '\u{10ffff}';
const begins = (expression: Condition, text: string): Condition =>
  sql`${expression} collate "C" >= lower(${text}) and ${expression} collate "C" < lower(${text}) || ${END}`;

const FIRST = sql`lower(recipient_first_name)`;
const LAST = sql`lower(recipient_last_name)`;
const PHONE = sql`recipient_phone`;

function fits(clue: SearchTerm): Condition {
  switch (clue.kind) {
    case 'id':
      return sql`id = ${clue.is}`;
    case 'event':
      return sql`event_id = ${clue.is}`;
    case 'reference':
      return sql`reference_id = ${clue.is}`;
    case 'phone':
      return begins(PHONE, clue.begins);
    case 'first_name':
      return begins(FIRST, clue.begins);
    case 'last_name':
      return begins(LAST, clue.begins);
    case 'names':
      return sql`${begins(LAST, clue.lastBegins)} and ${FIRST} collate "C" = lower(${clue.first})`;
    case 'turned_names':
      return sql`${begins(FIRST, clue.firstBegins)} and ${LAST} collate "C" = lower(${clue.last})`;
  }
}

/** Ids sort by creation, so a span of time is a span of ids. */
function span({ from, until, after }: IntroSearch): Condition[] {
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

const all = (parts: readonly Condition[]): Condition => sql.join(parts, sql` union all `);

/** The newest in the order of an index: for each status its own stretch of it, each read no further than is asked for. */
const byStatus = (tenant: Tenant, statuses: readonly IntroStatus[], conditions: readonly Condition[], limit: number) =>
  sql`select * from (${all(
    statuses.map(
      // With an order and an end of its own, or all of them would be read and sorted.
      (status) => sql`(select ${COLUMNS} from intros
        where ${ofTenant(tenant)} and status = ${status} and ${allOf(conditions)}
        order by id desc limit ${sql.lit(limit)})`,
    ),
  )}) as each_status order by id desc limit ${sql.lit(limit)}`;

const inOrder = (tenant: Tenant, conditions: readonly Condition[], limit: number) =>
  sql`select ${COLUMNS} from intros where ${ofTenant(tenant)} and ${allOf(conditions)}
    order by id desc limit ${sql.lit(limit)}`;

/** What an index gives in order, and what is left to be looked at row by row. */
function plan(tenant: Tenant, search: IntroSearch): { newest(count: number): Condition; rest: Condition[] } {
  const { statuses, memberId, touchpoint, clues } = search;
  const range = span(search);
  const clue = clues.length === 0 ? [] : [sql`(${sql.join(clues.map(fits), sql` or `)})`];
  if (memberId !== undefined) {
    const conditions = [...isMember(memberId), ...range];
    const wanted = statuses.length === 0 ? ALL_STATUSES : statuses;
    return {
      newest: (count) => byStatus(tenant, wanted, conditions, count),
      rest: [...isTouchpoint(touchpoint), ...clue],
    };
  }
  if (touchpoint !== undefined) {
    const conditions = [...isTouchpoint(touchpoint), ...range];
    return { newest: (count) => inOrder(tenant, conditions, count), rest: [...isStatus(statuses), ...clue] };
  }
  if (statuses.length > 0) return { newest: (count) => byStatus(tenant, statuses, range, count), rest: clue };
  return { newest: (count) => inOrder(tenant, range, count), rest: clue };
}

/** All that fit a clue, when those are few: an index finds them, though not in order. */
async function lookUp(db: Queryable<Tables>, tenant: Tenant, search: IntroSearch): Promise<ScannedPage | null> {
  const { clues, statuses, memberId, touchpoint, limit } = search;
  const branches = clues.map(
    (clue, n) => sql`(select ${sql.lit(n)} as branch, ${COLUMNS} from intros
      where ${ofTenant(tenant)} and ${fits(clue)} limit ${sql.lit(MANY + 1)})`,
  );
  const conditions = [...isStatus(statuses), ...isMember(memberId), ...isTouchpoint(touchpoint), ...span(search)];
  const { rows } = await sql<{ ids: string[] | null; most: number | null }>`
    with found as materialized (${all(branches)})
    select (select max(n)::int from (select count(*) as n from found group by branch) b) as most,
      (select array_agg(id) from (
        select distinct id from found where ${allOf(conditions)} order by id desc limit ${sql.lit(limit + 1)}
      ) page) as ids`.execute(db);
  const [{ ids, most } = { ids: null, most: null }] = rows;
  if ((most ?? 0) > MANY) return null;
  const found = ids ?? [];
  return { ids: found.slice(0, limit), next: found.length > limit ? (found[limit - 1] ?? null) : null };
}

export async function searchIntros(db: Queryable<Tables>, tenant: Tenant, search: IntroSearch): Promise<ScannedPage> {
  const found = search.clues.length === 0 ? null : await lookUp(db, tenant, search);
  if (found !== null) return found;
  const { newest, rest } = plan(tenant, search);
  return scanPage(db, { newest, conditions: rest, limit: search.limit, maxRows: MAX_SCANNED });
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
  readonly responsibility: 'integration' | 'service';
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

/** Each by its key, in the order of the ids. */
export async function readListRows(
  db: Queryable<Tables>,
  { organizationId, environment }: Tenant,
  ids: readonly string[],
): Promise<IntroListRow[]> {
  if (ids.length === 0) return [];
  const { rows } = await sql<IntroListRow>`
    select i.*, t.name as touchpoint_name, m.first_name as member_first_name, m.last_name as member_last_name
    from unnest(${[...ids]}::text[]) with ordinality as asked(id, n)
    cross join lateral (
      select id, status, touchpoint_slug, member_id, recipient_first_name, recipient_last_name, recipient_phone,
        reference_id, responsibility, delivery_error_code, delivery_error_message, created_at, expires_at, recorded_at,
        sent_at, opened_at, watched_percent, cancelled_at
      from intros where organization_id = ${organizationId} and environment = ${environment} and id = asked.id offset 0
    ) i
    cross join lateral (
      select first_name, last_name from members where organization_id = ${organizationId} and id = i.member_id offset 0
    ) m
    left join lateral (
      select name from touchpoints
      where slug = i.touchpoint_slug and organization_id = ${organizationId} and environment = ${environment} offset 0
    ) t on true
    order by asked.n`.execute(db);
  return rows;
}

/** How many there are of each status, up to a number beyond which nobody counts. */
export async function countByStatus(
  db: Queryable<Tables>,
  tenant: Tenant,
  options: { memberId: string | undefined; atMost: number },
): Promise<Record<IntroStatus, number>> {
  const limit = sql.lit(options.atMost + 1);
  const { rows } = await sql<{ status: IntroStatus; n: number }>`
    select s.status, (
      select count(*)::int from (
        select from intros where ${ofTenant(tenant)} and status = s.status and ${allOf(isMember(options.memberId))} limit ${limit}
      ) counted
    ) as n
    from unnest(${[...ALL_STATUSES]}::text[]) as s(status)`.execute(db);
  const counts: Record<IntroStatus, number> = { requested: 0, ready: 0, sent: 0, cancelled: 0, expired: 0 };
  for (const { status, n } of rows) counts[status] = n;
  return counts;
}
