import type { Colleague } from '@foreword/contract';
import { type Db, forTenant, type Tenant } from '../../db/tenancy.ts';

/** The list is searched in the browser, and a longer one is not an organization's team. */
const MAX_COLLEAGUES = 500;

/** The names of the other active members who may be recorded, sorted. */
export async function listColleagues(db: Db, tenant: Tenant, memberId: string): Promise<readonly Colleague[]> {
  const rows = await forTenant(db, tenant)
    .selectFrom('members')
    .select(['id', 'first_name', 'last_name'])
    .where('active', '=', true)
    .where('likeness_withdrawn_at', 'is', null)
    .where('id', '<>', memberId)
    .orderBy('first_name')
    .orderBy('last_name')
    .orderBy('id')
    .limit(MAX_COLLEAGUES)
    .execute();
  return rows.map(({ id, first_name, last_name }) => ({ id, name: `${first_name} ${last_name}` }));
}
