import { sql } from 'kysely';
import { hiddenLimit, scanPage } from '../../db/lists.ts';
import {
  type Database,
  type Db,
  forTenant,
  queryForTenant,
  type Row,
  type Tenant,
  tenantOf,
} from '../../db/tenancy.ts';
import type { MessageRow } from './queue.ts';

/** Carrier ids of the intro's other messages. Some have the same text and the same link as `row`. */
export async function listOtherCarrierIds(db: Db, row: MessageRow): Promise<ReadonlySet<string>> {
  const others = await forTenant(db, tenantOf(row))
    .selectFrom('messages')
    .select('carrier_id')
    .where('intro_id', '=', row.intro_id)
    .where('id', '<>', row.id)
    .where('carrier_id', 'is not', null)
    .$narrowType<{ carrier_id: string }>()
    .execute();
  return new Set(others.map(({ carrier_id }) => carrier_id));
}

/** One or two screens of a list. */
const MAX_LISTED = 100;

export function listMessages(db: Db, tenant: Tenant, introId?: string): Promise<MessageRow[]> {
  const query = forTenant(db, tenant).selectFrom('all_messages').selectAll().orderBy('id', 'desc').limit(MAX_LISTED);
  return (introId === undefined ? query : query.where('intro_id', '=', introId)).execute();
}

export const listIntroMessages = (db: Db, tenant: Tenant, introId: string): Promise<MessageRow[]> =>
  forTenant(db, tenant).selectFrom('all_messages').selectAll().where('intro_id', '=', introId).orderBy('id').execute();

/** Null if the tenant has no such intro. */
export async function readTimelineRows({ kysely }: Database, tenant: Tenant, introId: string) {
  const own = forTenant(kysely, tenant);
  const intro = await own.selectFrom('intros').selectAll().where('id', '=', introId).executeTakeFirst();
  if (intro === undefined) return null;
  const [reassignments, replies, declines, answers, recordings, consents, messages] = await Promise.all([
    own.selectFrom('intro_reassignments').selectAll().where('intro_id', '=', introId).orderBy('generation').execute(),
    own.selectFrom('intro_replies').selectAll().where('intro_id', '=', introId).orderBy('number').execute(),
    own.selectFrom('intro_declines').selectAll().where('intro_id', '=', introId).orderBy('generation').execute(),
    own.selectFrom('intro_answers').selectAll().where('intro_id', '=', introId).orderBy('number').execute(),
    own.selectFrom('recordings').selectAll().where('intro_id', '=', introId).orderBy('id').execute(),
    own
      .selectFrom('consents')
      .selectAll()
      .where('phone', '=', intro.recipient_phone)
      .where('created_at', '>=', intro.created_at)
      .where('kind', 'in', ['opt_out', 'opt_in'])
      .orderBy('id')
      .execute(),
    listIntroMessages(kysely, tenant, introId),
  ]);
  return { intro, reassignments, replies, declines, answers, recordings, consents, messages };
}

export type TimelineRows = NonNullable<Awaited<ReturnType<typeof readTimelineRows>>>;

export interface OutboxSearch {
  /** Empty: any. The same for audiences. */
  readonly statuses: readonly Row<'all_messages'>['status'][];
  readonly audiences: readonly MessageRow['audience'][];
  readonly after: string | undefined;
  readonly limit: number;
}

export type OutboxRow = MessageRow & { readonly to_first_name: string; readonly to_last_name: string | null };

/** Rows read for one page. */
const MAX_SCANNED = 4_000;

/** Messages, newest first, with the name of the member or recipient. `next` is null on the last page. */
export async function listOutbox(
  db: Db,
  { organizationId, environment }: Tenant,
  search: OutboxSearch,
): Promise<{ rows: OutboxRow[]; next: string | null }> {
  const { statuses, audiences, after, limit } = search;
  const conditions = [
    ...(statuses.length === 0 ? [] : [sql`status in (${sql.join(statuses)})`]),
    ...(audiences.length === 0 ? [] : [sql`audience in (${sql.join(audiences)})`]),
  ];
  const before = after === undefined ? sql`` : sql`and id < ${after}`;
  const { ids, next } = await scanPage(db, {
    newest: (count) => sql`select id, status, audience from all_messages
      where organization_id = ${organizationId} and environment = ${environment} ${before}
      order by id desc ${hiddenLimit(count)}`,
    conditions,
    limit,
    maxRows: MAX_SCANNED,
  });
  return { rows: await readRows(db, { organizationId, environment }, ids), next };
}

/** The member is the one responsible when the message was created; the intro may be reassigned since. */
async function readRows(db: Db, { organizationId, environment }: Tenant, ids: readonly string[]): Promise<OutboxRow[]> {
  if (ids.length === 0) return [];
  const { rows } = await sql<OutboxRow>`
    select m.*, case m.audience when 'member' then who.first_name else i.recipient_first_name end as to_first_name,
      case m.audience when 'member' then who.last_name else i.recipient_last_name end as to_last_name
    from unnest(${[...ids]}::text[]) with ordinality as found(id, n)
    cross join lateral (
      select * from all_messages
      where organization_id = ${organizationId} and environment = ${environment} and id = found.id offset 0
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
    order by found.n`.execute(db);
  return rows;
}

/** Older texts matter no more: an organization that has sent this many knows its setup. */
const SCANNED = 1_000;

const DELIVERED = {
  name: 'has delivered texts',
  text: `
select 1 from (
  select channel, status, carrier from messages
  where organization_id = $1 and environment = $2 order by id desc limit $3
) newest
where channel = 'text' and status = 'delivered' and carrier not in ('log', 'simulated')
limit 1`,
};

/** Whether a real carrier has reported one of the newest texts as delivered. */
export async function hasDeliveredTexts({ pool }: Database, tenant: Tenant): Promise<boolean> {
  return (await queryForTenant(pool, tenant, DELIVERED, [SCANNED])).rows.length > 0;
}
