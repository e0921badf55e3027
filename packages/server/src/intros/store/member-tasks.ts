import { sql } from 'kysely';
import { type Db, forTenant, type Row, type Tenant } from '../../db/tenancy.ts';
import type { IntroRow } from '../store.ts';

interface TouchpointName {
  readonly touchpoint_name: string | null;
}

export type ToRecordRow = TouchpointName &
  Pick<
    IntroRow,
    'id' | 'link_generation' | 'recipient_first_name' | 'recipient_last_name' | 'context' | 'expires_at'
  > & {
    /** Null if there is no take yet; otherwise this and the next two describe the newest one. */
    readonly take_status: Row<'recordings'>['status'] | null;
    readonly take_progress: number | null;
    readonly take_refusal: string | null;
  };

export type RecordedRow = TouchpointName &
  Pick<
    IntroRow,
    | 'id'
    | 'link_generation'
    | 'recipient_first_name'
    | 'recipient_last_name'
    | 'responsibility'
    | 'recorded_at'
    | 'sent_at'
    | 'opened_at'
    | 'watched_percent'
    | 'delivery_error_message'
  > & { readonly status: 'ready' | 'sent' };

/** `offset 0` forces one lookup by key per row (see events/store/acceptance.ts). */
const JOIN_TOUCHPOINT = sql`
left join lateral (
  select name from touchpoints
  where slug = i.touchpoint_slug and organization_id = i.organization_id and environment = i.environment offset 0
) t on true`;

/** The intros this member has to record, ordered by deadline, without those they declined. */
export async function listToRecord(db: Db, tenant: Tenant, memberId: string, limit: number): Promise<ToRecordRow[]> {
  const { rows } = await sql<ToRecordRow>`
select i.id, i.link_generation, i.recipient_first_name, i.recipient_last_name, i.context, i.expires_at,
  t.name as touchpoint_name, r.status as take_status, r.progress as take_progress, r.refusal_message as take_refusal
from (
  select * from intros
  where ${forTenant(db, tenant).owns()} and member_id = ${memberId}
    and status = 'requested' and declined_generation is distinct from link_generation
  order by expires_at, id limit ${sql.lit(limit)}
) i
${JOIN_TOUCHPOINT}
left join lateral (
  select status, progress, refusal_message from recordings
  where organization_id = i.organization_id and intro_id = i.id and status <> 'discarded'
  order by coalesce(received_at, created_at) desc, id desc limit 1
) r on true
order by i.expires_at, i.id`.execute(db);
  return rows;
}

/** The recorded intros of this member, newest first. Reads each status separately, because the index sorts within a status. */
export async function listRecorded(
  db: Db,
  tenant: Tenant,
  memberId: string,
  page: { limit: number; startingAfter: string | undefined },
): Promise<RecordedRow[]> {
  const before = page.startingAfter === undefined ? sql`` : sql`and id < ${page.startingAfter}`;
  const limit = sql.lit(page.limit);
  const newest = (status: 'ready' | 'sent') => sql`(
  select * from intros
  where ${forTenant(db, tenant).owns()} and member_id = ${memberId}
    and status = ${sql.lit(status)} ${before}
  order by id desc limit ${limit}
)`;
  const { rows } = await sql<RecordedRow>`
select i.id, i.link_generation, i.status, i.recipient_first_name, i.recipient_last_name, i.responsibility, i.recorded_at,
  i.sent_at, i.opened_at, i.watched_percent, i.delivery_error_message, t.name as touchpoint_name
from (${newest('ready')} union all ${newest('sent')} order by id desc limit ${limit}) i
${JOIN_TOUCHPOINT}
order by i.id desc`.execute(db);
  return rows;
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
