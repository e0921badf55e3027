import type { IntroStatus } from '@foreword/contract';
import { sql } from 'kysely';
import { hiddenLimit } from '../../db/lists.ts';
import { acrossTenants, type Db, forTenant, type Tenant } from '../../db/tenancy.ts';
import type { IntroFields, IntroRow } from '../fields.ts';
import { MOVES } from '../rules.ts';
import { NEWEST_FIRST, readFields } from '../store.ts';
import { type IntroListRow, ROW_FIELDS } from './search.ts';

const TASK_FIELDS = [
  ...(['id', 'link_generation', 'recipient_first_name', 'recipient_last_name', 'context', 'expires_at'] as const),
  ...(['touchpoint_name', 'take_status', 'take_progress', 'take_refusal'] as const),
];

export type ToRecordRow = Pick<IntroFields, (typeof TASK_FIELDS)[number]>;

/** The newest intros of a member. Reads each status separately, because the index sorts within a status. */
export async function listNewestByMember(
  db: Db,
  tenant: Tenant,
  memberId: string,
  page: {
    readonly statuses: readonly IntroStatus[];
    readonly limit: number;
    readonly startingAfter?: string | undefined;
  },
): Promise<IntroListRow[]> {
  const owned = forTenant(db, tenant).owns();
  const before = page.startingAfter === undefined ? sql`` : sql`and id < ${page.startingAfter}`;
  const order = sql`order by id desc limit ${sql.lit(page.limit)}`;
  const each = page.statuses.map(
    (status) => sql`(
  select * from intros where ${owned} and member_id = ${memberId} and status = ${sql.lit(status)} ${before} ${order}
)`,
  );
  const newest = sql`${sql.join(each, sql` union all `)} ${order}`;
  return readFields(db, ROW_FIELDS, newest, NEWEST_FIRST);
}

/** The intros this member has to record, ordered by deadline, without those they declined. */
export async function listToRecord(db: Db, tenant: Tenant, memberId: string, limit: number): Promise<ToRecordRow[]> {
  const next = sql`select * from intros
    where ${forTenant(db, tenant).owns()} and member_id = ${memberId}
      and status = 'requested' and declined_generation is distinct from link_generation
    order by expires_at, id ${hiddenLimit(limit)}`;
  return readFields(db, TASK_FIELDS, next, sql`i.expires_at, i.id`);
}

/** Undefined if the intro belongs to another member. */
export const findMemberIntro = (db: Db, tenant: Tenant, memberId: string, id: string) =>
  forTenant(db, tenant)
    .selectFrom('intros')
    .select(['id', 'link_generation'])
    .where('id', '=', id)
    .where('member_id', '=', memberId)
    .executeTakeFirst();

const OPEN: readonly IntroStatus[] = MOVES.cancel.from;

/** Intros to record, and recorded ones that are not sent. The next to expire come first. */
export async function listOpenByMember(
  db: Db,
  tenant: Tenant,
  memberId: string,
  limit: number,
): Promise<IntroListRow[]> {
  const open = sql`select * from intros
    where ${forTenant(db, tenant).owns()} and member_id = ${memberId} and status in (${sql.join(OPEN)})
    order by expires_at, id limit ${sql.lit(limit)}`;
  return readFields(db, ROW_FIELDS, open, sql`i.expires_at, i.id`);
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

/** Locks intros of a member who withdrew consent: those that are open, and those whose page would still show the member. */
export const lockShowing = (
  db: Db,
  tenant: Tenant,
  memberId: string,
  limit: number,
): Promise<Pick<IntroRow, 'id' | 'status'>[]> =>
  forTenant(db, tenant)
    .selectFrom('intros')
    .select(['id', 'status'])
    .where('member_id', '=', memberId)
    .where((where) =>
      where.or([
        where('status', 'in', MOVES.cancel.from),
        where.and([where('status', '=', MOVES.send.to), where('likeness_withdrawn_at', 'is', null)]),
      ]),
    )
    .orderBy('id')
    .limit(limit)
    .forUpdate()
    .execute();

/** Cancels locked open intros, because their member withdrew consent. */
export async function closeOpenOf(
  db: Db,
  tenant: Tenant,
  ids: readonly string[],
  by: string | null,
  now: Date,
): Promise<void> {
  if (ids.length === 0) return;
  await forTenant(db, tenant)
    .updateTable('intros')
    .set({
      ...{ status: MOVES.cancel.to, cancelled_at: now, cancelled_by: by, expires_at: null },
      likeness_withdrawn_at: now,
      version: sql`version + 1`,
    })
    .where('id', 'in', ids)
    .where('status', 'in', MOVES.cancel.from)
    .execute();
}

/** Takes the pages of locked sent intros down. Returns those whose page was still up. */
export async function takeDownSent(
  db: Db,
  tenant: Tenant,
  ids: readonly string[],
  by: string | null,
  now: Date,
): Promise<readonly string[]> {
  if (ids.length === 0) return [];
  const update = () =>
    forTenant(db, tenant)
      .updateTable('intros')
      .set({ likeness_withdrawn_at: now, version: sql`version + 1` })
      .where('id', 'in', ids)
      .where('status', '=', MOVES.send.to)
      .where('likeness_withdrawn_at', 'is', null);
  const rows = await update()
    .set({ taken_down_at: now, taken_down_by: by })
    .where('taken_down_at', 'is', null)
    .returning('id')
    .execute();
  await update().execute();
  return rows.map(({ id }) => id);
}
