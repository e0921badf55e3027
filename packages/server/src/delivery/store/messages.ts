/** Folder: the SQL of messages, opt-outs, limits and holds. */

import { type Selectable, sql, type Transaction } from 'kysely';
import { MESSAGES_DUE } from '../../intros/index.ts';
import type { Database, Queryable } from '../../platform/db.ts';
import { newId } from '../../platform/ids.ts';
import { namedQuery } from '../../platform/named-statement.ts';
import type {
  ConsentTable,
  IntroAnswerRow,
  IntroDeclineRow,
  IntroReassignmentRow,
  IntroReplyRow,
  IntroTable,
  MessageTable,
  RecordingTable,
  Tables,
  Tenant,
} from '../../tables.ts';
import { forTenant } from '../../tenancy.ts';

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
