import { type CreateTouchpointEvent, iso } from '@foreword/contract';
import type pg from 'pg';
import { isUniqueViolation } from '../../../db/pools.ts';
import { planned } from '../../../db/statements.ts';
import { FIND_BOUND_KEY, type Keyed } from '../../../http/idempotency/index.ts';
import { RESOLVE_MEMBER, toSelector } from '../../../members/index.ts';

export interface IncomingEvent extends Keyed<CreateTouchpointEvent> {
  readonly id: string;
  readonly createdAt: Date;
  /** As it is stored. */
  readonly request: string;
}

/** The result for one event of the batch. */
export interface AcceptanceResult {
  readonly created: boolean;
  readonly bound_fingerprint: Buffer | null;
  readonly bound_id: string | null;
  readonly bound_at: Date | null;
  readonly touchpoint_context: string | null;
  readonly members: number;
}

/** Finds the touchpoint `t` and the members `m` for the row `i`. */
export const RESOLVE = `
  left join lateral (
    select id, context, name from touchpoints
    where slug = i.slug and organization_id = i.organization_id and environment = i.environment and active offset 0
  ) t on true
  ${RESOLVE_MEMBER}`;

// Finds bound keys, resolves touchpoints and members, binds the other keys and inserts their events. Returns one row per
// input, in order. A valid row that was not created lost its key to a concurrent request or to an earlier row of the batch.
// Keys are bound in sorted order, so that two batches with common keys cannot deadlock.
//
// `offset 0` in a lateral subquery forces one lookup by key per row. A plain join would be planned while the tables are empty,
// as a scan of whole tables, and the connection would keep that plan.
const accepting = (onConflict: string) =>
  planned(`
with input as (
  select * from rows from (unnest($1::text[], $2::text[], $3::bytea[], $4::bytea[], $5::text[], $6::text[], $7::text[],
    $8::text[], $9::text[], $10::boolean[], $11::timestamptz[]), json_array_elements($12::json)) with ordinality
    as i(organization_id, environment, key_hash, fingerprint, id, slug, member_id, member_external_id, member_email,
      has_appointment, created_at, request, n)
), resolved as (
  select i.*, k.fingerprint as bound_fingerprint, k.object_id as bound_id, e.created_at as bound_at,
    t.id as touchpoint_id, t.context as touchpoint_context, t.name as touchpoint_name, m.ids as member_ids,
    coalesce(cardinality(m.ids), 0) as members
  from input i
  ${FIND_BOUND_KEY}
  left join lateral (
    select created_at from touchpoint_events where organization_id = i.organization_id and id = k.object_id offset 0
  ) e on true
  ${RESOLVE}
), valid as (
  select * from resolved
  where bound_fingerprint is null and members = 1
    and touchpoint_id is not null and (has_appointment or touchpoint_context <> 'appointment')
), bound as (
  insert into idempotency_keys (organization_id, environment, key_hash, fingerprint, object_id)
  select organization_id, environment, key_hash, fingerprint, id from valid
  order by organization_id, environment, key_hash
  ${onConflict}
  returning object_id
), written as (
  insert into touchpoint_events
    (organization_id, environment, id, status, touchpoint_id, touchpoint_name, member_id, request, created_at)
  select organization_id, environment, id, 'accepted', touchpoint_id, touchpoint_name, member_ids[1], request,
    created_at
  from valid
  where id in (select object_id from bound)
)
select id in (select object_id from bound) as created, bound_fingerprint, bound_id, bound_at, touchpoint_context, members
from resolved order by n`);

const ACCEPT = accepting('');
// `on conflict` searches the index once more and writes a second record for each key.
const ACCEPT_WITH_CONFLICTS = accepting('on conflict do nothing');

export async function acceptEvents(pool: pg.Pool, batch: IncomingEvent[]): Promise<AcceptanceResult[]> {
  const members = batch.map(({ body }) => toSelector(body.member));
  const values = [
    batch.map(({ tenant }) => tenant.organizationId),
    batch.map(({ tenant }) => tenant.environment),
    batch.map(({ key }) => key),
    batch.map(({ fingerprint }) => fingerprint),
    batch.map(({ id }) => id),
    batch.map(({ body }) => body.touchpoint),
    members.map(({ id }) => id),
    members.map(({ externalId }) => externalId),
    members.map(({ email }) => email),
    batch.map(({ body }) => body.context?.appointment !== undefined),
    batch.map(({ createdAt }) => iso(createdAt)),
    // Joined as JSON: in a text array, every quotation mark would have to be escaped and parsed again.
    `[${batch.map(({ request }) => request).join()}]`,
  ];
  const accept = async (statement: string) => (await pool.query<AcceptanceResult>(statement, values)).rows;
  // Only concurrent requests with the same key conflict.
  const rows = await accept(ACCEPT).catch((error: unknown) => {
    if (!isUniqueViolation(error)) throw error;
    return accept(ACCEPT_WITH_CONFLICTS);
  });
  if (rows.length !== batch.length) throw new Error(`accepting ${batch.length} events returned ${rows.length} rows`);
  return rows;
}
