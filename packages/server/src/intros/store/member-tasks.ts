import type { IntroStatus } from '@foreword/contract';
import { sql } from 'kysely';
import type { Condition } from '../../db/scan.ts';
import { type Db, forTenant, type Tenant } from '../../db/tenancy.ts';
import type { IntroFields, IntroRow } from '../fields.ts';
import { NEWEST_FIRST, selectIntros } from './select.ts';

const TASK_FIELDS = [
  ...(['id', 'link_generation', 'recipient_first_name', 'recipient_last_name', 'context', 'expires_at'] as const),
  ...(['touchpoint_name', 'take_status', 'take_progress', 'take_refusal'] as const),
];

export type ToRecordRow = Pick<IntroFields, (typeof TASK_FIELDS)[number]>;

const RECORDED_FIELDS = [
  ...(['id', 'link_generation', 'status', 'recipient_first_name', 'recipient_last_name', 'responsibility'] as const),
  ...(['recorded_at', 'sent_at', 'opened_at', 'watched_percent', 'delivery_error_message', 'touchpoint_name'] as const),
];

type Recorded = 'ready' | 'sent';
export type RecordedRow = Pick<IntroFields, (typeof RECORDED_FIELDS)[number]> & { readonly status: Recorded };

/** The newest intros of a member. Reads each status separately, because the index sorts within a status. */
export function newestOfMember(
  owned: Condition,
  memberId: string,
  page: {
    readonly statuses: readonly IntroStatus[];
    readonly limit: number;
    readonly startingAfter?: string | undefined;
  },
): Condition {
  const before = page.startingAfter === undefined ? sql`` : sql`and id < ${page.startingAfter}`;
  const order = sql`order by id desc limit ${sql.lit(page.limit)}`;
  const each = page.statuses.map(
    (status) => sql`(
  select * from intros where ${owned} and member_id = ${memberId} and status = ${sql.lit(status)} ${before} ${order}
)`,
  );
  return sql`${sql.join(each, sql` union all `)} ${order}`;
}

/** The intros this member has to record, ordered by deadline, without those they declined. */
export async function listToRecord(db: Db, tenant: Tenant, memberId: string, limit: number): Promise<ToRecordRow[]> {
  const next = sql`select * from intros
    where ${forTenant(db, tenant).owns()} and member_id = ${memberId}
      and status = 'requested' and declined_generation is distinct from link_generation
    order by expires_at, id limit ${sql.lit(limit)}`;
  return (await selectIntros(TASK_FIELDS, next, sql`i.expires_at, i.id`).execute(db)).rows;
}

/** The recorded intros of this member, newest first. */
export async function listRecorded(
  db: Db,
  tenant: Tenant,
  memberId: string,
  page: { limit: number; startingAfter: string | undefined },
): Promise<RecordedRow[]> {
  const statuses: readonly Recorded[] = ['ready', 'sent'];
  const newest = newestOfMember(forTenant(db, tenant).owns(), memberId, { ...page, statuses });
  return (await selectIntros(RECORDED_FIELDS, newest, NEWEST_FIRST).execute(db)).rows as RecordedRow[];
}

/** Returns null if the intro belongs to another member. */
export async function findMemberIntro(
  db: Db,
  tenant: Tenant,
  memberId: string,
  id: string,
): Promise<Pick<IntroRow, 'id' | 'link_generation'> | null> {
  const row = await forTenant(db, tenant)
    .selectFrom('intros')
    .select(['id', 'link_generation'])
    .where('id', '=', id)
    .where('member_id', '=', memberId)
    .executeTakeFirst();
  return row ?? null;
}
