import { INTRO_STATUSES, type IntroStatus } from '@foreword/contract';
import { sql } from 'kysely';
import { allOf, type Condition, type ScannedPage, scanPage } from '../../db/scan.ts';
import { type Db, forTenant, type Tenant } from '../../db/tenancy.ts';
import { type IntroFields, LISTED_FIELDS } from '../fields.ts';
import type { SearchTerm } from '../search-terms.ts';
import { conditionsOf, findByIndex, type IndexedFilter, isMember, planScan } from './newest.ts';
import { rowsOf, selectIntros } from './select.ts';

export interface IntroSearch extends IndexedFilter {
  /** At least one must match, unless there are none. */
  readonly terms: readonly SearchTerm[];
  readonly limit: number;
}

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

export const matchesAny = (terms: readonly SearchTerm[]): Condition[] =>
  terms.length === 0 ? [] : [sql`(${sql.join(terms.map(matches), sql` or `)})`];

export async function searchIntros(db: Db, tenant: Tenant, search: IntroSearch): Promise<ScannedPage> {
  const owned = forTenant(db, tenant).owns();
  const { limit } = search;
  const branches = search.terms.map(matches);
  if (branches.length > 0) {
    const found = await findByIndex(db, owned, { branches, conditions: conditionsOf(search), limit });
    if (found !== null) return found;
  }
  const { select, filters } = planScan(owned, search);
  const conditions = [...filters, ...matchesAny(search.terms)];
  return scanPage(db, { newest: select, conditions, limit, maxRows: MAX_ROWS });
}

/** The columns behind a row of the console's list. */
const ROW_FIELDS = [
  ...LISTED_FIELDS,
  ...(['touchpoint_slug', 'touchpoint_name', 'member_id', 'member_first_name', 'member_last_name'] as const),
  ...(['recipient_first_name', 'recipient_last_name', 'recipient_phone'] as const),
  ...(['delivery_error_code', 'delivery_error_message', 'decline_reason', 'decline_message', 'declined_at'] as const),
  ...(['recording_id', 'video_deleted_at'] as const),
];

export type IntroListRow = Pick<IntroFields, (typeof ROW_FIELDS)[number]>;

/** The rows with these ids, in the same order. */
export async function readListRows(db: Db, tenant: Tenant, ids: readonly string[]): Promise<IntroListRow[]> {
  if (ids.length === 0) return [];
  const given = sql`${[...ids]}::text[]`;
  const page = rowsOf(sql`select unnest(${given}) as id`, forTenant(db, tenant).owns());
  return (await selectIntros(ROW_FIELDS, page, sql`array_position(${given}, i.id)`).execute(db)).rows;
}

/** Counts intros by status. Counting stops at `atMost + 1`, so that it stays fast. */
export async function countByStatus(
  db: Db,
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
    from unnest(${[...INTRO_STATUSES]}::text[]) as s(status)`.execute(db);
  const counts: Record<IntroStatus, number> = { requested: 0, ready: 0, sent: 0, cancelled: 0, expired: 0 };
  for (const { status, n } of rows) counts[status] = n;
  return counts;
}
