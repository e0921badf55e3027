import { CompiledQuery, type Selectable, sql, type Transaction } from 'kysely';
import type { Database, Queryable } from '../../platform/db.ts';
import type { IntroStatus, MessageTable, Tables, Tenant } from '../../tables.ts';

export type MessageRow = Selectable<MessageTable>;

/** A message with all that decides whether it goes, and what it says. */
export interface DueMessage extends MessageRow {
  readonly intro_status: IntroStatus;
  readonly link_generation: number;
  readonly touchpoint_slug: string | null;
  readonly recipient_first_name: string;
  readonly recipient_last_name: string | null;
  readonly recipient_phone: string;
  readonly context: {
    readonly appointment: { readonly starts_at: string; readonly timezone: string } | null;
    readonly trade: string | null;
    readonly lane: string | null;
  } | null;
  readonly intro_created_at: Date;
  readonly expires_at: Date | null;
  readonly member_first_name: string;
  readonly member_last_name: string;
  readonly member_email: string;
  readonly member_phone: string | null;
  readonly member_active: boolean;
  readonly notify_by: 'text' | 'email' | 'both';
  readonly organization_name: string;
  readonly timezone: string;
  readonly accent: string | null;
  readonly text_message: string | null;
  readonly reminds: boolean | null;
  readonly texts_from: number | null;
  readonly texts_until: number | null;
  readonly twilio_account: Buffer | null;
  readonly is_opted_out: boolean;
  /** Of another message of the same touchpoint to this number. */
  readonly last_text_at: Date | null;
  /** When that one is next looked at, while nobody knows what becomes of it. */
  readonly last_text_open_until: Date | null;
  readonly is_known_number: boolean;
  readonly has_take_under_way: boolean;
}

/**
 * A text that the carrier took and did not fail to deliver: its number has read how to opt out. Each of these words is in
 * the index of such texts, so that one is found at once however many there are.
 */
export const ARRIVED = "channel = 'text' and accepted_at is not null and status in ('accepted', 'delivered')";

/**
 * The due ones of every organization, in small batches; several workers share them out by the rows they lock. Each look-up is
 * a lateral subquery behind `offset 0`, as in events/store.ts.
 */
const TAKE = `
with due as materialized (
  select * from messages where status = 'scheduled' and due_at <= $1 order by due_at limit $2 for update skip locked
)
select d.*, i.status as intro_status, i.link_generation, i.touchpoint_slug, i.recipient_first_name, i.recipient_last_name, i.recipient_phone,
  i.context, i.created_at as intro_created_at, i.expires_at,
  m.first_name as member_first_name, m.last_name as member_last_name, m.email as member_email, m.phone as member_phone,
  m.active as member_active, m.notify_by,
  o.name as organization_name, o.timezone, o.accent, t.text_message, t.reminds,
  s.texts_from, s.texts_until, s.twilio_account,
  x.phone is not null as is_opted_out, last.texted_at as last_text_at, last.open_until as last_text_open_until,
  known.id is not null as is_known_number, r.id is not null as has_take_under_way
from due d
cross join lateral (select * from intros where organization_id = d.organization_id and id = d.intro_id offset 0) i
cross join lateral (select * from members where organization_id = i.organization_id and id = i.member_id offset 0) m
cross join lateral (select * from organizations where id = d.organization_id offset 0) o
cross join lateral (select case d.audience when 'member' then m.phone else i.recipient_phone end as phone) number
left join lateral (
  select text_message, reminds from touchpoints
  where slug = i.touchpoint_slug and organization_id = d.organization_id and environment = d.environment offset 0
) t on true
left join lateral (
  select * from delivery_settings where organization_id = d.organization_id and environment = d.environment offset 0
) s on true
left join lateral (
  select phone from opt_outs
  where organization_id = d.organization_id and environment = d.environment and phone = number.phone offset 0
) x on true
left join lateral (
  select n.texted_at, open.due_at as open_until
  from texted_numbers n
  left join lateral (
    select due_at from messages
    where organization_id = n.organization_id and id = n.message_id and status in ('scheduled', 'sending') offset 0
  ) open on true
  where n.organization_id = d.organization_id and n.environment = d.environment and n.phone = number.phone
    and n.touchpoint = i.touchpoint_slug and d.audience = 'recipient' and n.message_id <> d.id offset 0
) last on true
left join lateral (
  select id from messages
  where organization_id = d.organization_id and environment = d.environment and address = number.phone and ${ARRIVED} limit 1
) known on true
left join lateral (
  select id from recordings
  where d.audience = 'member' and organization_id = d.organization_id and intro_id = d.intro_id
    and status in ('uploaded', 'processing') limit 1
) r on true
order by d.due_at, d.id`;

/** Asked far more often than something is due, and far cheaper than taking it. */
export async function isSomethingDue({ pool }: Database<Tables>, now: Date): Promise<boolean> {
  const text = "select 1 from messages where status = 'scheduled' and due_at <= $1 limit 1";
  return (await pool.query({ name: 'is a message due', text, values: [now] })).rowCount === 1;
}

export async function takeDue(tx: Transaction<Tables>, now: Date, limit: number): Promise<DueMessage[]> {
  return (await tx.executeQuery<DueMessage>(CompiledQuery.raw(TAKE, [now, limit]))).rows;
}

/** What of a message may change, with the attempt that the change belongs to: a worker that lost its claim changes nothing. */
export type MessageChange = Pick<
  MessageRow,
  | 'status'
  | 'channel'
  | 'due_at'
  | 'held_for'
  | 'held_until'
  | 'attempts'
  | 'in_doubt'
  | 'claimed_at'
  | 'address'
  | 'subject'
  | 'body'
  | 'segments'
  | 'carrier'
  | 'by_own_account'
  | 'carrier_id'
  | 'error_code'
  | 'error_message'
  | 'accepted_at'
  | 'settled_at'
>;

const CHANGED = {
  status: 'text',
  channel: 'text',
  due_at: 'timestamptz',
  held_for: 'text',
  held_until: 'timestamptz',
  attempts: 'smallint',
  in_doubt: 'boolean',
  claimed_at: 'timestamptz',
  address: 'text',
  subject: 'text',
  body: 'text',
  segments: 'smallint',
  carrier: 'text',
  by_own_account: 'boolean',
  carrier_id: 'text',
  error_code: 'text',
  error_message: 'text',
  accepted_at: 'timestamptz',
  settled_at: 'timestamptz',
} as const satisfies Record<keyof MessageChange, string>;

const CHANGE = `
update messages m set ${Object.keys(CHANGED)
  .map((name) => `${name} = c.${name}`)
  .join(', ')}
from json_to_recordset($1::json) as c(organization_id text, id text, was_status text, was_attempts smallint,
  ${Object.entries(CHANGED)
    .map(([name, type]) => `${name} ${type}`)
    .join(', ')})
where m.organization_id = c.organization_id and m.id = c.id and m.status = c.was_status and m.attempts = c.was_attempts`;

/** Words of templates and carriers as the database takes them: no half of a pair, which a filter can leave, and no NUL. */
const writable = (_name: string, value: unknown): unknown =>
  typeof value === 'string' ? value.toWellFormed().replaceAll('\0', '\ufffd') : value;

/** False when one of them was changed by somebody else in between. */
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
  const { numAffectedRows } = await tx.executeQuery(CompiledQuery.raw(CHANGE, [JSON.stringify(rows, writable)]));
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
  /** Only where it is known, and stays. */
  readonly address?: string;
};

const INSERT = `
insert into messages
  (organization_id, environment, id, intro_id, audience, purpose, channel, round, status, address, due_at, created_at)
select organization_id, environment, id, intro_id, audience, purpose, channel, round, 'scheduled', address, due_at, created_at
from json_to_recordset($1::json) as m(organization_id text, environment text, id text, intro_id text, audience text,
  purpose text, channel text, round smallint, address text, due_at timestamptz, created_at timestamptz)
on conflict do nothing`;

/** One that is there already for this step and channel stays as it is. */
export async function insertMessages(tx: Transaction<Tables>, messages: readonly NewMessage[]): Promise<void> {
  if (messages.length > 0) await tx.executeQuery(CompiledQuery.raw(INSERT, [JSON.stringify(messages)]));
}

/** Of workers that died with messages in hand. Whether the carrier has them is to be found out. */
export async function takeOverAbandoned(db: Queryable<Tables>, now: Date, before: Date): Promise<number> {
  const { numUpdatedRows } = await db
    .updateTable('messages')
    .set({ status: 'scheduled', in_doubt: true, due_at: now })
    .where(sql<boolean>`status = 'sending'`)
    .where('claimed_at', '<', before)
    .executeTakeFirst();
  return Number(numUpdatedRows);
}

/** Under which the carrier has the other messages of the same intro: some say the same, with the same link. */
export async function carrierIdsOfOthers(db: Queryable<Tables>, row: MessageRow): Promise<ReadonlySet<string>> {
  const others = await db
    .selectFrom('messages')
    .select('carrier_id')
    .where('organization_id', '=', row.organization_id)
    .where('environment', '=', row.environment)
    .where('intro_id', '=', row.intro_id)
    .where('id', '<>', row.id)
    .where('carrier_id', 'is not', null)
    .$narrowType<{ carrier_id: string }>()
    .execute();
  return new Set(others.map(({ carrier_id }) => carrier_id));
}

/** For a person who looks: as many as a screen or two can show. */
const LISTED = 100;

export function listMessages(db: Queryable<Tables>, tenant: Tenant, introId?: string): Promise<MessageRow[]> {
  let query = db
    .selectFrom('messages')
    .selectAll()
    .where('organization_id', '=', tenant.organizationId)
    .where('environment', '=', tenant.environment)
    .orderBy('id', 'desc')
    .limit(LISTED);
  if (introId !== undefined) query = query.where('intro_id', '=', introId);
  return query.execute();
}

export async function lockMessage(tx: Transaction<Tables>, tenant: Tenant, id: string): Promise<MessageRow | null> {
  const row = await tx
    .selectFrom('messages')
    .selectAll()
    .where('organization_id', '=', tenant.organizationId)
    .where('environment', '=', tenant.environment)
    .where('id', '=', id)
    .forUpdate()
    .executeTakeFirst();
  return row ?? null;
}

export async function secondsOverdue({ pool }: Database<Tables>, now: Date): Promise<number> {
  const { rows } = await pool.query<{ oldest: Date | null }>(
    "select min(due_at) as oldest from messages where status = 'scheduled'",
  );
  const oldest = rows[0]?.oldest ?? null;
  return oldest === null ? 0 : Math.max(0, (now.getTime() - oldest.getTime()) / 1000);
}
