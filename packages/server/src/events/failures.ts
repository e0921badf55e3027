import type { Database } from '../platform/db.ts';
import { idBound } from '../platform/ids.ts';
import type { Tables, Tenant } from '../tables.ts';

export interface FailingTouchpoint {
  readonly slug: string;
  readonly name: string;
  readonly amount: number;
  readonly last_event_id: string;
  readonly last_code: string;
}

const FAILING = `
select t.slug, t.name, f.amount, f.last_event_id, coalesce(f.last_code, 'processing_failed') as last_code
from (
  select touchpoint_id, count(*)::int as amount, max(id) as last_event_id,
    (array_agg(error_code order by id desc))[1] as last_code
  from touchpoint_events
  where organization_id = $1 and environment = $2 and id >= $3 and status = 'failed'
  group by touchpoint_id
) f
join touchpoints t on t.organization_id = $1 and t.id = f.touchpoint_id
order by f.last_event_id desc limit $4`;

/** Touchpoints whose events have failed since, the latest first. */
export async function listFailingTouchpoints(
  { pool }: Database<Tables>,
  tenant: Tenant,
  { since, limit }: { since: Date; limit: number },
): Promise<readonly FailingTouchpoint[]> {
  const values = [tenant.organizationId, tenant.environment, idBound('evt', since), limit];
  return (await pool.query<FailingTouchpoint>({ name: 'list failing touchpoints', text: FAILING, values })).rows;
}

export async function hasEvents({ pool }: Database<Tables>, tenant: Tenant): Promise<boolean> {
  const { rows } = await pool.query(
    'select 1 from touchpoint_events where organization_id = $1 and environment = $2 limit 1',
    [tenant.organizationId, tenant.environment],
  );
  return rows.length > 0;
}
