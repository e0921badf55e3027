import { type Selectable, sql } from 'kysely';
import type { Hours } from '../../platform/daily-hours.ts';
import type { Queryable } from '../../platform/db.ts';
import type { DeliverySettingsTable, Tables, Tenant } from '../../tables.ts';
import { acrossTenants, forTenant } from '../../tenancy.ts';
import { DEFAULT_HOURS } from '../queue/rules.ts';

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

export type TextSettings = Pick<Selectable<DeliverySettingsTable>, (typeof TEXT_SETTINGS)[number]>;

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
