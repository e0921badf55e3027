import { HOUR_MS } from '@foreword/contract';
import { CompiledQuery, sql } from 'kysely';
import { inputRows, planned } from '../../db/statements.ts';
import {
  acrossTenants,
  columnsOf,
  type Db,
  forTenant,
  type Row,
  type Tenant,
  type Tx,
  tenantOf,
} from '../../db/tenancy.ts';
import type { NumberFault } from '../carriers/codes.ts';
import { DEFAULT_HOURS, HISTORY_DAYS, type PauseReason, TEXT_GAP_MS } from '../queue/rules.ts';
import { type MessageRow, notifyMessagesDue } from './queue.ts';

type SettingsRow = Row<'delivery_settings'>;

/** When recipients are texted, with which account, and where and how much. */
export type DeliverySettings = Omit<SettingsRow, 'organization_id' | 'environment' | 'updated_at'>;

const DEFAULTS: DeliverySettings = {
  texts_from: DEFAULT_HOURS.from,
  texts_until: DEFAULT_HOURS.until,
  twilio_account: null,
  countries: null,
  texts_test_recordings: false,
  daily_texts: null,
  daily_texts_per_member: null,
  daily_texts_per_recipient: null,
  texts_paused_at: null,
  texts_paused_for: null,
  texts_resumed_at: null,
  forwards_replies: false,
};

export async function readSettings(db: Db, tenant: Tenant): Promise<DeliverySettings> {
  const row = await forTenant(db, tenant).selectFrom('delivery_settings').selectAll().executeTakeFirst();
  return row ?? DEFAULTS;
}

/** The organization's own Twilio account, encrypted; null if it uses the account of the service. */
export const readAccount = async (db: Db, tenant: Tenant): Promise<Buffer | null> =>
  (await readSettings(db, tenant)).twilio_account;

export interface OwnAccount {
  readonly organizationId: string;
  readonly name: string;
  readonly sealed: Buffer;
}

/** Lists the Twilio accounts of all organizations, for `foreword doctor`. */
export async function listAccounts(db: Db): Promise<readonly OwnAccount[]> {
  return acrossTenants(db)
    .selectFrom('delivery_settings as s')
    .innerJoin('organizations as o', 'o.id', 's.organization_id')
    .select(['o.id as organizationId', 'o.name', 's.twilio_account as sealed'])
    .where('s.twilio_account', 'is not', null)
    .orderBy('o.id')
    .$narrowType<{ sealed: Buffer }>()
    .execute();
}

/** Keeps settings that the change omits. */
export async function changeSettings(
  db: Db,
  tenant: Tenant,
  change: Partial<DeliverySettings>,
  now: Date,
): Promise<void> {
  const changed = { ...change, updated_at: now };
  await forTenant(db, tenant)
    .insertInto('delivery_settings')
    .values({ ...columnsOf(tenant), ...changed })
    .onConflict((on) => on.columns(['organization_id', 'environment']).doUpdateSet(changed))
    .execute();
}

/** False if the texts are already paused. */
export async function pauseTexts(tx: Tx, tenant: Tenant, reason: PauseReason, now: Date): Promise<boolean> {
  const paused = { texts_paused_at: now, texts_paused_for: reason, updated_at: now };
  const { numInsertedOrUpdatedRows } = await forTenant(tx, tenant)
    .insertInto('delivery_settings')
    .values({ ...columnsOf(tenant), ...paused })
    .onConflict((on) =>
      on
        .columns(['organization_id', 'environment'])
        .doUpdateSet(paused)
        .where('delivery_settings.texts_paused_at', 'is', null),
    )
    .executeTakeFirstOrThrow();
  return numInsertedOrUpdatedRows === 1n;
}

/** False if the texts are not paused. */
export async function endPause(tx: Tx, tenant: Tenant, now: Date): Promise<boolean> {
  const { numUpdatedRows } = await forTenant(tx, tenant)
    .updateTable('delivery_settings')
    .set({ texts_paused_at: null, texts_paused_for: null, texts_resumed_at: now, updated_at: now })
    .where('texts_paused_at', 'is not', null)
    .executeTakeFirst();
  return numUpdatedRows === 1n;
}

/** Makes texts that wait for this reason due: they may be sent now. */
export async function wakeTexts(
  tx: Tx,
  tenant: Tenant,
  heldFor: 'texts_paused' | 'carrier_account',
  now: Date,
): Promise<void> {
  await forTenant(tx, tenant)
    .updateTable('message_queue')
    .set({ due_at: now })
    .where('claimed_at', 'is', null)
    .where('held_for', '=', heldFor)
    .execute();
  await notifyMessagesDue(tx);
}

const LIMITS = [
  ...(['countries', 'texts_test_recordings', 'forwards_replies', 'daily_texts', 'daily_texts_per_member'] as const),
  ...(['daily_texts_per_recipient', 'texts_paused_at', 'texts_paused_for', 'texts_resumed_at'] as const),
];

/** Null if none are stored. */
export type StoredSettings = { readonly [Name in keyof SettingsRow]: SettingsRow[Name] | null };

export interface Limits extends Pick<StoredSettings, (typeof LIMITS)[number]> {
  /** The texts of the busiest of the days before. */
  readonly busiest_day: number;
}

const READ_LIMITS = planned(`
select ${LIMITS.join(', ')}, coalesce((
    select max(sent) from text_counts
    where organization_id = k.organization_id and environment = k.environment and subject = ''
      and day < k.day and day >= k.day - ${HISTORY_DAYS}
  ), 0) as busiest_day
from unnest($1::text[], $2::text[], $3::date[]) with ordinality as k(organization_id, environment, day, n)
left join lateral (
  select ${LIMITS.join(', ')} from delivery_settings
  where organization_id = k.organization_id and environment = k.environment offset 0
) s on true
order by k.n`);

/** An organization on one of its days. */
export interface DayOfTenant {
  readonly tenant: Tenant;
  readonly day: string;
}

/** The limits of each organization in their current state, even if another node changed them a moment ago. */
export async function readLimits(db: Db, days: readonly DayOfTenant[]): Promise<Limits[]> {
  const values = [
    days.map(({ tenant }) => tenant.organizationId),
    days.map(({ tenant }) => tenant.environment),
    days.map(({ day }) => day),
  ];
  return (await db.executeQuery<Limits>(CompiledQuery.raw(READ_LIMITS, values))).rows;
}

/** The texts of one subject on one day: '' for the whole organization, a member's id, or a recipient's number. */
export type TextCount = Row<'text_counts'>;
export type CountKey = Pick<TextCount, 'organization_id' | 'environment' | 'subject' | 'day'>;

const KEY = 'organization_id, environment, subject, day';

const KEY_TYPES = { organization_id: 'text', environment: 'text', subject: 'text', day: 'date' };
const KEYS = inputRows('c', KEY_TYPES);
// Ordered, so that two nodes that count texts of the same subjects cannot deadlock.
const LOCK = planned(`
insert into text_counts as t (${KEY})
select ${KEY} from ${KEYS.text}
order by ${KEY}
on conflict (${KEY}) do update set sent = t.sent
returning organization_id, environment, subject, day::text, sent, failed, notified`);

/** Locks the counts until the transaction ends, so that no other node exceeds a limit meanwhile. */
export async function lockCounts(tx: Tx, keys: readonly CountKey[]): Promise<TextCount[]> {
  return (await tx.executeQuery<TextCount>(CompiledQuery.raw(LOCK, KEYS.values(keys)))).rows;
}

const COUNTS = inputRows('c', { ...KEY_TYPES, sent: 'integer', notified: 'boolean' });
const SAVE = planned(`
update text_counts t set sent = c.sent, notified = c.notified
from ${COUNTS.text}
where t.organization_id = c.organization_id and t.environment = c.environment and t.subject = c.subject and t.day = c.day`);

export async function saveCounts(tx: Tx, counts: readonly TextCount[]): Promise<void> {
  await tx.executeQuery(CompiledQuery.raw(SAVE, COUNTS.values(counts)));
}

/** Counts a text that did not arrive. Null if no text was counted on that day. */
export async function countFailure(tx: Tx, tenant: Tenant, now: Date): Promise<TextCount | null> {
  const { rows } = await sql<TextCount>`
    update text_counts t set failed = t.failed + 1
    from organizations o
    where o.id = t.organization_id and ${forTenant(tx, tenant).owns('t')}
      and t.subject = '' and t.day = (${now}::timestamptz at time zone o.timezone)::date
    returning t.organization_id, t.environment, t.subject, t.day::text, t.sent, t.failed, t.notified`.execute(tx);
  return rows[0] ?? null;
}

/** The counts of one day, the largest first: of the organization, of members and of recipients. */
export const listCounts = (db: Db, tenant: Tenant, day: string, limit: number) =>
  forTenant(db, tenant)
    .selectFrom('text_counts')
    .select(['subject', 'sent'])
    .where('day', '=', day)
    .orderBy('sent', 'desc')
    .limit(limit)
    .execute();

export const COUNTS_INTERVAL_MS = HOUR_MS;

/** Deletes counts that no longer limit anything. */
export async function deleteOldCounts(db: Db, now: Date): Promise<void> {
  // Time zones differ by up to a day.
  await acrossTenants(db)
    .deleteFrom('text_counts')
    .where(
      sql<boolean>`day < (${now}::timestamptz at time zone 'UTC')::date - case subject when '' then ${sql.lit(HISTORY_DAYS + 2)} else 2 end`,
    )
    .execute();
}

type NumberClaim = Omit<Row<'texted_numbers'>, 'texted_at'>;

const CLAIMS = inputRows(
  'c',
  { organization_id: 'text', environment: 'text', phone: 'text', touchpoint: 'text', message_id: 'text' },
  3,
);
// Ordered, so that two batches that share numbers cannot deadlock.
const CLAIM_NUMBERS = planned(`
insert into texted_numbers as t (organization_id, environment, phone, touchpoint, message_id, texted_at)
select organization_id, environment, phone, touchpoint, message_id, $1::timestamptz from ${CLAIMS.text}
order by organization_id, environment, phone, touchpoint
on conflict (organization_id, environment, phone, touchpoint)
do update set message_id = excluded.message_id, texted_at = excluded.texted_at
where t.touchpoint = '' or t.message_id = excluded.message_id or t.texted_at <= $2
returning message_id`);

/** Returns the messages that may be sent now; another message was sent to the number of the rest. */
export async function claimNumbers(tx: Tx, claims: readonly NumberClaim[], now: Date): Promise<Set<string>> {
  if (claims.length === 0) return new Set();
  const freeSince = new Date(now.getTime() - TEXT_GAP_MS);
  const values = [now, freeSince, ...CLAIMS.values(claims)];
  const { rows } = await tx.executeQuery<{ message_id: string }>(CompiledQuery.raw(CLAIM_NUMBERS, values));
  return new Set(rows.map(({ message_id }) => message_id));
}

/** A text that was not sent must not delay other texts to its number. */
export async function releaseNumber(tx: Tx, row: MessageRow): Promise<void> {
  if (row.address === null || row.channel !== 'text') return;
  await forTenant(tx, tenantOf(row))
    .deleteFrom('texted_numbers')
    .where('phone', '=', row.address)
    .where('message_id', '=', row.id)
    .execute();
}

export async function flagNumber(
  tx: Tx,
  tenant: Tenant,
  phone: string,
  failure: NumberFault,
  now: Date,
): Promise<void> {
  const flag = { failure, flagged_at: now };
  await forTenant(tx, tenant)
    .insertInto('flagged_numbers')
    .values({ ...columnsOf(tenant), phone, ...flag })
    .onConflict((on) => on.columns(['organization_id', 'environment', 'phone']).doUpdateSet(flag))
    .execute();
}

/** A text to the number arrived. */
export async function unflagNumber(tx: Tx, tenant: Tenant, phone: string): Promise<void> {
  await forTenant(tx, tenant).deleteFrom('flagged_numbers').where('phone', '=', phone).execute();
}

/** The number texted us: an organization's own number, or the one that organizations share (null). */
export async function unflagSender(
  tx: Tx,
  { from, organizationId }: { readonly from: string; readonly organizationId: string | null },
): Promise<void> {
  const flags = acrossTenants(tx).deleteFrom('flagged_numbers').where('phone', '=', from);
  await (organizationId === null ? flags : flags.where('organization_id', '=', organizationId)).execute();
}
