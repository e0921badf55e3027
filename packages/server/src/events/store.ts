import type { CreateTouchpointEvent } from '@foreword/contract';
import type pg from 'pg';
import { FIND_BOUND_KEY } from '../idempotency/index.ts';
import { RESOLVE_MEMBER } from '../members/index.ts';
import type { Queryable } from '../platform/db.ts';
import type { Tables, Tenant } from '../tables.ts';
import type { EventInContext } from './decision.ts';

export interface Acceptance {
  readonly tenant: Tenant;
  readonly key: string;
  readonly fingerprint: Buffer;
  readonly id: string;
  readonly slug: string;
  readonly member: { readonly id: string | null; readonly externalId: string | null; readonly email: string | null };
  readonly hasAppointment: boolean;
  readonly request: string;
}

export interface Verdict {
  readonly created: boolean;
  readonly bound_fingerprint: Buffer | null;
  readonly bound_id: string | null;
  readonly bound_at: Date | null;
  readonly touchpoint_context: string | null;
  readonly members: number;
}

/** What an event is matched to: a touchpoint `t` and members `m` of the row `i`. */
const RESOLVE = `
  left join lateral (
    select id, context from touchpoints
    where slug = i.slug and organization_id = i.organization_id and environment = i.environment and active offset 0
  ) t on true
  ${RESOLVE_MEMBER}`;

/**
 * Accepts a batch in one statement: finds the keys that are bound already, resolves touchpoint and member of the others,
 * binds their keys and writes their events. Every input row comes back with what was found, in order; a row that is sound but
 * was not created lost its key to a request in between.
 *
 * - A key is bound in the same statement that writes its event, and only then: a refused request leaves nothing.
 * - Keys are taken in one order by everybody, so that two batches that share some cannot wait for each other.
 * - Two rows with one key in a batch: the second runs into the first ("do nothing") and comes back as not created.
 *
 * Here and below each look-up is a lateral subquery behind `offset 0`, which leaves one way to do it: by key, row for row. A
 * plain join gets another plan while the tables are empty, which walks whole tables, and the connection keeps that plan.
 */
const ACCEPT = {
  name: 'accept events',
  text: `
with input as (
  select * from rows from (unnest($1::text[], $2::text[], $3::text[], $4::bytea[], $5::text[], $6::text[], $7::text[],
    $8::text[], $9::text[], $10::boolean[]), json_array_elements($11::json)) with ordinality
    as i(organization_id, environment, key, fingerprint, id, slug, member_id, member_external_id, member_email,
      has_appointment, request, n)
), judged as (
  select i.*, k.fingerprint as bound_fingerprint, k.object_id as bound_id, e.created_at as bound_at,
    t.id as touchpoint_id, t.context as touchpoint_context, m.ids as member_ids, coalesce(cardinality(m.ids), 0) as members
  from input i
  ${FIND_BOUND_KEY}
  left join lateral (
    select created_at from touchpoint_events where organization_id = i.organization_id and id = k.object_id offset 0
  ) e on true
  ${RESOLVE}
), sound as (
  select * from judged
  where bound_fingerprint is null and members = 1
    and touchpoint_id is not null and (has_appointment or touchpoint_context <> 'appointment')
), bound as (
  insert into idempotency_keys (organization_id, environment, key, fingerprint, object_id)
  select organization_id, environment, key, fingerprint, id from sound
  order by organization_id, environment, key
  on conflict do nothing
  returning object_id
), written as (
  insert into touchpoint_events (organization_id, environment, id, status, touchpoint_id, member_id, request, created_at)
  select organization_id, environment, id, 'accepted', touchpoint_id, member_ids[1], request, $12::timestamptz from sound
  where id in (select object_id from bound)
)
select id in (select object_id from bound) as created, bound_fingerprint, bound_id, bound_at, touchpoint_context, members
from judged order by n`,
};

export async function acceptEvents(pool: pg.Pool, batch: Acceptance[], now: Date): Promise<Verdict[]> {
  const { rows } = await pool.query<Verdict>({
    ...ACCEPT,
    values: [
      batch.map(({ tenant }) => tenant.organizationId),
      batch.map(({ tenant }) => tenant.environment),
      batch.map(({ key }) => key),
      batch.map(({ fingerprint }) => fingerprint),
      batch.map(({ id }) => id),
      batch.map(({ slug }) => slug),
      batch.map(({ member }) => member.id),
      batch.map(({ member }) => member.externalId),
      batch.map(({ member }) => member.email),
      batch.map(({ hasAppointment }) => hasAppointment),
      // JSON already: as texts of an array, each quotation mark in them would have to be escaped, and read again.
      `[${batch.map(({ request }) => request).join()}]`,
      now,
    ],
  });
  if (rows.length !== batch.length) throw new Error(`${batch.length} events asked, ${rows.length} answered`);
  return rows;
}

const RESOLVE_ONE = `
select t.id as touchpoint_id, t.context as touchpoint_context, m.ids as member_ids,
  coalesce(cardinality(m.ids), 0) as members
from (
  select $1::text as organization_id, $2::text as environment, $3::text as slug, $4::text as member_id,
    $5::text as member_external_id, $6::text as member_email
) i
${RESOLVE}`;

export interface Resolved {
  readonly touchpoint_id: string | null;
  readonly touchpoint_context: string | null;
  readonly member_ids: string[] | null;
  readonly members: number;
}

/** What an event would be matched to, as accepting does it. */
export async function resolveEvent(
  pool: pg.Pool,
  { organizationId, environment }: Tenant,
  { slug, member }: Pick<Acceptance, 'slug' | 'member'>,
): Promise<Resolved> {
  const values = [organizationId, environment, slug, member.id, member.externalId, member.email];
  const [found] = (await pool.query<Resolved>({ name: 'resolve an event', text: RESOLVE_ONE, values })).rows;
  if (found === undefined) throw new Error('an event was not resolved');
  return found;
}

/** Everything that decides what becomes of the rows `taken`. */
const IN_CONTEXT = `
select e.organization_id, e.environment, e.id, e.request,
  t.slug as touchpoint_slug, t.active as touchpoint_active, t.page_title, t.script, t.delivery, t.days_to_record,
  m.id as member_id, m.active as member_active, m.first_name as member_first_name, m.last_name as member_last_name,
  o.name as organization_name, x.phone is not null as recipient_opted_out
from taken e
cross join lateral (
  select slug, active, page_title, script, delivery, days_to_record from touchpoints
  where organization_id = e.organization_id and id = e.touchpoint_id offset 0
) t
cross join lateral (
  select id, active, first_name, last_name from members
  where organization_id = e.organization_id and id = e.member_id offset 0
) m
cross join lateral (select name from organizations where id = e.organization_id offset 0) o
left join lateral (
  select phone from opt_outs
  where organization_id = e.organization_id and environment = e.environment and phone = e.request -> 'recipient' ->> 'phone'
  offset 0
) x on true`;

/**
 * Locks those that still wait (their migration says why not by status). One that another worker holds is left to it.
 */
const TAKE = {
  name: 'take events',
  text: `
with taken as materialized (
  select e.* from unnest($1::text[], $2::text[]) as i(organization_id, id)
  cross join lateral (
    select organization_id, environment, id, request, touchpoint_id, member_id from touchpoint_events
    where organization_id = i.organization_id and id = i.id and settled_at is null
    for update skip locked
  ) e
)
${IN_CONTEXT}`,
};

export type EventKey = readonly [organizationId: string, id: string];

export async function takeAccepted(client: pg.ClientBase, keys: readonly EventKey[]): Promise<EventInContext[]> {
  const { rows } = await client.query<EventInContext>({
    ...TAKE,
    values: [keys.map(([organizationId]) => organizationId), keys.map(([, id]) => id)],
  });
  return rows;
}

const IMAGINE = {
  name: 'imagine an event',
  text: `
with taken as materialized (
  select $1::text as organization_id, $2::text as environment, ''::text as id, $3::json as request,
    $4::text as touchpoint_id, $5::text as member_id
)
${IN_CONTEXT}`,
};

/** An event that is nowhere, as it would be decided now. */
export async function imagineEvent(
  pool: pg.Pool,
  { organizationId, environment }: Tenant,
  event: { readonly request: string; readonly touchpointId: string; readonly memberId: string },
): Promise<EventInContext | null> {
  const values = [organizationId, environment, event.request, event.touchpointId, event.memberId];
  return (await pool.query<EventInContext>({ ...IMAGINE, values })).rows[0] ?? null;
}

export interface Outcome {
  readonly organization_id: string;
  readonly id: string;
  readonly intro_id: string | null;
  readonly error_code: string | null;
  readonly error_message: string | null;
}

const SETTLE = {
  name: 'settle events',
  text: `
with found as materialized (
  select o.*, e.place
  from json_to_recordset($1::json)
    as o(organization_id text, id text, intro_id text, error_code text, error_message text)
  cross join lateral (
    select ctid as place from touchpoint_events
    where organization_id = o.organization_id and id = o.id and settled_at is null
    for update
  ) e
)
update touchpoint_events e
set status = case when f.error_code is null then 'processed' else 'failed' end,
  intro_id = f.intro_id, error_code = f.error_code, error_message = f.error_message, settled_at = $2
from found f where e.ctid = f.place`,
};

export async function settleEvents(client: pg.ClientBase, outcomes: Outcome[], now: Date): Promise<void> {
  const { rowCount } = await client.query({ ...SETTLE, values: [JSON.stringify(outcomes), now] });
  if (rowCount !== outcomes.length) throw new Error(`${outcomes.length} events to settle, ${rowCount} settled`);
}

const FIND_WAITING = {
  name: 'find waiting events',
  text: "select organization_id, id from touchpoint_events where status = 'accepted' order by created_at limit $1",
};

/** The oldest first. Another worker may have some of them in hand. */
export async function findWaiting(pool: pg.Pool, limit: number): Promise<EventKey[]> {
  const { rows } = await pool.query<{ organization_id: string; id: string }>({ ...FIND_WAITING, values: [limit] });
  return rows.map((row) => [row.organization_id, row.id]);
}

export async function countWaiting(pool: pg.Pool): Promise<number> {
  const { rows } = await pool.query<{ n: number }>(
    "select count(*)::int as n from touchpoint_events where status = 'accepted'",
  );
  return rows[0]?.n ?? 0;
}

export async function oldestAcceptedAgeS(pool: pg.Pool, now: Date): Promise<number> {
  const { rows } = await pool.query<{ oldest: Date | null }>(
    "select min(created_at) as oldest from touchpoint_events where status = 'accepted'",
  );
  const oldest = rows[0]?.oldest ?? null;
  return oldest === null ? 0 : Math.max(0, (now.getTime() - oldest.getTime()) / 1000);
}

export async function findEvent(db: Queryable<Tables>, tenant: Tenant, id: string) {
  const row = await db
    .selectFrom('touchpoint_events as e')
    .innerJoin('touchpoints as t', (on) =>
      on.onRef('t.organization_id', '=', 'e.organization_id').onRef('t.id', '=', 'e.touchpoint_id'),
    )
    .innerJoin('members as m', (on) =>
      on.onRef('m.organization_id', '=', 'e.organization_id').onRef('m.id', '=', 'e.member_id'),
    )
    .select(['e.id', 'e.status', 'e.environment', 'e.created_at', 'e.intro_id', 'e.error_code', 'e.error_message'])
    .select(['t.slug as touchpoint_slug', 't.name as touchpoint_name', 'm.external_id as member_external_id'])
    .select((eb) => ['e.member_id', eb.ref('e.request').$castTo<CreateTouchpointEvent>().as('request')])
    .where('e.organization_id', '=', tenant.organizationId)
    .where('e.environment', '=', tenant.environment)
    .where('e.id', '=', id)
    .executeTakeFirst();
  return row ?? null;
}

export type EventWithMatch = NonNullable<Awaited<ReturnType<typeof findEvent>>>;
