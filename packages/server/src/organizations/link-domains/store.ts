import { type SqlBool, sql, type Updateable } from 'kysely';
import {
  type AllRelations,
  acrossTenants,
  type Db,
  forTenant,
  type Row,
  type Tenant,
  tenantOf,
} from '../../db/tenancy.ts';
import { KNOWN_EVERYWHERE_MS, TOLERATED_FAILURE_MS } from './rules.ts';

const select = (db: Db, tenant: Tenant) => forTenant(db, tenant).selectFrom('link_domains').selectAll();

const secondsAgo = (ms: number) => sql<Date>`now() - make_interval(secs => ${ms / 1000})`;

/** The host of new links; null for that of PUBLIC_URL. Compares with the database's time, which all nodes share. */
export async function findCurrentHost(db: Db, tenant: Tenant): Promise<string | null> {
  const row = await select(db, tenant)
    .where('active_at', '<=', secondsAgo(KNOWN_EVERYWHERE_MS))
    .where((where) =>
      where.or([
        where('state', '=', 'active'),
        where.and([where('state', '=', 'failing'), where('failing_since', '>', secondsAgo(TOLERATED_FAILURE_MS))]),
      ]),
    )
    .orderBy('active_at', 'desc')
    .limit(1)
    .executeTakeFirst();
  return row?.host ?? null;
}

/** A removed domain is not found. */
export async function findDomain(db: Db, tenant: Tenant, id: string): Promise<Row<'link_domains'> | null> {
  return (await select(db, tenant).where('id', '=', id).where('state', '<>', 'removed').executeTakeFirst()) ?? null;
}

export function listDomains(
  db: Db,
  tenant: Tenant,
  page?: { readonly limit: number; readonly startingAfter: string | undefined },
): Promise<Row<'link_domains'>[]> {
  let query = select(db, tenant).where('state', '<>', 'removed').orderBy('id', 'desc');
  if (page !== undefined) query = query.limit(page.limit);
  if (page?.startingAfter !== undefined) query = query.where('id', '<', page.startingAfter);
  return query.execute();
}

export const listFailingDomains = (db: Db): Promise<Row<'link_domains'>[]> =>
  acrossTenants(db)
    .selectFrom('link_domains')
    .selectAll()
    .where('state', 'in', ['verified', 'failing'])
    .where('failure_code', 'is not', null)
    .orderBy('id')
    .execute();

/** A domain that was removed before gets the new id and challenge, and serves its earlier links meanwhile. */
export async function insertDomain(db: Db, row: Row<'link_domains'>): Promise<void> {
  const { id, challenge, state, created_at, check_at } = row;
  const reset = { active_at: null, failing_since: null, checked_at: null, failure_code: null, failure_message: null };
  await forTenant(db, tenantOf(row))
    .insertInto('link_domains')
    .values(row)
    .onConflict((on) =>
      on
        .columns(['organization_id', 'environment', 'host'])
        .doUpdateSet({ id, challenge, state, created_at, check_at, ...reset }),
    )
    .execute();
}

/** Changes nothing if the domain is no longer in this state. */
export async function updateDomain(
  db: Db,
  row: Row<'link_domains'>,
  change: Updateable<AllRelations['link_domains']>,
): Promise<void> {
  await forTenant(db, tenantOf(row))
    .updateTable('link_domains')
    .set(change)
    .where('id', '=', row.id)
    .where('state', '=', row.state)
    .execute();
}

/** Marks a claim as proven. Null if it is no longer pending, or the host belongs to another organization. */
export async function verifyDomain(db: Db, row: Row<'link_domains'>, now: Date): Promise<Row<'link_domains'> | null> {
  const { organization_id, id, host } = row;
  const isFree = sql<SqlBool>`not exists (
    select from link_domains o where o.host = ${host} and o.verified_at is not null and o.organization_id <> ${organization_id})`;
  const updated = await forTenant(db, tenantOf(row))
    .updateTable('link_domains')
    .set({ state: 'verified', verified_at: sql`coalesce(verified_at, ${now})`, checked_at: now, check_at: now })
    .set({ failure_code: null, failure_message: null })
    .where('id', '=', id)
    .where('state', '=', 'pending')
    .where(isFree)
    .returningAll()
    .executeTakeFirst();
  return updated ?? null;
}

/**
 * Deletes the domain of other organizations where it fails, or that removed it and have not proven it again, if this claim still
 * exists.
 */
export const deleteAbandoned = (db: Db, { host, organization_id, id }: Row<'link_domains'>) =>
  acrossTenants(db)
    .deleteFrom('link_domains')
    .where('host', '=', host)
    .where('organization_id', '<>', organization_id)
    .where('verified_at', 'is not', null)
    .where('state', 'in', ['failing', 'removed', 'pending'])
    .where(
      sql<SqlBool>`exists (select from link_domains o where o.organization_id = ${organization_id} and o.id = ${id} and o.state = 'pending')`,
    )
    .returning(['organization_id', 'environment', 'id'])
    .execute();

/** Requests a check as soon as the gap to the last one allows. */
export async function requestCheck(
  db: Db,
  tenant: Tenant,
  { id, at, earliestAfterMs }: { readonly id: string; readonly at: Date; readonly earliestAfterMs: number },
): Promise<Row<'link_domains'> | null> {
  const gap = sql`make_interval(secs => ${earliestAfterMs / 1000})`;
  const updated = await forTenant(db, tenant)
    .updateTable('link_domains')
    .set({ check_at: sql<Date>`greatest(${at}::timestamptz, checked_at + ${gap})` })
    .where('id', '=', id)
    .where('state', '<>', 'removed')
    .returningAll()
    .executeTakeFirst();
  return updated ?? null;
}

/** A proven domain keeps serving the links that were sent; a claim is deleted. False if it does not exist. */
export async function removeDomain(db: Db, tenant: Tenant, id: string): Promise<boolean> {
  const removed = await forTenant(db, tenant)
    .updateTable('link_domains')
    .set({ state: 'removed', check_at: null, failing_since: null, failure_code: null, failure_message: null })
    .where('id', '=', id)
    .where('state', '<>', 'removed')
    .returning('verified_at')
    .executeTakeFirst();
  if (removed === undefined) return false;
  if (removed.verified_at === null)
    await forTenant(db, tenant).deleteFrom('link_domains').where('id', '=', id).execute();
  return true;
}

/** Due domains, whose next check is postponed so that no other worker takes them. After a kill, that check is the next one. */
export async function claimDue(
  db: Db,
  { now, until, limit }: { readonly now: Date; readonly until: Date; readonly limit: number },
): Promise<Row<'link_domains'>[]> {
  const { rows } = await sql<Row<'link_domains'>>`
    update link_domains d set check_at = ${until}
    from (
      select organization_id, id from link_domains where check_at <= ${now} and state <> 'removed'
      order by check_at limit ${limit} for update skip locked
    ) due
    where d.organization_id = due.organization_id and d.id = due.id
    returning d.*`.execute(db);
  return rows;
}

export type ServedHost = Pick<Row<'link_domains'>, 'organization_id' | 'id' | 'host'>;

const selectServed = (db: Db) =>
  acrossTenants(db)
    .selectFrom('link_domains')
    .select(['organization_id', 'id', 'host'])
    .where('verified_at', 'is not', null);

/** Every host that serves pages, of all organizations: the host of a request determines the organization. */
export const listServedHosts = (db: Db): Promise<ServedHost[]> => selectServed(db).execute();

export async function findServedHost(db: Db, host: string): Promise<ServedHost | null> {
  return (await selectServed(db).where('host', '=', host).executeTakeFirst()) ?? null;
}
