import { type Language, ROLES, type Role } from '@foreword/contract';
import { sql } from 'kysely';
import { hiddenLimit, scanPage } from '../../db/lists.ts';
import { planned } from '../../db/statements.ts';
import {
  acrossTenants,
  columnsOf,
  type Database,
  type Db,
  forTenant,
  queryForTenant,
  type Row,
  type Tenant,
  type Tx,
  tenantOf,
} from '../../db/tenancy.ts';
import type { SummaryFigures } from '../wording/email.ts';
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

interface OutboxSearch {
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

const DELIVERED = planned(`
select 1 from (
  select channel, status, carrier from messages
  where organization_id = $1 and environment = $2 order by id desc limit $3
) newest
where channel = 'text' and status = 'delivered' and carrier not in ('log', 'simulated')
limit 1`);

/** Whether a real carrier has reported one of the newest texts as delivered. */
export async function hasDeliveredTexts({ pool }: Database, tenant: Tenant): Promise<boolean> {
  return (await queryForTenant(pool, tenant, DELIVERED, [SCANNED])).rows.length > 0;
}

export type OwnerEmailRow = Row<'owner_emails'>;

export interface Recipient extends Pick<Row<'members'>, 'id' | 'first_name' | 'email'> {
  /** Their own, or the organization's. */
  readonly language: Language;
}

const selectActive = (db: Db, tenant: Tenant, roles: readonly Role[]) =>
  forTenant(db, tenant)
    .selectFrom('members', 'm')
    .innerJoin('organizations as o', 'o.id', 'm.organization_id')
    .select(['m.id', 'm.first_name', 'm.email'])
    .select(({ fn }) => fn.coalesce('m.language', 'o.language').as('language'))
    .where('m.role', 'in', roles)
    .where('m.active', '=', true)
    .orderBy('m.id');

export const listOwners = (db: Db, tenant: Tenant): Promise<Recipient[]> =>
  selectActive(db, tenant, ['owner']).execute();

/** Owners and managers, without one member. */
export const listManagersExcept = (db: Db, tenant: Tenant, memberId: string): Promise<Recipient[]> =>
  selectActive(db, tenant, ['owner', 'manager']).where('m.id', '<>', memberId).execute();

/** Owners who have not turned the weekly summary off. */
export const listSummaryOwners = (db: Db, tenant: Tenant): Promise<Recipient[]> =>
  selectActive(db, tenant, ['owner']).where('m.weekly_summary_off_at', 'is', null).execute();

/** The language of the active member with this address: their own, or the organization's. */
export async function findLanguageOf(db: Db, tenant: Tenant, address: string): Promise<Language | null> {
  const found = selectActive(db, tenant, ROLES).where(sql`lower(m.email)`, '=', sql`lower(${address})`).limit(1);
  return (await found.executeTakeFirst())?.language ?? null;
}

export async function insertOwnerEmails(
  tx: Tx,
  tenant: Tenant,
  emails: readonly (Pick<OwnerEmailRow, 'id' | 'purpose' | 'address' | 'subject' | 'body'> &
    Partial<Pick<OwnerEmailRow, 'member_id' | 'week'>>)[],
  now: Date,
): Promise<void> {
  if (emails.length === 0) return;
  const added = { ...columnsOf(tenant), status: 'scheduled', created_at: now, due_at: now } as const;
  const values = emails.map((email) => ({ ...email, ...added }));
  await forTenant(tx, tenant).insertInto('owner_emails').values(values).execute();
}

/** An update of the email, unless it is settled. */
const unsettled = (db: Db, tenant: Tenant, id: string) =>
  forTenant(db, tenant).updateTable('owner_emails').where('id', '=', id).where('status', '=', 'scheduled');

/**
 * Takes an email that is due, a summary only if there is no other, and counts an attempt. The next one is due after a pause that
 * doubles, unless this one settles the email.
 */
export async function takeDueEmail(
  db: Db,
  now: Date,
  pause: { readonly firstMs: number; readonly maxMs: number },
): Promise<OwnerEmailRow | undefined> {
  const { rows } = await sql<OwnerEmailRow>`
    update owner_emails e set attempts = e.attempts + 1,
      address = coalesce(
        (select email from members m where m.organization_id = e.organization_id and m.id = e.member_id), e.address),
      due_at = ${now}::timestamptz
        + least(${pause.firstMs} * power(2, least(e.attempts, 20)), ${pause.maxMs}) * interval '1 millisecond'
    from (
      select organization_id, id from owner_emails where status = 'scheduled' and due_at <= ${now}
      order by (purpose = 'weekly_summary'), due_at limit 1 for update skip locked
    ) next
    where e.organization_id = next.organization_id and e.id = next.id
    returning e.*`.execute(acrossTenants(db));
  return rows[0];
}

/** Also if it was withdrawn meanwhile: the recipient has it. */
export async function recordAcceptance(
  db: Db,
  row: OwnerEmailRow,
  accepted: Pick<OwnerEmailRow, 'carrier' | 'settled_at'>,
): Promise<void> {
  await forTenant(db, tenantOf(row))
    .updateTable('owner_emails')
    .set({ status: 'accepted', error_message: null, ...accepted })
    .where('id', '=', row.id)
    .execute();
}

/** Records why an attempt failed, unless the email is settled or another attempt has started. `settled_at` null: it is retried. */
export async function recordFailure(
  db: Db,
  row: OwnerEmailRow,
  failure: Pick<OwnerEmailRow, 'carrier' | 'error_message' | 'settled_at'>,
): Promise<void> {
  await unsettled(db, tenantOf(row), row.id)
    .set({ status: failure.settled_at === null ? 'scheduled' : 'failed', ...failure })
    .where('attempts', '=', row.attempts)
    .execute();
}

/** Records that an email to an owner bounced after the mail server had accepted it. Returns when it was accepted. */
export async function failOwnerEmail(tx: Tx, tenant: Tenant, id: string, reason: string): Promise<Date | null> {
  const row = await forTenant(tx, tenant)
    .updateTable('owner_emails')
    .set({ status: 'failed', error_message: reason })
    .where('id', '=', id)
    .where('status', '=', 'accepted')
    .returning('settled_at')
    .executeTakeFirst();
  return row?.settled_at ?? null;
}

const MAX_OWNER_EMAILS = 50;

/** Newest first. */
export const listOwnerEmails = (db: Db, tenant: Tenant): Promise<OwnerEmailRow[]> =>
  forTenant(db, tenant).selectFrom('owner_emails').selectAll().orderBy('id', 'desc').limit(MAX_OWNER_EMAILS).execute();

/** A time zone with the week whose summary is due in it. */
interface DueZone {
  readonly timezone: string;
  readonly week: string;
}

export const listTimezones = async (db: Db): Promise<string[]> =>
  (await db.selectFrom('organizations').select('timezone').distinct().execute()).map(({ timezone }) => timezone);

export type SummarizedOrganization = Pick<Row<'organizations'>, 'id' | 'timezone'>;

/** Organizations whose summary is due and not planned yet. */
export async function listUnsummarized(
  db: Db,
  zones: readonly DueZone[],
  limit: number,
): Promise<SummarizedOrganization[]> {
  const { rows } = await sql<SummarizedOrganization>`
    select o.id, o.timezone
    from unnest(${zones.map(({ timezone }) => timezone)}::text[], ${zones.map(({ week }) => week)}::text[])
      as due(timezone, week)
    join organizations o on o.timezone = due.timezone
    where not exists (
      select from weekly_summaries s where s.organization_id = o.id and s.environment = 'test' and s.week = due.week
    )
    limit ${limit}`.execute(acrossTenants(db));
  return rows;
}

/** False when another node has planned this week. */
export async function insertSummary(
  tx: Tx,
  tenant: Tenant,
  summary: { readonly week: string; readonly figures: SummaryFigures | null },
  now: Date,
): Promise<boolean> {
  const figures = summary.figures === null ? null : JSON.stringify(summary.figures);
  const { numInsertedOrUpdatedRows } = await forTenant(tx, tenant)
    .insertInto('weekly_summaries')
    .values({ ...columnsOf(tenant), week: summary.week, figures, created_at: now })
    .onConflict((on) => on.doNothing())
    .executeTakeFirstOrThrow();
  return numInsertedOrUpdatedRows === 1n;
}

export async function findFigures(db: Db, tenant: Tenant, week: string): Promise<SummaryFigures | null> {
  const row = await forTenant(db, tenant)
    .selectFrom('weekly_summaries')
    .select('figures')
    .where('week', '=', week)
    .executeTakeFirst();
  return (row?.figures as SummaryFigures | null | undefined) ?? null;
}

/** False when another attempt has handed the email over. */
export async function markHandedOver(db: Db, tenant: Tenant, id: string, now: Date): Promise<boolean> {
  const { numUpdatedRows } = await unsettled(db, tenant, id)
    .set({ handed_over_at: now })
    .where('handed_over_at', 'is', null)
    .executeTakeFirstOrThrow();
  return numUpdatedRows === 1n;
}

/** By the attempt that handed the email over, when the server certainly did not accept it. */
export async function takeBack(db: Db, tenant: Tenant, id: string): Promise<void> {
  await unsettled(db, tenant, id).set({ handed_over_at: null }).execute();
}

/** Settles an email that was handed over and never confirmed. False if there is none. */
export async function settleUnconfirmed(
  db: Db,
  tenant: Tenant,
  id: string,
  error: { readonly error_message: string; readonly settled_at: Date },
): Promise<boolean> {
  const { numUpdatedRows } = await unsettled(db, tenant, id)
    .set({ status: 'failed', ...error })
    .where('handed_over_at', 'is not', null)
    .executeTakeFirstOrThrow();
  return numUpdatedRows === 1n;
}
