import { sql, type Transaction } from 'kysely';
import { acrossTenants, forTenant, type Row, type Tables, type Tenant } from '../../db/tenancy.ts';
import type { Hours } from '../../platform/daily-hours.ts';
import type { Queryable } from '../../platform/db.ts';
import { namedQuery } from '../../platform/named-statement.ts';
import { HISTORY_DAYS, type LimitSettings, type PauseReason } from '../limits/rules.ts';
import { DEFAULT_HOURS } from '../queue/rules.ts';
import { notifyMessagesDue } from './queue.ts';

/** The organization's own Twilio account, encrypted; null if it uses the account of the service. */
export async function readAccount(db: Queryable<Tables>, tenant: Tenant): Promise<Buffer | null> {
  const row = await forTenant(db, tenant).selectFrom('delivery_settings').select('twilio_account').executeTakeFirst();
  return row?.twilio_account ?? null;
}

/** When recipients of this organization may be texted, in their local time. */
export async function readHours(db: Queryable<Tables>, tenant: Tenant): Promise<Hours> {
  const row = await forTenant(db, tenant)
    .selectFrom('delivery_settings')
    .select(['texts_from as from', 'texts_until as until'])
    .executeTakeFirst();
  return row ?? DEFAULT_HOURS;
}

export interface OwnAccount {
  readonly organizationId: string;
  readonly name: string;
  readonly sealed: Buffer;
}

/** Lists the Twilio accounts of all organizations, for `foreword doctor`. */
export async function listAccounts(db: Queryable<Tables>): Promise<readonly OwnAccount[]> {
  return acrossTenants(db)
    .selectFrom('delivery_settings as s')
    .innerJoin('organizations as o', 'o.id', 's.organization_id')
    .select(['o.id as organizationId', 'o.name', 's.twilio_account as sealed'])
    .where('s.twilio_account', 'is not', null)
    .orderBy('o.id')
    .$narrowType<{ sealed: Buffer }>()
    .execute();
}

export interface SettingsChange {
  readonly hours?: Hours | undefined;
  /** Null: use the account of the service again. */
  readonly account?: Buffer | null | undefined;
  readonly texts?: Partial<Omit<TextSettings, 'texts_paused_at' | 'texts_paused_for'>>;
}

export interface Settings {
  readonly hours: Hours;
  readonly hasOwnAccount: boolean;
}

/** Keeps settings that the change omits. */
export async function changeSettings(
  db: Queryable<Tables>,
  tenant: Tenant,
  { hours, account, texts }: SettingsChange,
  now: Date,
): Promise<Settings> {
  const change = {
    ...(hours !== undefined && { texts_from: hours.from, texts_until: hours.until }),
    ...(account !== undefined && { twilio_account: account }),
    ...texts,
    updated_at: now,
  };
  const row = await forTenant(db, tenant)
    .insertInto('delivery_settings')
    .values({
      organization_id: tenant.organizationId,
      environment: tenant.environment,
      texts_from: DEFAULT_HOURS.from,
      texts_until: DEFAULT_HOURS.until,
      ...change,
    })
    .onConflict((on) => on.columns(['organization_id', 'environment']).doUpdateSet(change))
    .returning(['texts_from', 'texts_until', sql<boolean>`twilio_account is not null`.as('has_account')])
    .executeTakeFirstOrThrow();
  return { hours: { from: row.texts_from, until: row.texts_until }, hasOwnAccount: row.has_account };
}

const TEXT_SETTINGS = [
  ...(['countries', 'texts_test_recordings', 'daily_texts', 'daily_texts_per_member'] as const),
  ...(['daily_texts_per_recipient', 'texts_paused_at', 'texts_paused_for'] as const),
  'forwards_replies',
] as const;

export type TextSettings = Pick<Row<'delivery_settings'>, (typeof TEXT_SETTINGS)[number]>;

const DEFAULT_TEXT_SETTINGS: TextSettings = {
  countries: null,
  texts_test_recordings: false,
  daily_texts: null,
  daily_texts_per_member: null,
  daily_texts_per_recipient: null,
  texts_paused_at: null,
  texts_paused_for: null,
  forwards_replies: false,
};

/** Where and how much this organization texts. */
export async function readTextSettings(db: Queryable<Tables>, tenant: Tenant): Promise<TextSettings> {
  const row = await forTenant(db, tenant).selectFrom('delivery_settings').select(TEXT_SETTINGS).executeTakeFirst();
  return row ?? DEFAULT_TEXT_SETTINGS;
}

export interface CountKey {
  readonly organization_id: string;
  readonly environment: 'test';
  /** '' for the whole organization, a member's id, or a recipient's number. */
  readonly subject: string;
  readonly day: string;
}

/** The texts of one subject on one day. */
export interface TextCount extends CountKey {
  readonly sent: number;
  readonly failed: number;
  readonly notified: boolean;
}

const COLUMNS = 'organization_id, environment, subject, day';

// Ordered, so that two nodes that count texts of the same subjects cannot deadlock.
const LOCK = {
  name: 'lock text counts',
  text: `
insert into text_counts as t (${COLUMNS})
select ${COLUMNS} from json_to_recordset($1::json) as c(organization_id text, environment text, subject text, day date)
order by organization_id, environment, subject, day
on conflict (organization_id, environment, subject, day) do update set sent = t.sent
returning organization_id, environment, subject, day::text, sent, failed, notified`,
};

/** Locks the counts until the transaction ends, so that no other node exceeds a limit meanwhile. */
export async function lockCounts(tx: Transaction<Tables>, keys: readonly CountKey[]): Promise<TextCount[]> {
  return (await tx.executeQuery<TextCount>(namedQuery(LOCK, [JSON.stringify(keys)]))).rows;
}

const SAVE = {
  name: 'save text counts',
  text: `
update text_counts t set sent = c.sent, notified = c.notified
from json_to_recordset($1::json) as c(organization_id text, environment text, subject text, day date, sent integer, notified boolean)
where t.organization_id = c.organization_id and t.environment = c.environment and t.subject = c.subject and t.day = c.day`,
};

export async function saveCounts(tx: Transaction<Tables>, counts: readonly TextCount[]): Promise<void> {
  await tx.executeQuery(namedQuery(SAVE, [JSON.stringify(counts)]));
}

export interface Limits extends LimitSettings {
  readonly texts_paused_at: Date | null;
  readonly texts_paused_for: PauseReason | null;
  readonly texts_resumed_at: Date | null;
  /** Texts of the busiest of the days before. */
  readonly busiest_day: number;
}

/** The limits of an organization in their current state, even if another node changed them a moment ago. */
export async function readLimits(db: Queryable<Tables>, tenant: Tenant, today: string): Promise<Limits> {
  const { organizationId, environment } = tenant;
  const { rows } = await sql<Limits>`
    select s.daily_texts, s.daily_texts_per_member, s.daily_texts_per_recipient, s.texts_paused_at, s.texts_paused_for,
      s.texts_resumed_at, coalesce((
        select max(sent) from text_counts
        where organization_id = o.id and environment = ${environment} and subject = ''
          and day < ${today}::date and day >= ${today}::date - ${sql.lit(HISTORY_DAYS)}
      ), 0) as busiest_day
    from organizations o
    left join delivery_settings s on s.organization_id = o.id and s.environment = ${environment}
    where o.id = ${organizationId}`.execute(db);
  const [limits] = rows;
  if (limits === undefined) throw new Error('the organization no longer exists');
  return limits;
}

/** False if the texts are already paused. */
export async function pauseTexts(
  tx: Transaction<Tables>,
  { organizationId, environment }: Tenant,
  reason: PauseReason,
  now: Date,
): Promise<boolean> {
  const paused = { texts_paused_at: now, texts_paused_for: reason, updated_at: now };
  const { numInsertedOrUpdatedRows } = await forTenant(tx, { organizationId, environment })
    .insertInto('delivery_settings')
    .values({ organization_id: organizationId, environment, ...paused })
    .onConflict((on) =>
      on
        .columns(['organization_id', 'environment'])
        .doUpdateSet(paused)
        .where('delivery_settings.texts_paused_at', 'is', null),
    )
    .executeTakeFirstOrThrow();
  return numInsertedOrUpdatedRows === 1n;
}

/** Makes the held texts due. False if the texts are not paused. */
export async function resumeTexts(tx: Transaction<Tables>, tenant: Tenant, now: Date): Promise<boolean> {
  const own = forTenant(tx, tenant);
  const { numUpdatedRows } = await own
    .updateTable('delivery_settings')
    .set({ texts_paused_at: null, texts_paused_for: null, texts_resumed_at: now, updated_at: now })
    .where('texts_paused_at', 'is not', null)
    .executeTakeFirst();
  if (numUpdatedRows === 0n) return false;
  await own
    .updateTable('message_queue')
    .set({ due_at: now })
    .where('claimed_at', 'is', null)
    .where('held_for', '=', 'texts_paused')
    .execute();
  await notifyMessagesDue(tx);
  return true;
}

/** Counts a text that did not arrive. Null if no text was counted on that day. */
export async function countFailure(
  tx: Transaction<Tables>,
  { organizationId, environment }: Tenant,
  now: Date,
): Promise<TextCount | null> {
  const { rows } = await sql<TextCount>`
    update text_counts t set failed = t.failed + 1
    from organizations o
    where o.id = t.organization_id and t.organization_id = ${organizationId} and t.environment = ${environment}
      and t.subject = '' and t.day = (${now}::timestamptz at time zone o.timezone)::date
    returning t.organization_id, t.environment, t.subject, t.day::text, t.sent, t.failed, t.notified`.execute(tx);
  return rows[0] ?? null;
}

/** The counts of one day, the largest first: of the organization, of members and of recipients. */
export const listCounts = (db: Queryable<Tables>, tenant: Tenant, day: string, limit: number) =>
  forTenant(db, tenant)
    .selectFrom('text_counts')
    .select(['subject', 'sent'])
    .where('day', '=', day)
    .orderBy('sent', 'desc')
    .limit(limit)
    .execute();

export const COUNTS_INTERVAL_MS = 3_600_000;

/** Deletes counts that no longer limit anything. */
export async function deleteOldCounts(db: Queryable<Tables>, now: Date): Promise<void> {
  // Time zones differ by up to a day.
  await acrossTenants(db)
    .deleteFrom('text_counts')
    .where(
      sql<boolean>`day < (${now}::timestamptz at time zone 'UTC')::date - case subject when '' then ${sql.lit(HISTORY_DAYS + 2)} else 2 end`,
    )
    .execute();
}
