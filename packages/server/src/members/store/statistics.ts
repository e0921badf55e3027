import { sql } from 'kysely';
import { planned } from '../../db/statements.ts';
import { type Database, type Db, forTenant, queryForTenant, type Row, type Tenant } from '../../db/tenancy.ts';

type Names = Pick<Row<'members'>, 'id' | 'first_name' | 'last_name'>;

const NEVER_RECORDED = planned(`
select m.id, m.first_name, m.last_name from members m
where m.organization_id = $1 and m.environment = $2 and m.active and m.created_at < $3
  and exists (
    select from intros i
    where i.organization_id = m.organization_id and i.member_id = m.id and i.environment = m.environment
      and i.status <> 'cancelled'
  )
  and not exists (
    select from intros i
    where i.organization_id = m.organization_id and i.member_id = m.id and i.environment = m.environment
      and i.recorded_at is not null
  )
order by m.id limit $4`);

/** Active members created before that time who have intros but have never recorded one. */
export async function listNeverRecorded(
  { pool }: Database,
  tenant: Tenant,
  { createdBefore, limit }: { createdBefore: Date; limit: number },
): Promise<readonly Names[]> {
  return (await queryForTenant<Names>(pool, tenant, NEVER_RECORDED, [createdBefore, limit])).rows;
}

const SHARED_EMAILS = planned(`
select lower(email) as email, count(*)::int as amount from members
where organization_id = $1 and environment = $2 and active
group by lower(email) having count(*) > 1 order by 1 limit $3`);

/** Emails that belong to several active members, so an integration cannot select a member by them. */
export async function listSharedEmails(
  { pool }: Database,
  tenant: Tenant,
  limit: number,
): Promise<readonly { readonly email: string; readonly amount: number }[]> {
  return (await queryForTenant<{ email: string; amount: number }>(pool, tenant, SHARED_EMAILS, [limit])).rows;
}

/** The number of active members who share their email with another one. */
export async function countSharedEmails(db: Db, tenant: Tenant): Promise<number> {
  const shared = forTenant(db, tenant)
    .selectFrom('members')
    .select(sql<number>`count(*)::int`.as('n'))
    .where('active', '=', true)
    .groupBy(sql`lower(email)`)
    .having(sql<boolean>`count(*) > 1`);
  const { n } = await db
    .selectFrom(shared.as('shared'))
    .select(sql<number>`coalesce(sum(shared.n), 0)::int`.as('n'))
    .executeTakeFirstOrThrow();
  return n;
}

const NAMES = planned(`select m.id, m.first_name, m.last_name, m.active from unnest($3::text[]) requested(id)
    join members m on m.organization_id = $1 and m.environment = $2 and m.id = requested.id`);

/** Skips ids that are not members of this organization. */
export async function listNames(
  { pool }: Database,
  tenant: Tenant,
  ids: readonly string[],
): Promise<readonly (Names & Pick<Row<'members'>, 'active'>)[]> {
  return (await queryForTenant<Names & Pick<Row<'members'>, 'active'>>(pool, tenant, NAMES, [ids])).rows;
}

/** Stops counting at `max`. */
export async function countActive({ pool }: Database, tenant: Tenant, max: number): Promise<number> {
  const text = 'select 1 from members where organization_id = $1 and environment = $2 and active limit $3';
  return (await queryForTenant(pool, tenant, text, [max])).rows.length;
}

export type Pace = Pick<Row<'members'>, 'id' | 'first_name' | 'last_name' | 'words_per_minute'>;

const active = (db: Db, tenant: Tenant) => forTenant(db, tenant).selectFrom('members').where('active', '=', true);

/** Active members, slowest readers first; at the same pace, the longest names first. */
export function listSlowest(
  db: Db,
  tenant: Tenant,
  { usualPace, limit }: { usualPace: number; limit: number },
): Promise<Pace[]> {
  return active(db, tenant)
    .select(['id', 'first_name', 'last_name', 'words_per_minute'])
    .orderBy(sql`coalesce(words_per_minute, ${usualPace})`)
    .orderBy(sql`length(first_name || last_name)`, 'desc')
    .orderBy('id')
    .limit(limit)
    .execute();
}

/** The active member whose name has the most words, then the most characters. */
export async function findLongestName(db: Db, tenant: Tenant): Promise<Pick<Pace, 'first_name' | 'last_name'> | null> {
  const row = await active(db, tenant)
    .select(['first_name', 'last_name'])
    .orderBy(sql`array_length(regexp_split_to_array(btrim(first_name || ' ' || last_name), '\\s+'), 1)`, 'desc')
    .orderBy(sql`length(first_name || last_name)`, 'desc')
    .limit(1)
    .executeTakeFirst();
  return row ?? null;
}
