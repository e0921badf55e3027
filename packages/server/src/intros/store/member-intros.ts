import type { IntroStatus } from '@foreword/contract';
import { INTRO_STATUSES } from '@foreword/contract';
import { sql } from 'kysely';
import { acrossTenants, type Db, forTenant, type Tenant } from '../../db/tenancy.ts';
import { MOVES } from '../rules.ts';

const OPEN: readonly IntroStatus[] = MOVES.cancel.from;

function selectByMember(db: Db, tenant: Tenant, memberId: string) {
  return forTenant(db, tenant)
    .selectFrom('intros', 'i')
    .leftJoin('touchpoints as t', (on) =>
      on
        .onRef('t.slug', '=', 'i.touchpoint_slug')
        .onRef('t.organization_id', '=', 'i.organization_id')
        .onRef('t.environment', '=', 'i.environment'),
    )
    .select(['i.id', 'i.status', 'i.recipient_first_name', 'i.recipient_last_name', 't.name as touchpoint_name'])
    .select(['i.created_at', 'i.expires_at', 'i.sent_at', 'i.opened_at', 'i.watched_at'])
    .where('i.member_id', '=', memberId);
}

export type MemberIntroRow = Awaited<ReturnType<ReturnType<typeof selectByMember>['execute']>>[number];

/** Intros to record, and recorded ones that are not sent. The next to expire come first. */
export const listOpenByMember = (db: Db, tenant: Tenant, memberId: string, limit: number) =>
  selectByMember(db, tenant, memberId)
    .where('i.status', 'in', OPEN)
    .orderBy('i.expires_at')
    .orderBy('i.id')
    .limit(limit)
    .execute();

/** The newest intros of any status. Reads each status separately first, because the index sorts within a status. */
export async function listRecentByMember(
  db: Db,
  tenant: Tenant,
  memberId: string,
  limit: number,
): Promise<MemberIntroRow[]> {
  const newest = INTRO_STATUSES.map(
    (status) => sql`(
  select id from intros
  where ${forTenant(db, tenant).owns()} and member_id = ${memberId} and status = ${sql.lit(status)}
  order by id desc limit ${sql.lit(limit)}
)`,
  );
  const { rows } = await sql<{ id: string }>`
${sql.join(newest, sql` union all `)} order by id desc limit ${sql.lit(limit)}`.execute(db);
  if (rows.length === 0) return [];
  const ids = rows.map(({ id }) => id);
  return selectByMember(db, tenant, memberId).where('i.id', 'in', ids).orderBy('i.id', 'desc').execute();
}

/** Locks the open intros until the transaction ends, so that no concurrent request records or sends one. */
export function lockOpenByMember(
  db: Db,
  tenant: Tenant,
  memberId: string,
): Promise<{ id: string; status: IntroStatus }[]> {
  return forTenant(db, tenant)
    .selectFrom('intros')
    .select(['id', 'status'])
    .where('member_id', '=', memberId)
    .where('status', 'in', OPEN)
    .orderBy('id')
    .forUpdate()
    .execute();
}

const selectIds = (db: Db, tenant: Tenant, memberId: string, limit: number) =>
  forTenant(db, tenant).selectFrom('intros').select('id').where('member_id', '=', memberId).limit(limit);

async function countRows(db: Db, rows: ReturnType<typeof selectIds>): Promise<number> {
  const { n } = await acrossTenants(db)
    .selectFrom(rows.as('counted'))
    .select(sql<number>`count(*)::int`.as('n'))
    .executeTakeFirstOrThrow();
  return n;
}

/**
 * Counts the member's pages that recipients can open, up to a limit. Reads each status newest first: the index has that order
 * within a status, and pages that have closed are at its other end.
 */
export async function countPagesByMember(
  db: Db,
  tenant: Tenant,
  memberId: string,
  { sentAfter, limit }: { sentAfter: Date; limit: number },
): Promise<number> {
  const newest = (status: 'ready' | 'sent') =>
    selectIds(db, tenant, memberId, limit).where('status', '=', status).orderBy('id', 'desc');
  const [ready, sent] = await Promise.all([
    countRows(db, newest('ready')),
    countRows(db, newest('sent').where('sent_at', '>', sentAfter)),
  ]);
  return Math.min(limit, ready + sent);
}

export const countOpenByMember = (db: Db, tenant: Tenant, memberId: string, limit: number) =>
  countRows(db, selectIds(db, tenant, memberId, limit).where('status', 'in', OPEN));
