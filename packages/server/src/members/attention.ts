import type { Database } from '../platform/db.ts';
import type { MemberRow, Tables, Tenant } from '../tables.ts';

type Names = Pick<MemberRow, 'id' | 'first_name' | 'last_name'>;

const NEVER_RECORDED = `
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
order by m.id limit $4`;

/** Active members from before that time who were asked, and have recorded nothing yet. */
export async function listNeverRecorded(
  { pool }: Database<Tables>,
  tenant: Tenant,
  { createdBefore, limit }: { createdBefore: Date; limit: number },
): Promise<readonly Names[]> {
  const values = [tenant.organizationId, tenant.environment, createdBefore, limit];
  return (await pool.query<Names>({ name: 'list never recorded', text: NEVER_RECORDED, values })).rows;
}

const SHARED_EMAILS = `
select lower(email) as email, count(*)::int as amount from members
where organization_id = $1 and environment = $2 and active
group by lower(email) having count(*) > 1 order by 1 limit $3`;

/** Addresses by which no single active member can be named. */
export async function listSharedEmails(
  { pool }: Database<Tables>,
  tenant: Tenant,
  limit: number,
): Promise<readonly { readonly email: string; readonly amount: number }[]> {
  const values = [tenant.organizationId, tenant.environment, limit];
  return (
    await pool.query<{ email: string; amount: number }>({ name: 'list shared emails', text: SHARED_EMAILS, values })
  ).rows;
}

/** Of one organization; ids that are not its own are left out. */
export async function listNames(
  { pool }: Database<Tables>,
  tenant: Tenant,
  ids: readonly string[],
): Promise<readonly (Names & Pick<MemberRow, 'active'>)[]> {
  const text = `select m.id, m.first_name, m.last_name, m.active from unnest($3::text[]) asked(id)
    join members m on m.organization_id = $1 and m.environment = $2 and m.id = asked.id`;
  const values = [tenant.organizationId, tenant.environment, ids];
  return (await pool.query<Names & Pick<MemberRow, 'active'>>({ name: 'list names', text, values })).rows;
}

/** No more than `most` are counted. */
export async function countActive({ pool }: Database<Tables>, tenant: Tenant, most: number): Promise<number> {
  const { rows } = await pool.query(
    'select 1 from members where organization_id = $1 and environment = $2 and active limit $3',
    [tenant.organizationId, tenant.environment, most],
  );
  return rows.length;
}
