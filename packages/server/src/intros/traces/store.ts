import { DAY_MS, HOUR_MS } from '@foreword/contract';
import type pg from 'pg';
import { planned } from '../../db/statements.ts';
import { acrossTenants, type Db, keyColumns, type ObjectOfTenant } from '../../db/tenancy.ts';
import type { SpanContext } from '../../platform/tracing.ts';

const REMEMBER = planned(`
insert into traces (organization_id, environment, object_id, trace_id, span_id)
select * from unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[])
on conflict do nothing`);

/** An object keeps its first trace. */
export async function insertTraces(
  client: Pick<pg.ClientBase, 'query'>,
  objects: readonly (ObjectOfTenant & { readonly span: SpanContext })[],
): Promise<void> {
  await client.query(REMEMBER, [
    ...keyColumns(objects),
    objects.map(({ span }) => span.traceId),
    objects.map(({ span }) => span.spanId),
  ]);
}

const FIND = planned(`
select t.object_id as id, t.trace_id as "traceId", t.span_id as "spanId"
from unnest($1::text[], $2::text[], $3::text[]) as i(organization_id, environment, object_id)
join traces t using (organization_id, environment, object_id)`);

export async function readTraces(
  client: Pick<pg.ClientBase, 'query'>,
  keys: readonly ObjectOfTenant[],
): Promise<Map<string, SpanContext>> {
  const { rows } = await client.query<SpanContext & { id: string }>(FIND, keyColumns(keys));
  return new Map(rows.map(({ id, ...span }) => [id, span]));
}

export const TRACES_INTERVAL_MS = HOUR_MS;
/** Longer than most intros are open, and than traces are kept by the services that show them. */
const REMEMBERED_MS = 30 * DAY_MS;

export async function deleteOldTraces(db: Db, now: Date): Promise<void> {
  await acrossTenants(db)
    .deleteFrom('traces')
    .where('created_at', '<', new Date(now.getTime() - REMEMBERED_MS))
    .execute();
}
