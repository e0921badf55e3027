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
  const atOnce = conditions.length === 0 ? limit + 1 : LOOKED_THROUGH;
  const before = after === undefined ? sql`` : sql`and id < ${after}`;
  const { rows: found } = await sql<{ id: string | null; scanned: number; last: string | null }>`
    with scanned as materialized (
      select id, status, audience from messages
      where organization_id = ${organizationId} and environment = ${environment} ${before}
      order by id desc limit ${sql.lit(atOnce)}
    )
    select f.id, s.scanned, s.last from (select count(*)::int as scanned, min(id) as last from scanned) s
    left join lateral (
      select id from scanned where ${wanted} order by id desc limit ${sql.lit(limit + 1)}
    ) f on true order by f.id desc`.execute(db);
  const ids = found.flatMap(({ id }) => (id === null ? [] : [id]));
  const { rows } = await sql<OutboxRow>`
    select m.*, case m.audience when 'member' then who.first_name else i.recipient_first_name end as to_first_name,
      case m.audience when 'member' then who.last_name else i.recipient_last_name end as to_last_name
    from unnest(${ids.slice(0, limit)}::text[]) with ordinality as asked(id, n)
    cross join lateral (
      select * from messages
      where organization_id = ${organizationId} and environment = ${environment} and id = asked.id offset 0
    ) m
    cross join lateral (
      select member_id, recipient_first_name, recipient_last_name from intros
      where organization_id = ${organizationId} and id = m.intro_id offset 0
    ) i
    cross join lateral (
      select first_name, last_name from members where organization_id = ${organizationId} and id = i.member_id offset 0
    ) who
    order by asked.n`.execute(db);
  if (ids.length > limit) return { rows, next: ids[limit - 1] ?? null };
  const [first] = found;
  const isCutShort = conditions.length > 0 && first !== undefined && first.scanned === LOOKED_THROUGH;
  return { rows, next: isCutShort ? first.last : null };
}
