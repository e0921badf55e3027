import { INTRO_STATUSES } from '@foreword/contract';
import { sql } from 'kysely';
import type { Queryable } from '../platform/db.ts';
import type { IntroStatus, Tables, Tenant } from '../tables.ts';
import { MOVES } from './rules.ts';

const OPEN: readonly IntroStatus[] = MOVES.cancel.from;

/** What of an intro stands in a list of those of one member. */
function ofMember(db: Queryable<Tables>, tenant: Tenant, memberId: string) {
  return db
    .selectFrom('intros as i')
    .leftJoin('touchpoints as t', (on) =>
      on
        .onRef('t.slug', '=', 'i.touchpoint_slug')
        .onRef('t.organization_id', '=', 'i.organization_id')
        .onRef('t.environment', '=', 'i.environment'),
    )
    .select(['i.id', 'i.status', 'i.recipient_first_name', 'i.recipient_last_name', 't.name as touchpoint_name'])
    .select(['i.created_at', 'i.expires_at', 'i.sent_at', 'i.opened_at', 'i.watched_at'])
    .where('i.organization_id', '=', tenant.organizationId)
    .where('i.environment', '=', tenant.environment)
    .where('i.member_id', '=', memberId);
}

export type MemberIntroRow = Awaited<ReturnType<ReturnType<typeof ofMember>['execute']>>[number];

/** To record, or recorded and not sent; what ends first comes first. */
export const listOpenByMember = (db: Queryable<Tables>, tenant: Tenant, memberId: string, limit: number) =>
  ofMember(db, tenant, memberId)
    .where('i.status', 'in', OPEN)
    .orderBy('i.expires_at')
    .orderBy('i.id')
    .limit(limit)
    .execute();

/** The newest, whatever became of them. Each status by itself first: the index has their order within one. */
export async function listRecentByMember(
  db: Queryable<Tables>,
  tenant: Tenant,
  memberId: string,
  limit: number,
): Promise<MemberIntroRow[]> {
  const newest = INTRO_STATUSES.map(
    (status) => sql`(
  select id from intros
  where organization_id = ${tenant.organizationId} and environment = ${tenant.environment} and member_id = ${memberId}
    and status = ${sql.lit(status)}
  order by id desc limit ${sql.lit(limit)}
)`,
  );
  const { rows } = await sql<{ id: string }>`
${sql.join(newest, sql` union all `)} order by id desc limit ${sql.lit(limit)}`.execute(db);
  if (rows.length === 0) return [];
  const ids = rows.map(({ id }) => id);
  return ofMember(db, tenant, memberId).where('i.id', 'in', ids).orderBy('i.id', 'desc').execute();
}

/** The open ones, held until the transaction ends: nobody records or sends one meanwhile. */
export function lockOpenByMember(
  db: Queryable<Tables>,
  tenant: Tenant,
  memberId: string,
): Promise<{ id: string; status: IntroStatus }[]> {
  return db
    .selectFrom('intros')
    .select(['id', 'status'])
    .where('organization_id', '=', tenant.organizationId)
    .where('environment', '=', tenant.environment)
    .where('member_id', '=', memberId)
    .where('status', 'in', OPEN)
    .orderBy('id')
    .forUpdate()
    .execute();
}

/**
 * How many pages of this member recipients can open, counted up to a limit. Each status by itself, the newest first: an index has
 * that order within one, and what has closed lies at its other end.
 */
export async function countPagesByMember(
  db: Queryable<Tables>,
  tenant: Tenant,
  memberId: string,
  bounds: { sentAfter: Date; limit: number },
): Promise<number> {
  const pages = (status: 'ready' | 'sent') => {
    const own = db
      .selectFrom('intros')
      .select('id')
      .where('organization_id', '=', tenant.organizationId)
      .where('environment', '=', tenant.environment)
      .where('member_id', '=', memberId)
      .where('status', '=', status)
      .orderBy('id', 'desc')
      .limit(bounds.limit);
    return status === 'sent' ? own.where('sent_at', '>', bounds.sentAfter) : own;
  };
  const counts = await Promise.all(
    [pages('ready'), pages('sent')].map((some) =>
      db.selectFrom(some.as('some')).select(sql<number>`count(*)::int`.as('n')).executeTakeFirstOrThrow(),
    ),
  );
  return Math.min(
    bounds.limit,
    counts.reduce((sum, { n }) => sum + n, 0),
  );
}

export async function countOpenByMember(
  db: Queryable<Tables>,
  tenant: Tenant,
  memberId: string,
  limit: number,
): Promise<number> {
  const some = db
    .selectFrom('intros')
    .select('id')
    .where('organization_id', '=', tenant.organizationId)
    .where('environment', '=', tenant.environment)
    .where('member_id', '=', memberId)
    .where('status', 'in', OPEN)
    .limit(limit);
  const { n } = await db
    .selectFrom(some.as('some'))
    .select(sql<number>`count(*)::int`.as('n'))
    .executeTakeFirstOrThrow();
  return n;
}
