import type { CreateTouchpointEvent } from '@foreword/contract';
import type { Database, Queryable } from '../platform/db.ts';
import { idBound } from '../platform/ids.ts';
import type { Tables, Tenant } from '../tables.ts';
import { acrossTenants, forTenant, queryForTenant } from '../tenancy.ts';

export async function findEvent(db: Queryable<Tables>, tenant: Tenant, id: string) {
  const row = await forTenant(db, tenant)
    .selectFrom('touchpoint_events', 'e')
    .innerJoin('touchpoints as t', (on) =>
      on.onRef('t.organization_id', '=', 'e.organization_id').onRef('t.id', '=', 'e.touchpoint_id'),
    )
    .innerJoin('members as m', (on) =>
      on.onRef('m.organization_id', '=', 'e.organization_id').onRef('m.id', '=', 'e.member_id'),
    )
    .select(['e.id', 'e.status', 'e.environment', 'e.created_at', 'e.intro_id', 'e.error_code', 'e.error_message'])
    .select(['t.slug as touchpoint_slug', 't.name as touchpoint_name', 'm.external_id as member_external_id'])
    .select((eb) => ['e.member_id', eb.ref('e.request').$castTo<CreateTouchpointEvent>().as('request')])
    .where('e.id', '=', id)
    .executeTakeFirst();
  return row ?? null;
}

export type EventWithMatch = NonNullable<Awaited<ReturnType<typeof findEvent>>>;

/** For operator commands, which get no organization. Starts at organizations, because ids alone have no index. */
export async function findEventTenant(db: Queryable<Tables>, id: string): Promise<Tenant | null> {
  const found = await acrossTenants(db)
    .selectFrom('organizations as o')
    .innerJoin('touchpoint_events as e', 'e.organization_id', 'o.id')
    .select(['e.organization_id', 'e.environment'])
    .where('e.id', '=', id)
    .executeTakeFirst();
  return found === undefined ? null : { organizationId: found.organization_id, environment: found.environment };
}

/** Queues a failed event again. Returns false if it has not failed or is already queued. */
export async function moveToAccepted(db: Queryable<Tables>, tenant: Tenant, id: string): Promise<boolean> {
  const { numUpdatedRows } = await forTenant(db, tenant)
    .updateTable('touchpoint_events')
    .set({ status: 'accepted', settled_at: null, error_code: null, error_message: null })
    .where('id', '=', id)
    .where('status', '=', 'failed')
    .executeTakeFirst();
  return numUpdatedRows === 1n;
}

export interface FailingTouchpoint {
  readonly slug: string;
  readonly name: string;
  readonly amount: number;
  readonly last_event_id: string;
  readonly last_code: string;
}

const FAILING = {
  name: 'list failing touchpoints',
  text: `
select t.slug, t.name, f.amount, f.last_event_id, coalesce(f.last_code, 'processing_failed') as last_code
from (
  select touchpoint_id, count(*)::int as amount, max(id) as last_event_id,
    (array_agg(error_code order by id desc))[1] as last_code
  from touchpoint_events
  where organization_id = $1 and environment = $2 and id >= $3 and status = 'failed'
  group by touchpoint_id
) f
join touchpoints t on t.organization_id = $1 and t.id = f.touchpoint_id
order by f.last_event_id desc limit $4`,
};

/** Touchpoints with failed events since then, the most recent failure first. */
export async function listFailingTouchpoints(
  { pool }: Database<Tables>,
  tenant: Tenant,
  { since, limit }: { since: Date; limit: number },
): Promise<readonly FailingTouchpoint[]> {
  return (await queryForTenant<FailingTouchpoint>(pool, tenant, FAILING, [idBound('evt', since), limit])).rows;
}

export async function hasEvents({ pool }: Database<Tables>, tenant: Tenant): Promise<boolean> {
  const any = 'select 1 from touchpoint_events where organization_id = $1 and environment = $2 limit 1';
  return (await queryForTenant(pool, tenant, any)).rows.length > 0;
}
