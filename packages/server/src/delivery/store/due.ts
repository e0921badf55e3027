import type { Language, Responsibility } from '@foreword/contract';
import { sql, type Transaction } from 'kysely';
import type { Database, Queryable } from '../../platform/db.ts';
import { namedQuery } from '../../platform/named-statement.ts';
import type { IntroStatus, Tables, Tenant } from '../../tables.ts';
import { acrossTenants } from '../../tenancy.ts';
import type { MessageRow } from './messages.ts';
import { type FlagColumns, REACHED_RECIPIENT } from './numbers.ts';

/** A due message, with everything that decides whether it is sent and what it says. */
export interface DueMessage extends MessageRow, FlagColumns {
  readonly intro_status: IntroStatus;
  readonly link_generation: number;
  readonly link_host: string | null;
  /** The member declined the intro. */
  readonly is_declined: boolean;
  readonly touchpoint_slug: string | null;
  readonly member_id: string;
  readonly recipient_first_name: string;
  readonly recipient_last_name: string | null;
  readonly recipient_phone: string;
  readonly recipient_language: Language;
  readonly context: {
    readonly appointment: { readonly starts_at: string; readonly timezone: string } | null;
    readonly trade: string | null;
    readonly lane: string | null;
  } | null;
  readonly intro_created_at: Date;
  readonly expires_at: Date | null;
  readonly taken_down_at: Date | null;
  readonly sent_at: Date | null;
  readonly opened_at: Date | null;
  readonly delivery_error_code: string | null;
  readonly member_first_name: string;
  readonly member_last_name: string;
  readonly member_email: string;
  readonly member_phone: string | null;
  readonly member_active: boolean;
  /** Emails to this address bounce. */
  readonly member_email_bounces: boolean;
  /** The member withdrew the consent to the use of their likeness. */
  readonly is_likeness_withdrawn: boolean;
  readonly notify_by: 'text' | 'email' | 'both';
  readonly organization_name: string;
  readonly timezone: string;
  /** The organization's. */
  readonly language: Language;
  readonly accent: string | null;
  readonly text_message: string | null;
  readonly text_message_es: string | null;
  readonly reminds: boolean | null;
  readonly texts_from: number | null;
  readonly texts_until: number | null;
  readonly twilio_account: Buffer | null;
  readonly countries: string[] | null;
  readonly texts_test_recordings: boolean | null;
  /** Whether the video comes from the test helper. */
  readonly is_test_recording: boolean;
  readonly is_opted_out: boolean;
  /** Read only for messages to the member. */
  readonly recipient_opted_out: boolean;
  /** When the number was asked whether to stop texts; null once it answered. */
  readonly asked_at: Date | null;
  /** When another message of the same touchpoint was sent to this number. */
  readonly last_text_at: Date | null;
  /** When that message is next processed, as long as its outcome is unknown. */
  readonly last_text_pending_until: Date | null;
  readonly is_known_number: boolean;
  readonly is_take_processing: boolean;
  /** The reply that the message is about; null for other messages. */
  readonly reply_label: string | null;
  readonly reply_message: string | null;
  readonly reply_by_text: boolean | null;
  /** The member's answer; null for other messages. */
  readonly answer_message: string | null;
  readonly forwards_replies: boolean | null;
  readonly responsibility: Responsibility;
}

/** All of them: the compiler reports one that is missing. */
const MESSAGE_COLUMNS = Object.keys({
  organization_id: true,
  environment: true,
  id: true,
  intro_id: true,
  audience: true,
  purpose: true,
  channel: true,
  round: true,
  status: true,
  due_at: true,
  held_for: true,
  held_until: true,
  attempts: true,
  in_doubt: true,
  claimed_at: true,
  address: true,
  subject: true,
  body: true,
  segments: true,
  carrier: true,
  by_own_account: true,
  unsent_attempts: true,
  uses_fallback: true,
  carrier_id: true,
  error_code: true,
  error_message: true,
  created_at: true,
  accepted_at: true,
  settled_at: true,
  account: true,
  held_attempts: true,
  resends: true,
} satisfies Record<keyof MessageRow, true>);

// `skip locked` lets several workers take messages at once. `offset 0` keeps the planner from turning the lookups into joins
// that would scan whole tables.
const CONTEXT = `
select ${MESSAGE_COLUMNS.map((name) => `d.${name}`).join(', ')}, i.status as intro_status, i.link_generation, i.link_host,
  coalesce(i.declined_generation = i.link_generation, false) as is_declined, i.touchpoint_slug, i.member_id, i.recipient_first_name, i.recipient_last_name, i.recipient_phone,
  i.recipient_language, i.context, i.responsibility, i.created_at as intro_created_at, i.expires_at, i.taken_down_at,
  i.sent_at, i.opened_at, i.delivery_error_code,
  m.first_name as member_first_name, m.last_name as member_last_name, m.email as member_email, m.phone as member_phone,
  m.active as member_active, m.notify_by, coalesce(m.bounced_email = lower(m.email), false) as member_email_bounces,
  m.likeness_withdrawn_at is not null or i.likeness_withdrawn_at is not null as is_likeness_withdrawn,
  o.name as organization_name, o.timezone, o.language, o.accent, t.text_message, t.text_message_es, t.reminds,
  s.texts_from, s.texts_until, s.twilio_account, s.countries, s.texts_test_recordings, s.forwards_replies,
  coalesce(video.simulated, false) as is_test_recording,
  x.phone is not null as is_opted_out, recipient.phone is not null as recipient_opted_out, asked.asked_at, last.texted_at as last_text_at, last.pending_until as last_text_pending_until,
  flagged.failure as flagged_as, flagged.flagged_at, known.id is not null as is_known_number, r.id is not null as is_take_processing,
  reply.label as reply_label, reply.message as reply_message, reply.by_text as reply_by_text,
  answer.message as answer_message
from due d
cross join lateral (select * from intros where organization_id = d.organization_id and id = d.intro_id offset 0) i
cross join lateral (select * from members where organization_id = i.organization_id and id = i.member_id offset 0) m
cross join lateral (select * from organizations where id = d.organization_id offset 0) o
cross join lateral (select case d.audience when 'member' then m.phone else i.recipient_phone end as phone) number
left join lateral (
  select text_message, text_message_es, reminds from touchpoints
  where slug = i.touchpoint_slug and organization_id = d.organization_id and environment = d.environment offset 0
) t on true
left join lateral (
  select * from delivery_settings where organization_id = d.organization_id and environment = d.environment offset 0
) s on true
left join lateral (
  select simulated from recordings
  where d.audience = 'recipient' and organization_id = d.organization_id and id = i.recording_id offset 0
) video on true
left join lateral (
  select phone from opt_outs
  where organization_id = d.organization_id and environment = d.environment and phone = number.phone offset 0
) x on true
left join lateral (
  select phone from opt_outs
  where d.audience = 'member' and i.responsibility = 'service' and organization_id = d.organization_id
    and environment = d.environment and phone = i.recipient_phone offset 0
) recipient on true
left join lateral (
  select case kind when 'asked' then created_at end as asked_at from consents
  where organization_id = d.organization_id and environment = d.environment and phone = number.phone
  order by id desc limit 1
) asked on true
left join lateral (
  select failure, flagged_at from flagged_numbers
  where d.audience = 'recipient' and organization_id = d.organization_id and environment = d.environment and phone = number.phone
  offset 0
) flagged on true
left join lateral (
  select n.texted_at, pending.due_at as pending_until
  from texted_numbers n
  left join lateral (
    select due_at from messages
    where organization_id = n.organization_id and id = n.message_id and status in ('scheduled', 'sending') offset 0
  ) pending on true
  where n.organization_id = d.organization_id and n.environment = d.environment and n.phone = number.phone
    and n.touchpoint = i.touchpoint_slug and d.audience = 'recipient' and n.message_id <> d.id offset 0
) last on true
left join lateral (
  select id from messages
  where organization_id = d.organization_id and environment = d.environment and address = number.phone and ${REACHED_RECIPIENT} limit 1
) known on true
left join lateral (
  select id from recordings
  where d.audience = 'member' and organization_id = d.organization_id and intro_id = d.intro_id
    and status in ('uploaded', 'processing') limit 1
) r on true
left join lateral (
  select label, message, by_text from intro_replies
  where d.purpose = 'reply' and organization_id = d.organization_id and intro_id = d.intro_id and number = d.round offset 0
) reply on true
left join lateral (
  select message from intro_answers
  where d.purpose = 'answer' and organization_id = d.organization_id and intro_id = d.intro_id and number = d.round offset 0
) answer on true
order by d.due_at, d.id`;

// Reads only the rows that it takes, however many are due.
const TAKE = {
  name: 'take due messages',
  text: `
with due as materialized (
  select d.* from unnest($2::text[], $3::text[], $4::int[]) as t(organization_id, environment, share)
  cross join lateral (
    select * from messages
    where organization_id = t.organization_id and environment = t.environment and status = 'scheduled' and due_at <= $1
    order by due_at limit t.share for update skip locked
  ) d
)
${CONTEXT}`,
};

/** How many messages of an organization a claim takes. */
export interface Turn {
  readonly tenant: Tenant;
  readonly share: number;
}

/** Locks due messages until the transaction ends, each organization's oldest first. */
export async function takeDue(tx: Transaction<Tables>, now: Date, turns: readonly Turn[]): Promise<DueMessage[]> {
  const values = [
    now,
    turns.map(({ tenant }) => tenant.organizationId),
    turns.map(({ tenant }) => tenant.environment),
    turns.map(({ share }) => share),
  ];
  return (await tx.executeQuery<DueMessage>(namedQuery(TAKE, values))).rows;
}

// Jumps from organization to organization in the index. Those with a test clock are left out: their time is another one.
const LIST_WAITING = {
  name: 'list organizations with scheduled messages',
  text: `
with recursive waiting as (
  (
    select organization_id, environment, due_at from messages where status = 'scheduled'
    order by organization_id, environment, due_at limit 1
  )
  union all
  select next.* from waiting w cross join lateral (
    select organization_id, environment, due_at from messages
    where status = 'scheduled' and (organization_id, environment) > (w.organization_id, w.environment)
    order by organization_id, environment, due_at limit 1
  ) next
)
select organization_id, environment, due_at from waiting w
where not exists (
  select from test_clocks c where c.organization_id = w.organization_id and c.environment = w.environment offset 0
)
order by due_at`,
};

/** An organization, and when its first message is due. */
export interface Waiting {
  readonly tenant: Tenant;
  readonly dueAt: Date;
}

/** The organizations with scheduled messages, the one with the oldest first. */
export async function listWaiting({ pool }: Database<Tables>): Promise<Waiting[]> {
  const { rows } = await pool.query<Pick<MessageRow, 'organization_id' | 'environment' | 'due_at'>>(LIST_WAITING);
  return rows.map(({ organization_id: organizationId, environment, due_at: dueAt }) => ({
    tenant: { organizationId, environment },
    dueAt,
  }));
}

/** Requeues messages of workers that died. The carrier may already have them, so they are in doubt. */
export async function requeueAbandoned(db: Queryable<Tables>, now: Date, afterMs: number): Promise<number> {
  const { numUpdatedRows } = await acrossTenants(db)
    .updateTable('messages')
    .set({ status: 'scheduled', in_doubt: true, due_at: now })
    .where(sql<boolean>`status = 'sending'`)
    .where('claimed_at', '<', sql<Date>`clock_timestamp() - ${afterMs} * interval '1 ms'`)
    .executeTakeFirst();
  return Number(numUpdatedRows);
}

/** How long the oldest scheduled message is overdue; 0 if none is. */
export async function secondsOverdue(db: Database<Tables>, now: Date): Promise<number> {
  const [oldest] = await listWaiting(db);
  return oldest === undefined ? 0 : Math.max(0, (now.getTime() - oldest.dueAt.getTime()) / 1000);
}
