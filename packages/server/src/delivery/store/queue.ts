/** Folder: the SQL of messages, opt-outs, limits and holds. */

import { CompiledQuery, type RawBuilder, type SqlBool, sql } from 'kysely';
import { inputRows, planned } from '../../db/statements.ts';
import {
  columnsOf,
  type Database,
  type Db,
  forTenant,
  type Row,
  type Tenant,
  type Tx,
  tenantOf,
} from '../../db/tenancy.ts';
import { type CreatedIntro, MESSAGES_DUE, notificationIdOf, type ReassignedIntro } from '../../intros/index.ts';
import { realTime } from '../../platform/clock.ts';
import { newId } from '../../platform/ids.ts';
import { ABANDONED_AFTER_MS, type Decision, LIKENESS_WITHDRAWN } from '../queue/rules.ts';

/** A message that waits, is being sent, or has an outcome. */
export type MessageRow = Row<'all_messages'>;

/** Wakes the workers after the transaction. */
export async function notifyMessagesDue(tx: Tx): Promise<void> {
  await sql`select hint(${MESSAGES_DUE}, '')`.execute(tx);
}

// A worker that died leaves its claim, in the time of the database.
const IS_FREE = `(claimed_at is null or claimed_at < statement_timestamp() - interval '${ABANDONED_AFTER_MS} ms')`;

// Jumps from organization to organization in the index. Those with a test clock are left out: their time is another one.
const LIST_WAITING = planned(`
with recursive waiting as (
  (select organization_id, environment from message_queue order by environment, organization_id limit 1)
  union all
  select next.* from waiting w cross join lateral (
    select organization_id, environment from message_queue
    where (environment, organization_id) > (w.environment, w.organization_id)
    order by environment, organization_id limit 1
  ) next
)
select w.organization_id, w.environment, first.due_at from waiting w cross join lateral (
  select due_at from message_queue
  where organization_id = w.organization_id and environment = w.environment and ${IS_FREE}
  order by due_at limit 1
) first
where not exists (
  select from test_clocks c where c.organization_id = w.organization_id and c.environment = w.environment offset 0
)
order by first.due_at`);

/** An organization, and when its first message is due. */
export interface Waiting {
  readonly tenant: Tenant;
  readonly dueAt: Date;
}

/** The organizations with messages that no worker has claimed, the one with the oldest first. */
export async function listWaiting({ pool }: Database): Promise<Waiting[]> {
  const { rows } = await pool.query<Pick<MessageRow, 'organization_id' | 'environment' | 'due_at'>>(LIST_WAITING);
  return rows.map((row) => ({ tenant: tenantOf(row), dueAt: row.due_at }));
}

/** How long the oldest message that waits is overdue; 0 if none is. */
export async function secondsOverdue(db: Database, now: Date): Promise<number> {
  const [oldest] = await listWaiting(db);
  return oldest === undefined ? 0 : Math.max(0, (now.getTime() - oldest.dueAt.getTime()) / 1000);
}

/** When something of the organization is due next on its test clock: a deadline, or a message that no worker has claimed. */
export async function findNextDue(db: Db, tenant: Tenant): Promise<Date | null> {
  const own = forTenant(db, tenant).owns();
  const { rows } = await sql<{ next: Date | null }>`
    select least(
      (select min(expires_at) from intros where ${own} and status in ('requested', 'ready')),
      (select due_at from message_queue where ${own} and ${sql.raw(IS_FREE)} order by due_at limit 1)
    ) as next`.execute(db);
  return rows[0]?.next ?? null;
}

/** The columns that a change may set. */
const CHANGED = {
  status: 'text',
  channel: 'text',
  due_at: 'timestamptz',
  held_for: 'text',
  held_until: 'timestamptz',
  next_purpose: 'text',
  next_at: 'timestamptz',
  attempts: 'smallint',
  held_attempts: 'smallint',
  unsent_attempts: 'smallint',
  uses_fallback: 'boolean',
  in_doubt: 'boolean',
  address: 'text',
  subject: 'text',
  body: 'text',
  segments: 'smallint',
  carrier: 'text',
  by_own_account: 'boolean',
  account: 'text',
  carrier_id: 'text',
  error_code: 'text',
  error_message: 'text',
  accepted_at: 'timestamptz',
  settled_at: 'timestamptz',
} as const;

const NAMES = Object.keys(CHANGED) as (keyof typeof CHANGED)[];
/** The columns that never change. */
const FIXED = 'environment, intro_id, audience, purpose, round, resends, created_at';

/** A queued message, and whether its channel is still to be chosen. */
export interface DueMessage extends MessageRow {
  readonly planned_channel: NonNullable<Row<'all_messages'>['channel']> | null;
}

/** The first message about an intro that was created in this transaction. */
export const toFirstMessage = ({ organization_id, environment, id, created_at }: CreatedIntro['row']): DueMessage => ({
  ...{ organization_id, environment, id: notificationIdOf(id), intro_id: id, audience: 'member', purpose: 'ask' },
  ...{ round: 0, resends: 0, planned_channel: null, channel: null, status: 'scheduled' },
  ...{ created_at, due_at: created_at, held_for: null, held_until: null, ...NO_STEP },
  ...{ attempts: 0, held_attempts: 0, unsent_attempts: 0 },
  ...{ uses_fallback: false, in_doubt: false, address: null, subject: null, body: null, segments: null },
  ...{ carrier: null, by_own_account: false, account: null, carrier_id: null, error_code: null, error_message: null },
  ...{ accepted_at: null, settled_at: null },
});

/** A message of the queue in the form of a MessageRow. An abandoned claim is in doubt: the carrier may have the message. */
const QUEUED = {
  channel: 'coalesce(channel, planned_channel) as channel',
  status: `case when claimed_at is null then 'scheduled' else 'sending' end as status`,
  in_doubt: 'in_doubt or claimed_at is not null as in_doubt',
  carrier_id: 'null::text as carrier_id',
  error_code: 'null::text as error_code',
  accepted_at: 'null::timestamptz as accepted_at',
  settled_at: 'null::timestamptz as settled_at',
};
const QUEUED_ROW = `organization_id, id, ${FIXED}, ${NAMES.map((name) =>
  name in QUEUED ? QUEUED[name as keyof typeof QUEUED] : name,
).join(', ')}`;

// Reads only the rows that it takes, and those that others have claimed, however many are due.
const TAKE = planned(`
select d.* from unnest($2::text[], $3::text[], $4::int[]) as t(organization_id, environment, share)
cross join lateral (
  select ${QUEUED_ROW}, planned_channel from message_queue
  where organization_id = t.organization_id and environment = t.environment and due_at <= $1 and ${IS_FREE}
  order by message_queue.due_at limit t.share for update skip locked
) d
order by d.due_at, d.id`);

/** How many messages of an organization a claim takes. */
export interface Turn {
  readonly tenant: Tenant;
  readonly share: number;
}

/** Locks due messages until the transaction ends, each organization's oldest first. */
export async function takeDue(tx: Tx, now: Date, turns: readonly Turn[]): Promise<DueMessage[]> {
  const values = [
    now,
    turns.map(({ tenant }) => tenant.organizationId),
    turns.map(({ tenant }) => tenant.environment),
    turns.map(({ share }) => share),
  ];
  return (await tx.executeQuery<DueMessage>(CompiledQuery.raw(TAKE, values))).rows;
}

const LOCK_CLAIMED = planned(`
select m.id
from unnest($1::text[], $2::text[], $3::smallint[]) as c(organization_id, id, attempts)
cross join lateral (
  select id from message_queue
  where organization_id = c.organization_id and id = c.id and claimed_at is not null and attempts = c.attempts
  for update
) m`);

/** Locks the messages until the transaction ends. Returns the ids of those that this claim still holds. */
export async function lockClaimed(tx: Tx, rows: readonly MessageRow[]): Promise<ReadonlySet<string>> {
  // In order, so that two batches cannot deadlock.
  const ordered = rows.toSorted((a, b) => (a.id < b.id ? -1 : 1));
  const values = [
    ordered.map(({ organization_id }) => organization_id),
    ordered.map(({ id }) => id),
    ordered.map(({ attempts }) => attempts),
  ];
  const claimed = await tx.executeQuery<{ id: string }>(CompiledQuery.raw(LOCK_CLAIMED, values));
  return new Set(claimed.rows.map(({ id }) => id));
}

/** Locks a message wherever it is. It may move from the queue to the record while this waits, so the record is read afterwards. */
export async function lockMessage(tx: Tx, tenant: Tenant, id: string): Promise<MessageRow | null> {
  const own = forTenant(tx, tenant).owns();
  const queued = sql`select id from message_queue where ${own} and id = ${id} for update`;
  const recorded = sql`select id from messages where ${own} and id = ${id} for update`;
  if ((await queued.execute(tx)).rows.length === 0) await recorded.execute(tx);
  const found = forTenant(tx, tenant).selectFrom('all_messages').selectAll().where('id', '=', id);
  return (await found.executeTakeFirst()) ?? null;
}

export type MessageChange = Pick<MessageRow, keyof typeof CHANGED>;

/** No step follows the message. */
export const NO_STEP = { next_purpose: null, next_at: null } as const;

/** Only messages with an outcome have these. */
const OUTCOME: readonly string[] = ['status', 'carrier_id', 'error_code', 'accepted_at', 'settled_at'];
const KEPT = NAMES.filter((name) => !OUTCOME.includes(name));
/** These matter only until the outcome is known. */
const SENDING: readonly string[] = [
  ...['next_purpose', 'next_at', 'held_attempts', 'unsent_attempts', 'uses_fallback', 'in_doubt'],
];
const RECORDED = NAMES.filter((name) => !SENDING.includes(name)).join(', ');
const IS_WAITING = "g.status in ('scheduled', 'sending')";
const CHANGES = inputRows('c', {
  ...{ organization_id: 'text', id: 'text', next_id: 'text', was_status: 'text', was_attempts: 'smallint' },
  ...CHANGED,
});

const RECORD = `recorded as (
  insert into messages (organization_id, id, ${FIXED}, ${RECORDED})
  select organization_id, id, ${FIXED}, ${RECORDED} from given g where not ${IS_WAITING}
)`;

// A message that waits again, or is about to be handed to its carrier, stays in the queue. One with an outcome moves to the record, and its
// row becomes the next step, if there is one. Compares status and attempts, so that a worker that lost its claim changes nothing. Joined
// by place: a connection may keep a plan that it made while the table was small, and a join by id would read all of it.
const CHANGE = planned(`
with given as materialized (
  select c.*, q.* from ${CHANGES.text}
  cross join lateral (
    select ctid as place, ${FIXED} from message_queue
    where organization_id = c.organization_id and id = c.id and attempts = c.was_attempts
      and (claimed_at is null) = (c.was_status = 'scheduled')
  ) q
), kept as (
  update message_queue m
  set ${KEPT.map((name) => `${name} = g.${name}`).join(', ')}, claimed_at = case g.status when 'sending' then clock_timestamp() end
  from given g where m.ctid = g.place and ${IS_WAITING}
), advanced as (
  update message_queue m set id = g.next_id, purpose = g.next_purpose, due_at = g.next_at, next_purpose = null, next_at = null,
    claimed_at = null, channel = null, held_for = null, held_until = null, attempts = 0, held_attempts = 0, unsent_attempts = 0,
    uses_fallback = false, in_doubt = false, address = null, subject = null, body = null, segments = null, carrier = null,
    by_own_account = false, account = null, error_message = null, created_at = coalesce(g.settled_at, g.accepted_at)
  from given g where m.ctid = g.place and not ${IS_WAITING} and g.next_id is not null
), removed as (
  delete from message_queue m using given g where m.ctid = g.place and not ${IS_WAITING} and g.next_id is null
), ${RECORD}
select count(*)::int as changed from given`);

const NEW_DECIDED = inputRows('g', {
  ...{ organization_id: 'text', id: 'text', environment: 'text', intro_id: 'text', audience: 'text', purpose: 'text' },
  ...{ round: 'smallint', resends: 'smallint', created_at: 'timestamptz', planned_channel: 'text', next_id: 'text' },
  ...CHANGED,
});
// Does the same for messages that were decided before they are stored.
const INSERT_DECIDED = planned(`
with given as materialized (
  select * from ${NEW_DECIDED.text}
), queued as (
  insert into message_queue (organization_id, id, ${FIXED}, planned_channel, ${KEPT.join(', ')}, claimed_at)
  select organization_id, id, ${FIXED}, planned_channel, ${KEPT.join(', ')}, case status when 'sending' then clock_timestamp() end
  from given g where ${IS_WAITING}
), next_steps as (
  insert into message_queue (organization_id, id, environment, intro_id, audience, purpose, round, resends, planned_channel, due_at,
    created_at)
  select organization_id, next_id, environment, intro_id, audience, next_purpose, round, resends, planned_channel, next_at,
    coalesce(settled_at, accepted_at)
  from given g where next_id is not null
), ${RECORD}
select`);

/** PostgreSQL rejects NUL and half a surrogate pair, which a template filter can leave behind, or a carrier can send. */
const toStorable = (text: string | null): string | null =>
  text === null ? null : text.toWellFormed().replaceAll('\0', '\ufffd');

interface Change {
  readonly row: MessageRow;
  readonly change: Partial<MessageChange>;
  /** The message is not stored yet. */
  readonly isNew?: boolean;
}

export const isQueued = (status: MessageRow['status']): boolean => status === 'scheduled' || status === 'sending';

function toChanged({ row, change }: Change) {
  const { subject, body, carrier_id, error_message, ...after } = { ...row, ...change };
  const isAdvanced = !isQueued(after.status) && after.next_purpose !== null;
  return {
    ...after,
    was_status: row.status,
    was_attempts: row.attempts,
    next_id: isAdvanced ? newId('msg', after.settled_at ?? after.accepted_at ?? after.due_at) : null,
    subject: toStorable(subject),
    body: toStorable(body),
    carrier_id: toStorable(carrier_id),
    error_message: toStorable(error_message),
  };
}

/** False if another worker changed one of the rows in between. Their messages are locked. */
export async function changeMessages(tx: Db, changes: readonly Change[]): Promise<boolean> {
  const created = changes.filter(({ isNew }) => isNew === true);
  if (created.length > 0) {
    await tx.executeQuery(CompiledQuery.raw(INSERT_DECIDED, NEW_DECIDED.values(created.map(toChanged))));
  }
  const queued = changes.filter(({ row, isNew }) => isQueued(row.status) && isNew !== true);
  if (queued.length > 0) {
    const values = CHANGES.values(queued.map(toChanged));
    const { rows } = await tx.executeQuery<{ changed: number }>(CompiledQuery.raw(CHANGE, values));
    if (rows[0]?.changed !== queued.length) return false;
  }
  // Reports arrive one by one.
  for (const { row, change } of changes.filter(({ row }) => !isQueued(row.status))) {
    const { status, channel, address, carrier, carrier_id, error_code, error_message, accepted_at, settled_at } = {
      ...row,
      ...change,
    };
    const { numUpdatedRows } = await forTenant(tx, tenantOf(row))
      .updateTable('messages')
      .set({
        ...{ status: status as 'accepted', channel, address, carrier, error_code, accepted_at, settled_at },
        carrier_id: toStorable(carrier_id),
        error_message: toStorable(error_message),
      })
      .where('id', '=', row.id)
      .where('status', '=', row.status as 'accepted')
      .executeTakeFirst();
    if (numUpdatedRows !== 1n) return false;
  }
  return true;
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
> &
  // The number of a recipient is fixed.
  Partial<Pick<MessageRow, 'address' | 'resends' | 'held_for' | 'held_until' | 'account'>>;

const NEW = `organization_id, environment, id, intro_id, audience, purpose, round, address, due_at, held_for, held_until, account, created_at`;

const NEW_MESSAGES = inputRows('n', {
  ...{ organization_id: 'text', environment: 'text', id: 'text', intro_id: 'text', audience: 'text', purpose: 'text' },
  ...{ channel: 'text', round: 'smallint', address: 'text', due_at: 'timestamptz', held_for: 'text' },
  ...{ held_until: 'timestamptz', account: 'text', resends: 'smallint', created_at: 'timestamptz' },
});
// A message moves from the queue to the record at once, so this statement sees it in one of them.
const INSERT = planned(`
insert into message_queue (${NEW}, planned_channel, resends)
select ${NEW}, channel, coalesce(resends, 0)
from ${NEW_MESSAGES.text}
where not exists (
  select from all_messages m where m.organization_id = n.organization_id and m.intro_id = n.intro_id and m.purpose = n.purpose
    and m.round = n.round and m.channel is not distinct from n.channel offset 0
)
on conflict do nothing`);

/** Skips messages that already exist for the same step and channel. */
export async function insertMessages(tx: Tx, messages: readonly NewMessage[]): Promise<void> {
  if (messages.length > 0) await tx.executeQuery(CompiledQuery.raw(INSERT, NEW_MESSAGES.values(messages)));
}

/** A message that is due now, unless it is planned for later. */
export const newMessage = (
  tenant: Tenant,
  planned: Pick<NewMessage, 'intro_id' | 'audience' | 'purpose' | 'channel' | 'round'>,
  now: Date,
) => ({
  ...{ ...columnsOf(tenant), id: newId('msg', now), ...planned },
  ...{ planned_channel: planned.channel, resends: 0, due_at: now, created_at: now },
});

/** The same message on another channel. */
export const onChannel = (row: MessageRow, channel: NonNullable<MessageRow['channel']>, now: Date): NewMessage => {
  const { intro_id, audience, purpose, round } = row;
  return newMessage(tenantOf(row), { intro_id, audience, purpose, round, channel }, now);
};

/**
 * Enqueues the text to the recipient if the service delivers this intro. A second take of the video adds no second text,
 * unless the first was a test recording, which was not texted.
 */
export async function insertDelivery(
  tx: Tx,
  tenant: Tenant,
  {
    introId,
    id,
    now,
    hold,
  }: { introId: string; id: string; now: Date; hold: Extract<Decision, { kind: 'wait' }> | null },
): Promise<void> {
  const own = forTenant(tx, tenant).owns();
  const isTestRecording = sql`status = 'dropped' and error_code = 'test_recording'`;
  const text = sql`${own} and intro_id = ${introId} and purpose = 'deliver' and round = 0`;
  await sql`
    with replaced as (
      delete from messages where ${text} and ${isTestRecording} returning id, created_at
    ), created as (
      insert into message_queue (organization_id, environment, id, intro_id, audience, purpose, planned_channel, address, due_at,
        held_for, held_until, created_at)
      select organization_id, environment, coalesce((select id from replaced), ${id}), id, 'recipient', 'deliver', 'text', recipient_phone,
        ${hold?.until ?? now}::timestamptz, ${hold?.heldFor ?? null}::text, ${hold?.until ?? null}::timestamptz,
        coalesce((select created_at from replaced), ${now}::timestamptz)
      from intros where ${own} and id = ${introId} and responsibility = 'service'
        and not exists (select from messages where ${text} and not (${isTestRecording}))
      on conflict do nothing
      returning id
    )
    select hint(${MESSAGES_DUE}, '') from created`.execute(tx);
}

/** Makes waiting texts to this number due, so that their intros report that nothing will be sent. */
export async function makeDeliveriesDue(tx: Tx, tenant: Tenant, phone: string, at: Date): Promise<void> {
  const own = forTenant(tx, tenant);
  await sql`
    update message_queue q set due_at = ${at} from intros i
    where ${own.owns('i')} and i.recipient_phone collate "C" = ${phone} and ${own.owns('q')} and q.intro_id = i.id
      and q.audience = 'recipient' and (q.purpose = 'deliver' or q.held_for = 'opt_out_question') and q.claimed_at is null`.execute(
    tx,
  );
  await notifyMessagesDue(tx);
}

interface Reason {
  readonly code: string;
  readonly message: string;
}

/**
 * Moves waiting messages to the record: they are not sent. Does not wait for a claim, which may be waiting for an intro that the caller
 * has locked. If it leaves the message in the queue, the next claim finds the reason itself.
 */
async function drop(
  db: Db,
  condition: RawBuilder<SqlBool>,
  { code: error_code, message: error_message }: Reason,
  now: Date,
): Promise<void> {
  const { rows } = await sql<MessageRow>`
    select ${sql.raw(QUEUED_ROW)} from message_queue where ${condition} and claimed_at is null
    for update skip locked`.execute(db);
  const change = { status: 'dropped', error_code, error_message, settled_at: now, ...NO_STEP } as const;
  const changes = rows.map((row) => ({ row, change }));
  if (!(await changeMessages(db, changes))) throw new Error('a locked message changed');
}

const toMembers = (db: Db, tenant: Tenant, introIds: readonly string[]) =>
  sql<SqlBool>`${forTenant(db, tenant).owns()} and intro_id = any(${[...introIds]}::text[]) and audience = 'member'`;

/** Drops what is scheduled for the member, who declined. */
export const dropMemberMessages = (tx: Tx, tenant: Tenant, introId: string, now: Date): Promise<void> =>
  drop(tx, toMembers(tx, tenant, [introId]), { code: 'declined', message: 'The member declined the intro.' }, now);

/** Drops what is scheduled about these intros, whose member withdrew consent. Replies of recipients still reach the member. */
export async function dropMessagesOfIntros(
  db: Db,
  tenant: Tenant,
  introIds: readonly string[],
  now: Date,
): Promise<void> {
  const ofIntros = sql<SqlBool>`${forTenant(db, tenant).owns()} and intro_id = any(${[...introIds]}::text[]) and purpose <> 'reply'`;
  if (introIds.length > 0) await drop(db, ofIntros, LIKENESS_WITHDRAWN, now);
}

/**
 * Leaves nothing of the test behind that would be sent, or would delay or limit texts, in real time. Limits only get stricter:
 * numbers that were texted in the future of the real time count as texted now.
 */
export async function endTestClock(tx: Tx, tenant: Tenant, dropped: Reason, now: Date): Promise<void> {
  const own = forTenant(tx, tenant);
  const real = realTime(now);
  await drop(tx, sql`${own.owns()} and purpose in ('deliver', 'answer') and not in_doubt`, dropped, now);
  await own.updateTable('texted_numbers').set({ texted_at: real }).where('texted_at', '>', real).execute();
  // A day may begin up to 14 hours before that of UTC.
  await own
    .deleteFrom('text_counts')
    .where(sql<boolean>`day > (${real}::timestamptz at time zone 'UTC' + interval '14 hours')::date`)
    .execute();
}

/** New messages of intros to their member, which are due now. */
async function askMember(
  tx: Tx,
  tenant: Tenant,
  messages: readonly Pick<NewMessage, 'intro_id' | 'purpose' | 'round'>[],
  now: Date,
): Promise<void> {
  await insertMessages(
    tx,
    messages.map((message) => newMessage(tenant, { ...message, audience: 'member', channel: null }, now)),
  );
  await notifyMessagesDue(tx);
}

/** Enqueues the notification of a reply. Its round is the number of the reply. */
export const notifyOfReply = (
  tx: Tx,
  tenant: Tenant,
  { introId, number }: { readonly introId: string; readonly number: number },
  now: Date,
): Promise<void> => askMember(tx, tenant, [{ intro_id: introId, purpose: 'reply', round: number }], now);

/**
 * Waiting texts of these intros go to another number. One that a worker is claiming gets the number of its intro anyway. Texts that were
 * not sent lose the number; an erasure finds those that were.
 */
export async function changeAddress(tx: Tx, tenant: Tenant, introIds: readonly string[], phone: string): Promise<void> {
  await sql`
    update message_queue set address = ${phone} where ${forTenant(tx, tenant).owns()} and id in (
      select id from message_queue
      where ${forTenant(tx, tenant).owns()} and intro_id = any(${[...introIds]}::text[]) and audience = 'recipient'
        and claimed_at is null and address is not null
      for update skip locked
    )`.execute(tx);
  await forTenant(tx, tenant)
    .updateTable('messages')
    .set({ address: null, error_message: null })
    .where('intro_id', 'in', [...introIds])
    .where('audience', '=', 'recipient')
    .where('accepted_at', 'is', null)
    .execute();
}

/** Drops what was scheduled for the previous member, whose link no longer works, and notifies the new one. */
export async function notifyNewMember(
  tx: Tx,
  tenant: Tenant,
  intros: readonly ReassignedIntro[],
  now: Date,
): Promise<void> {
  const reason = { code: 'reassigned', message: 'The intro was reassigned to another member.' };
  const introIds = intros.map(({ id }) => id);
  await drop(tx, toMembers(tx, tenant, introIds), reason, now);
  const asks = intros.map(({ id, generation }) => ({ intro_id: id, purpose: 'ask', round: generation }) as const);
  await askMember(tx, tenant, asks, now);
}
