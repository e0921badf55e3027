/** Folder: the SQL of messages, opt-outs, limits and holds. */

import { CompiledQuery, type Selectable, sql, type Transaction } from 'kysely';
import { MESSAGES_DUE, type ReassignedIntro } from '../../intros/index.ts';
import { realTime } from '../../platform/clock.ts';
import type { Database, Queryable } from '../../platform/db.ts';
import { newId } from '../../platform/ids.ts';
import { namedQuery } from '../../platform/named-statement.ts';
import { hiddenLimit, scanPage } from '../../platform/scan.ts';
import type {
  ConsentTable,
  IntroAnswerRow,
  IntroDeclineRow,
  IntroReassignmentRow,
  IntroReplyRow,
  IntroTable,
  MessageStatus,
  MessageTable,
  RecordingTable,
  Tables,
  Tenant,
} from '../../tables.ts';
import { forTenant, queryForTenant } from '../../tenancy.ts';
import { LIKENESS_WITHDRAWN } from '../queue/rules.ts';

export type MessageRow = Selectable<MessageTable>;

export const tenantOf = ({ organization_id, environment }: MessageRow): Tenant => ({
  organizationId: organization_id,
  environment,
});

/** The columns that a change may set. */
export type MessageChange = Pick<
  MessageRow,
  | 'status'
  | 'channel'
  | 'due_at'
  | 'held_for'
  | 'held_until'
  | 'attempts'
  | 'in_doubt'
  | 'address'
  | 'subject'
  | 'body'
  | 'segments'
  | 'carrier'
  | 'by_own_account'
  | 'unsent_attempts'
  | 'uses_fallback'
  | 'carrier_id'
  | 'error_code'
  | 'error_message'
  | 'accepted_at'
  | 'settled_at'
  | 'account'
  | 'held_attempts'
>;

const CHANGED = {
  status: 'text',
  channel: 'text',
  due_at: 'timestamptz',
  held_for: 'text',
  held_until: 'timestamptz',
  attempts: 'smallint',
  in_doubt: 'boolean',
  address: 'text',
  subject: 'text',
  body: 'text',
  segments: 'smallint',
  carrier: 'text',
  by_own_account: 'boolean',
  unsent_attempts: 'smallint',
  uses_fallback: 'boolean',
  carrier_id: 'text',
  error_code: 'text',
  error_message: 'text',
  accepted_at: 'timestamptz',
  settled_at: 'timestamptz',
  account: 'text',
  held_attempts: 'smallint',
} as const satisfies Record<keyof MessageChange, string>;

// Compares status and attempts, so that a worker that lost its claim changes nothing. A claim gets the time of the database,
// which `requeueAbandoned` compares it with. Joined by place: a connection may keep a plan that it made while the table was small,
// and a join by id would read all of it.
const CHANGE = {
  name: 'change messages',
  text: `
with found as materialized (
  select c.*, m.place
  from json_to_recordset($1::json) as c(organization_id text, id text, was_status text, was_attempts smallint,
    ${Object.entries(CHANGED)
      .map(([name, type]) => `${name} ${type}`)
      .join(', ')})
  cross join lateral (
    select ctid as place from messages
    where organization_id = c.organization_id and id = c.id and status = c.was_status and attempts = c.was_attempts
    for update
  ) m
)
update messages m set ${Object.keys(CHANGED)
    .map((name) => `${name} = f.${name}`)
    .join(', ')}, claimed_at = case f.status when 'sending' then clock_timestamp() else m.claimed_at end
from found f where m.ctid = f.place`,
};

/** PostgreSQL rejects NUL and half a surrogate pair, which a template filter can leave behind. */
const toStorable = (_name: string, value: unknown): unknown =>
  typeof value === 'string' ? value.toWellFormed().replaceAll('\0', '\ufffd') : value;

/** False if another worker changed one of the rows in between. */
export async function changeMessages(
  tx: Transaction<Tables>,
  changes: readonly { readonly row: MessageRow; readonly change: Partial<MessageChange> }[],
): Promise<boolean> {
  if (changes.length === 0) return true;
  const names = Object.keys(CHANGED) as (keyof MessageChange)[];
  const rows = changes.map(({ row, change }) => ({
    organization_id: row.organization_id,
    id: row.id,
    was_status: row.status,
    was_attempts: row.attempts,
    ...Object.fromEntries(names.map((name) => [name, name in change ? change[name] : row[name]])),
  }));
  const { numAffectedRows } = await tx.executeQuery(namedQuery(CHANGE, [JSON.stringify(rows, toStorable)]));
  return numAffectedRows === BigInt(changes.length);
}

export type NewMessage = Pick<
  MessageRow,
  | 'organization_id'
  | 'environment'
  | 'id'
  | 'intro_id'
  | 'audience'
  | 'purpose'
  | 'channel'
  | 'round'
  | 'due_at'
  | 'created_at'
> & {
  /** Only for recipients, whose number is fixed. */
  readonly address?: string;
};

const INSERT = {
  name: 'insert messages',
  text: `
insert into messages
  (organization_id, environment, id, intro_id, audience, purpose, channel, round, status, address, due_at, created_at)
select organization_id, environment, id, intro_id, audience, purpose, channel, round, 'scheduled', address, due_at, created_at
from json_to_recordset($1::json) as m(organization_id text, environment text, id text, intro_id text, audience text,
  purpose text, channel text, round smallint, address text, due_at timestamptz, created_at timestamptz)
on conflict do nothing`,
};

/** Skips messages that already exist for the same step and channel. */
export async function insertMessages(tx: Transaction<Tables>, messages: readonly NewMessage[]): Promise<void> {
  if (messages.length > 0) await tx.executeQuery(namedQuery(INSERT, [JSON.stringify(messages)]));
}

/** Plans the text after `row`, unless there is one already. */
export async function insertResend(
  tx: Transaction<Tables>,
  row: MessageRow,
  { dueAt, heldFor, now }: { dueAt: Date; heldFor: MessageRow['held_for']; now: Date },
): Promise<void> {
  const { organization_id, environment, intro_id, audience, purpose, channel, address, account } = row;
  await forTenant(tx, tenantOf(row))
    .insertInto('messages')
    .values({
      ...{ organization_id, environment, intro_id, audience, purpose, channel, address, account },
      id: newId('msg', now),
      round: row.round + 1,
      resends: row.resends + 1,
      status: 'scheduled',
      due_at: dueAt,
      held_for: heldFor,
      held_until: heldFor === null ? null : dueAt,
      created_at: now,
    })
    .onConflict((on) => on.doNothing())
    .execute();
}

/** Why a text waits, and until when. */
interface Hold {
  readonly heldFor: NonNullable<MessageRow['held_for']>;
  readonly until: Date;
}

/**
 * Enqueues the text to the recipient if the service delivers this intro. A second take of the video adds no second text,
 * unless the first was a test recording, which was not texted.
 */
export async function insertDelivery(
  tx: Transaction<Tables>,
  tenant: Tenant,
  { introId, id, now, hold }: { introId: string; id: string; now: Date; hold: Hold | null },
): Promise<void> {
  await sql`
    with created as (
      insert into messages (organization_id, environment, id, intro_id, audience, purpose, channel, status, address, due_at,
        held_for, held_until, created_at)
      select organization_id, environment, ${id}, id, 'recipient', 'deliver', 'text', 'scheduled', recipient_phone,
        ${hold?.until ?? now}::timestamptz, ${hold?.heldFor ?? null}::text, ${hold?.until ?? null}::timestamptz, ${now}::timestamptz
      from intros where ${forTenant(tx, tenant).owns()} and id = ${introId} and responsibility = 'service'
      on conflict (organization_id, intro_id, purpose, channel, round) do update
      set status = excluded.status, due_at = excluded.due_at, held_for = excluded.held_for, held_until = excluded.held_until,
        error_code = null, error_message = null, settled_at = null
      where messages.status = 'dropped' and messages.error_code = 'test_recording'
      returning id
    )
    select hint(${MESSAGES_DUE}, '') from created`.execute(tx);
}

/** Wakes the workers after the transaction. */
export async function notifyMessagesDue(tx: Transaction<Tables>): Promise<void> {
  await sql`select hint(${MESSAGES_DUE}, '')`.execute(tx);
}

/** Makes waiting texts to this number due, so that their intros report at once that nothing will be sent. */
export async function makeDeliveriesDue(
  tx: Transaction<Tables>,
  tenant: Tenant,
  phone: string,
  now: Date,
): Promise<void> {
  await forTenant(tx, tenant)
    .updateTable('messages')
    .set({ due_at: now })
    .where('address', '=', phone)
    .where(sql<boolean>`status = 'scheduled' and (purpose = 'deliver' or held_for = 'opt_out_question')`)
    .execute();
  await notifyMessagesDue(tx);
}

/** Carrier ids of the intro's other messages. Some have the same text and the same link as `row`. */
export async function listOtherCarrierIds(db: Queryable<Tables>, row: MessageRow): Promise<ReadonlySet<string>> {
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

export function listMessages(db: Queryable<Tables>, tenant: Tenant, introId?: string): Promise<MessageRow[]> {
  const query = forTenant(db, tenant).selectFrom('messages').selectAll().orderBy('id', 'desc').limit(MAX_LISTED);
  return (introId === undefined ? query : query.where('intro_id', '=', introId)).execute();
}

export const listIntroMessages = (db: Queryable<Tables>, tenant: Tenant, introId: string): Promise<MessageRow[]> =>
  forTenant(db, tenant).selectFrom('messages').selectAll().where('intro_id', '=', introId).orderBy('id').execute();

export async function lockMessage(tx: Transaction<Tables>, tenant: Tenant, id: string): Promise<MessageRow | null> {
  const query = forTenant(tx, tenant).selectFrom('messages').selectAll().where('id', '=', id);
  return (await query.forUpdate().executeTakeFirst()) ?? null;
}

const LOCK_CLAIMED = {
  name: 'lock claimed messages',
  text: `
select m.id
from unnest($1::text[], $2::text[], $3::smallint[]) as c(organization_id, id, attempts)
cross join lateral (
  select id from messages
  where organization_id = c.organization_id and id = c.id and status = 'sending' and attempts = c.attempts
  for update
) m`,
};

/** Locks the messages until the transaction ends. Returns the ids of those that this claim still holds. */
export async function lockClaimed(tx: Transaction<Tables>, rows: readonly MessageRow[]): Promise<ReadonlySet<string>> {
  // In order, so that two batches cannot deadlock.
  const ordered = rows.toSorted((a, b) => (a.id < b.id ? -1 : 1));
  const values = [
    ordered.map(({ organization_id }) => organization_id),
    ordered.map(({ id }) => id),
    ordered.map(({ attempts }) => attempts),
  ];
  const claimed = await tx.executeQuery<{ id: string }>(namedQuery(LOCK_CLAIMED, values));
  return new Set(claimed.rows.map(({ id }) => id));
}

export interface TimelineRows {
  readonly intro: Selectable<IntroTable>;
  readonly reassignments: readonly IntroReassignmentRow[];
  readonly replies: readonly IntroReplyRow[];
  readonly declines: readonly IntroDeclineRow[];
  readonly answers: readonly IntroAnswerRow[];
  readonly recordings: readonly Selectable<RecordingTable>[];
  readonly consents: readonly ConsentTable[];
  readonly messages: readonly MessageRow[];
}

/** Null if the tenant has no such intro. */
export async function readTimelineRows(
  { kysely }: Database<Tables>,
  tenant: Tenant,
  introId: string,
): Promise<TimelineRows | null> {
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

/** Enqueues the notification of a reply. Its round is the number of the reply. */
export async function notifyOfReply(
  tx: Transaction<Tables>,
  tenant: Tenant,
  reply: { readonly introId: string; readonly number: number },
  now: Date,
): Promise<void> {
  const message: NewMessage = {
    organization_id: tenant.organizationId,
    environment: tenant.environment,
    id: newId('msg', now),
    intro_id: reply.introId,
    audience: 'member',
    purpose: 'reply',
    channel: null,
    round: reply.number,
    due_at: now,
    created_at: now,
  };
  await insertMessages(tx, [message]);
  await notifyMessagesDue(tx);
}

const NOTIFY_NEW_MEMBER = `
with dropped as (
  update messages
  set status = 'dropped', error_code = 'reassigned', error_message = 'The intro was reassigned to another member.', settled_at = $4
  where organization_id = $1 and environment = $2 and intro_id = $3 and audience = 'member' and status = 'scheduled'
)
insert into messages (organization_id, environment, id, intro_id, audience, purpose, round, status, due_at, created_at)
values ($1, $2, $5, $3, 'member', 'ask', $6, 'scheduled', $4, $4)
returning hint('${MESSAGES_DUE}', '')`;

/** Drops what was scheduled for the previous member, whose link no longer works, and notifies the new one. */
export async function notifyNewMember(
  tx: Transaction<Tables>,
  { organizationId, environment }: Tenant,
  { id, generation }: ReassignedIntro,
  now: Date,
): Promise<void> {
  const values = [organizationId, environment, id, now, newId('msg', now), generation];
  await tx.executeQuery(CompiledQuery.raw(NOTIFY_NEW_MEMBER, values));
}

/** Drops what is scheduled for the member, who declined. */
export async function dropMemberMessages(
  tx: Transaction<Tables>,
  tenant: Tenant,
  introId: string,
  now: Date,
): Promise<void> {
  await forTenant(tx, tenant)
    .updateTable('messages')
    .set({
      status: 'dropped',
      error_code: 'declined',
      error_message: 'The member declined the intro.',
      settled_at: now,
    })
    .where('intro_id', '=', introId)
    .where('audience', '=', 'member')
    .where('status', '=', 'scheduled')
    .execute();
}

/** Drops what is scheduled about these intros, whose member withdrew consent. Replies of recipients still reach the member. */
export async function dropMessagesOfIntros(
  db: Queryable<Tables>,
  tenant: Tenant,
  introIds: readonly string[],
  now: Date,
): Promise<void> {
  if (introIds.length === 0) return;
  const { code: error_code, message: error_message } = LIKENESS_WITHDRAWN;
  await forTenant(db, tenant)
    .updateTable('messages')
    .set({ status: 'dropped', error_code, error_message, settled_at: now })
    .where('intro_id', 'in', introIds)
    .where('status', '=', 'scheduled')
    .where('purpose', '<>', 'reply')
    .execute();
}

/**
 * Leaves nothing of the test behind that would be sent, or would delay or limit texts, in real time. Limits only get stricter:
 * numbers that were texted in the future of the real time count as texted now.
 */
export async function endTestClock(
  tx: Transaction<Tables>,
  tenant: Tenant,
  dropped: { readonly error_code: string; readonly error_message: string },
  now: Date,
): Promise<void> {
  const own = forTenant(tx, tenant);
  const real = realTime(now);
  await own
    .updateTable('messages')
    .set({ status: 'dropped', ...dropped, settled_at: now })
    .where(sql<boolean>`status = 'scheduled' and purpose in ('deliver', 'answer')`)
    .where('in_doubt', '=', false)
    .execute();
  await own.updateTable('texted_numbers').set({ texted_at: real }).where('texted_at', '>', real).execute();
  // A day may begin up to 14 hours before that of UTC.
  await own
    .deleteFrom('text_counts')
    .where(sql<boolean>`day > (${real}::timestamptz at time zone 'UTC' + interval '14 hours')::date`)
    .execute();
}

export interface OutboxSearch {
  /** Empty: any. The same for audiences. */
  readonly statuses: readonly MessageStatus[];
  readonly audiences: readonly MessageRow['audience'][];
  readonly after: string | undefined;
  readonly limit: number;
}

export type OutboxRow = MessageRow & { readonly to_first_name: string; readonly to_last_name: string | null };

/** Rows read for one page. */
const MAX_SCANNED = 4_000;

/** Messages, newest first, with the name of the member or recipient. `next` is null on the last page. */
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
  const before = after === undefined ? sql`` : sql`and id < ${after}`;
  const { ids, next } = await scanPage(db, {
    newest: (count) => sql`select id, status, audience from messages
      where organization_id = ${organizationId} and environment = ${environment} ${before}
      order by id desc ${hiddenLimit(count)}`,
    conditions,
    limit,
    maxRows: MAX_SCANNED,
  });
  return { rows: await readRows(db, { organizationId, environment }, ids), next };
}

/** The member is the one responsible when the message was created; the intro may be reassigned since. */
async function readRows(
  db: Queryable<Tables>,
  { organizationId, environment }: Tenant,
  ids: readonly string[],
): Promise<OutboxRow[]> {
  if (ids.length === 0) return [];
  const { rows } = await sql<OutboxRow>`
    select m.*, case m.audience when 'member' then who.first_name else i.recipient_first_name end as to_first_name,
      case m.audience when 'member' then who.last_name else i.recipient_last_name end as to_last_name
    from unnest(${[...ids]}::text[]) with ordinality as found(id, n)
    cross join lateral (
      select * from messages
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
export async function hasDeliveredTexts({ pool }: Database<Tables>, tenant: Tenant): Promise<boolean> {
  return (await queryForTenant(pool, tenant, DELIVERED, [SCANNED])).rows.length > 0;
}
