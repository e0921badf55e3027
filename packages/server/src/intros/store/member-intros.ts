import { INTRO_STATUSES, type IntroStatus } from '@foreword/contract';
import { sql } from 'kysely';
import { acrossTenants, type Db, forTenant, type Tenant } from '../../db/tenancy.ts';
import type { IntroFields } from '../fields.ts';
import { MOVES } from '../rules.ts';
import { newestOfMember } from './member-tasks.ts';
import { NEWEST_FIRST, selectIntros } from './select.ts';

const OPEN: readonly IntroStatus[] = MOVES.cancel.from;

const MEMBER_FIELDS = [
  ...(['id', 'status', 'recipient_first_name', 'recipient_last_name', 'touchpoint_name'] as const),
  ...(['created_at', 'expires_at', 'sent_at', 'opened_at', 'watched_at'] as const),
];

export type MemberIntroRow = Pick<IntroFields, (typeof MEMBER_FIELDS)[number]>;

/** Intros to record, and recorded ones that are not sent. The next to expire come first. */
export async function listOpenByMember(
  db: Db,
  tenant: Tenant,
  memberId: string,
  limit: number,
): Promise<MemberIntroRow[]> {
  const open = sql`select * from intros
    where ${forTenant(db, tenant).owns()} and member_id = ${memberId} and status in (${sql.join(OPEN)})
    order by expires_at, id limit ${sql.lit(limit)}`;
  return (await selectIntros(MEMBER_FIELDS, open, sql`i.expires_at, i.id`).execute(db)).rows;
}

/** The newest intros of any status. */
export async function listRecentByMember(
  db: Db,
  tenant: Tenant,
  memberId: string,
  limit: number,
): Promise<MemberIntroRow[]> {
  const newest = newestOfMember(forTenant(db, tenant).owns(), memberId, { statuses: INTRO_STATUSES, limit });
  return (await selectIntros(MEMBER_FIELDS, newest, NEWEST_FIRST).execute(db)).rows;
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
