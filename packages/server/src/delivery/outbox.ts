import { sql } from 'kysely';
import type { Queryable } from '../platform/db.ts';
import type { MessageStatus, Tables, Tenant } from '../tables.ts';
import type { MessageRow } from './store.ts';

export interface OutboxSearch {
  /** None: any; so with the audiences. */
  readonly statuses: readonly MessageStatus[];
  readonly audiences: readonly MessageRow['audience'][];
  readonly after: string | undefined;
  readonly limit: number;
}

export type OutboxRow = MessageRow & { readonly to_first_name: string; readonly to_last_name: string | null };

/** One page looks through so many: what is rare among them takes several pages, each of them quick. */
const LOOKED_THROUGH = 4_000;

/** Messages to people, the newest first, with the name of whoever they are for. `next` is null at the end. */
export async function listOutbox(
  db: Queryable<Tables>,
  { organizationId, environment }: Tenant,
  search: OutboxSearch,
): Promise<{ rows: OutboxRow[]; next: string | null }> {
  const { statuses, audiences, after, limit } = search;
  const conditions = [
    ...(statuses.length === 0 ? [] : [sql`status in (${sql.join(statuses)})`]),
    ...(audiences.length === 0 ? [] : [sql`audience in (${sql.join(audiences)})`]),
  ];
  const wanted = conditions.length === 0 ? sql`true` : sql.join(conditions, sql` and `);
  const before = after === undefined ? sql`` : sql`and id < ${after}`;
  const scanned = sql`select id, status, audience from messages
    where organization_id = ${organizationId} and environment = ${environment} ${before}
    order by id desc limit ${sql.lit(conditions.length === 0 ? limit + 1 : LOOKED_THROUGH)}`;
  // Stops as soon as the page is full: of what is common, a few rows are read.
  const found = await sql<{ ids: string[] | null; end: string | null }>`
    with page as materialized (
      select id from (${scanned}) scanned where ${wanted} order by id desc limit ${sql.lit(limit + 1)}
    )
    select (select array_agg(id order by id desc) from page) as ids, case
      when (select count(*) from page) <= ${sql.lit(limit)}
      then (select id from (${scanned}) scanned order by id desc offset ${sql.lit(LOOKED_THROUGH - 1)} limit 1)
    end as end`.execute(db);
  const { ids: all, end } = found.rows[0] ?? { ids: null, end: null };
  const ids = all ?? [];
  return {
    rows: await read(db, { organizationId, environment }, ids.slice(0, limit)),
    next: ids.length > limit ? (ids[limit - 1] ?? null) : end,
  };
}

/** Whoever was to record when it was written: the intro may be another member's by now. */
async function read(
  db: Queryable<Tables>,
  { organizationId, environment }: Tenant,
  ids: readonly string[],
): Promise<OutboxRow[]> {
  if (ids.length === 0) return [];
  const { rows } = await sql<OutboxRow>`
    select m.*, case m.audience when 'member' then who.first_name else i.recipient_first_name end as to_first_name,
      case m.audience when 'member' then who.last_name else i.recipient_last_name end as to_last_name
    from unnest(${[...ids]}::text[]) with ordinality as asked(id, n)
    cross join lateral (
      select * from messages
      where organization_id = ${organizationId} and environment = ${environment} and id = asked.id offset 0
    ) m
    cross join lateral (
      select member_id, recipient_first_name, recipient_last_name from intros
      where organization_id = ${organizationId} and id = m.intro_id offset 0
    ) i
    left join lateral (
      select from_member_id from intro_reassignments
      where organization_id = ${organizationId} and intro_id = m.intro_id and created_at > m.created_at
      order by generation limit 1
    ) moved on true
    cross join lateral (
      select first_name, last_name from members
      where organization_id = ${organizationId} and id = coalesce(moved.from_member_id, i.member_id) offset 0
    ) who
    order by asked.n`.execute(db);
  return rows;
}
