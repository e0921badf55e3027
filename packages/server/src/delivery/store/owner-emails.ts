import { sql } from 'kysely';
import { acrossTenants, type Db, forTenant, type Row, type Tenant, type Tx } from '../../db/tenancy.ts';
import type { SummaryFigures } from '../wording/weekly-summary.ts';

export type OwnerEmailRow = Row<'owner_emails'>;

export type Recipient = Pick<Row<'members'>, 'id' | 'first_name' | 'email'>;

const selectActive = (db: Db, tenant: Tenant, roles: readonly Row<'members'>['role'][]) =>
  forTenant(db, tenant)
    .selectFrom('members')
    .select(['id', 'first_name', 'email'])
    .where('role', 'in', roles)
    .where('active', '=', true)
    .orderBy('id');

export const listOwners = (db: Db, tenant: Tenant): Promise<Recipient[]> =>
  selectActive(db, tenant, ['owner']).execute();

/** Owners and managers, without one member. */
export const listManagersExcept = (db: Db, tenant: Tenant, memberId: string): Promise<Recipient[]> =>
  selectActive(db, tenant, ['owner', 'manager']).where('id', '<>', memberId).execute();

/** Owners who have not turned the weekly summary off. */
const selectSummaryOwners = (db: Db, tenant: Tenant) =>
  selectActive(db, tenant, ['owner']).where('weekly_summary_off_at', 'is', null);

export const listSummaryOwners = (db: Db, tenant: Tenant): Promise<Recipient[]> =>
  selectSummaryOwners(db, tenant).execute();

export const findSummaryOwner = async (db: Db, tenant: Tenant, id: string): Promise<Recipient | null> =>
  (await selectSummaryOwners(db, tenant).where('id', '=', id).executeTakeFirst()) ?? null;

export async function insertOwnerEmails(
  tx: Tx,
  tenant: Tenant,
  emails: readonly (Pick<OwnerEmailRow, 'id' | 'purpose' | 'address' | 'subject' | 'body'> &
    Partial<Pick<OwnerEmailRow, 'member_id' | 'week'>>)[],
  now: Date,
): Promise<void> {
  if (emails.length === 0) return;
  const owned = { organization_id: tenant.organizationId, environment: tenant.environment };
  const values = emails.map((email) => ({ ...owned, ...email, status: 'scheduled' as const, created_at: now }));
  await forTenant(tx, tenant).insertInto('owner_emails').values(values).execute();
}

/** An update of the email, unless it is settled. */
const unsettled = (db: Db, tenant: Tenant, id: string) =>
  forTenant(db, tenant).updateTable('owner_emails').where('id', '=', id).where('status', '=', 'scheduled');

/** Counts an attempt. Undefined if the email is settled, or was handed over by an attempt that did not report back. */
export const startAttempt = (db: Db, tenant: Tenant, id: string): Promise<OwnerEmailRow | undefined> =>
  unsettled(db, tenant, id)
    .set((row) => ({ attempts: row('attempts', '+', 1) }))
    .where('handed_over_at', 'is', null)
    .returningAll()
    .executeTakeFirst();

/** Also if it was withdrawn meanwhile: the recipient has it. */
export async function recordAcceptance(
  db: Db,
  { organization_id: organizationId, environment, id }: OwnerEmailRow,
  accepted: Pick<OwnerEmailRow, 'carrier' | 'settled_at'>,
): Promise<void> {
  await forTenant(db, { organizationId, environment })
    .updateTable('owner_emails')
    .set({ status: 'accepted', error_message: null, ...accepted })
    .where('id', '=', id)
    .execute();
}

/** Records why an attempt failed, unless the email is settled or another attempt has started. `settled_at` null: it is retried. */
export async function recordFailure(
  db: Db,
  { organization_id: organizationId, environment, id, attempts }: OwnerEmailRow,
  failure: Pick<OwnerEmailRow, 'carrier' | 'error_message' | 'settled_at'>,
): Promise<void> {
  await unsettled(db, { organizationId, environment }, id)
    .set({ status: failure.settled_at === null ? 'scheduled' : 'failed', ...failure })
    .where('attempts', '=', attempts)
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

const MAX_LISTED = 50;

/** Newest first. */
export const listOwnerEmails = (db: Db, tenant: Tenant): Promise<OwnerEmailRow[]> =>
  forTenant(db, tenant).selectFrom('owner_emails').selectAll().orderBy('id', 'desc').limit(MAX_LISTED).execute();

/** A time zone with the week whose summary is due in it. */
export interface DueZone {
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
  const { organizationId: organization_id, environment } = tenant;
  const figures = summary.figures === null ? null : JSON.stringify(summary.figures);
  const { numInsertedOrUpdatedRows } = await forTenant(tx, tenant)
    .insertInto('weekly_summaries')
    .values({ organization_id, environment, week: summary.week, figures, created_at: now })
    .onConflict((on) => on.columns(['organization_id', 'environment', 'week']).doNothing())
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
