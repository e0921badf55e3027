import type { IntroStatus } from '@foreword/contract';
import { type DeclineReason, INTRO_STATUSES, type Responsibility } from '@foreword/contract';
import { sql } from 'kysely';
import { type Db, forTenant, type Tenant } from '../../db/tenancy.ts';
import { allOf, type Condition, type ScannedPage, scanPage } from '../../platform/scan.ts';
import type { SearchTerm } from '../search-terms.ts';
import { conditionsOf, findByIndex, type IndexedFilter, isMember, planScan } from './newest.ts';

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
  readonly recording_id: string | null;
  /** The organization does not keep the video this long. */
  readonly is_video_removed: boolean;
  /** Null unless the intro is declined and waits for someone else. */
  readonly decline_reason: DeclineReason | null;
  readonly decline_message: string | null;
  readonly declined_at: Date | null;
}

/** The rows with these ids, in the same order. */
export async function readListRows(
  db: Db,
  { organizationId, environment }: Tenant,
  ids: readonly string[],
): Promise<IntroListRow[]> {
  if (ids.length === 0) return [];
  const { rows } = await sql<IntroListRow>`
    select i.*, t.name as touchpoint_name, m.first_name as member_first_name, m.last_name as member_last_name,
      d.reason as decline_reason, d.message as decline_message, d.created_at as declined_at,
      coalesce(r.is_removed, false) as is_video_removed
    from unnest(${[...ids]}::text[]) with ordinality as given(id, n)
    cross join lateral (
      select id, status, touchpoint_slug, member_id, recipient_first_name, recipient_last_name, recipient_phone,
        reference_id, responsibility, delivery_error_code, delivery_error_message, created_at, expires_at, recorded_at,
        sent_at, opened_at, watched_percent, cancelled_at, recording_id,
        case when status = 'requested' and declined_generation = link_generation then link_generation end as declined_generation
      from intros where organization_id = ${organizationId} and environment = ${environment} and id = given.id offset 0
    ) i
    cross join lateral (
      select first_name, last_name from members where organization_id = ${organizationId} and id = i.member_id offset 0
    ) m
    left join lateral (
      select name from touchpoints
      where slug = i.touchpoint_slug and organization_id = ${organizationId} and environment = ${environment} offset 0
    ) t on true
    left join lateral (
      select reason, message, created_at from intro_declines
      where organization_id = ${organizationId} and intro_id = i.id and generation = i.declined_generation offset 0
    ) d on true
    left join lateral (
      select deleted_at is not null as is_removed from recordings
      where organization_id = ${organizationId} and id = i.recording_id offset 0
    ) r on true
    order by given.n`.execute(db);
  return rows;
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
