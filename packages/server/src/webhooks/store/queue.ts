import { CompiledQuery, sql } from 'kysely';
import type pg from 'pg';
import { inputRows, planned } from '../../db/statements.ts';
import type { Database, Db, Row } from '../../db/tenancy.ts';

export interface EndpointKey {
  readonly organizationId: string;
  readonly endpointId: string;
}

// Jumps through the index from endpoint to endpoint: the cost depends on the number of endpoints, not on their backlogs.
const FIND_DUE = planned(`
with recursive waiting as (
  (select organization_id, endpoint_id, due_at from webhook_deliveries where due_at is not null
    order by organization_id, endpoint_id, due_at limit 1)
  union all
  select next.* from waiting w cross join lateral (
    select organization_id, endpoint_id, due_at from webhook_deliveries
    where due_at is not null and (organization_id, endpoint_id) > (w.organization_id, w.endpoint_id)
    order by organization_id, endpoint_id, due_at limit 1
  ) next
)
select organization_id as "organizationId", endpoint_id as "endpointId" from waiting where due_at <= $1`);

/** The endpoints with due deliveries, of all organizations. */
export async function findDueEndpoints(pool: pg.Pool, now: Date): Promise<EndpointKey[]> {
  return (await pool.query<EndpointKey>(FIND_DUE, [now])).rows;
}

/** A message to send to an endpoint, with the claim that allows settling it. */
export interface Delivery
  extends Omit<Row<'webhook_deliveries'>, 'status' | 'due_at' | 'created_at'>,
    Pick<Row<'webhook_messages'>, 'object_id' | 'type' | 'sealed_payload' | 'is_test'>,
    Pick<Row<'webhook_endpoints'>, 'secret' | 'previous_secret' | 'previous_secret_expires_at' | 'failing_since'> {
  /** Null if the endpoint was deleted. */
  readonly url: string | null;
  readonly active: boolean | null;
}

// A row's place is unique only within its table or partition, so both identify it.
// Claiming moves the due time to when this worker counts as dead, and raises the claim so that an earlier worker can no longer
// settle the delivery.
const CLAIM = planned(`
with due as materialized (
  select d.part, d.place from unnest($1::text[], $2::text[], $3::int[]) as w(organization_id, endpoint_id, slots)
  cross join lateral (
    select tableoid as part, ctid as place from webhook_deliveries
    where organization_id = w.organization_id and endpoint_id = w.endpoint_id and due_at <= $4
    order by due_at limit w.slots for update skip locked
  ) d
), claimed as (
  update webhook_deliveries d set claim = d.claim + 1, due_at = $5 from due where d.ctid = due.place and d.tableoid = due.part
  returning d.organization_id, d.environment, d.endpoint_id, d.message_id, d.claim, d.failures
)
select c.*, m.type, m.object_id, m.sealed_payload, m.is_test, e.url, e.active, e.secret, e.previous_secret, e.previous_secret_expires_at, e.failing_since
from claimed c
cross join lateral (
  select type, object_id, sealed_payload, is_test from webhook_messages where organization_id = c.organization_id and id = c.message_id offset 0
) m
left join lateral (
  select url, active, secret, previous_secret, previous_secret_expires_at, failing_since from webhook_endpoints
  where organization_id = c.organization_id and id = c.endpoint_id offset 0
) e on true
order by c.message_id`);

/** Claims due deliveries, for each endpoint at most as many as it has free slots. */
export async function claimDue(
  pool: pg.Pool,
  endpoints: readonly (EndpointKey & { slots: number })[],
  now: Date,
  until: Date,
): Promise<Delivery[]> {
  const { rows } = await pool.query<Delivery>(CLAIM, [
    endpoints.map(({ organizationId }) => organizationId),
    endpoints.map(({ endpointId }) => endpointId),
    endpoints.map(({ slots }) => slots),
    now,
    until,
  ]);
  return rows;
}

/** The outcome of a claimed delivery. */
export interface Settlement {
  readonly delivery: Pick<Delivery, 'organization_id' | 'message_id' | 'endpoint_id' | 'claim' | 'url'>;
  readonly outcome: 'delivered' | 'failed' | 'dropped' | 'released';
  readonly nextAt: Date | null;
  /** Null if the delivery was dropped or released. */
  readonly attempt: Row<'webhook_attempts'> | null;
}

const OUTCOMES = inputRows(
  'g',
  {
    ...{ organization_id: 'text', message_id: 'text', endpoint_id: 'text', claim: 'integer', url: 'text' },
    ...{ outcome: 'text', next_at: 'timestamptz' },
  },
  2,
);
const ATTEMPTS = inputRows(
  'a',
  {
    ...{
      organization_id: 'text',
      environment: 'text',
      endpoint_id: 'text',
      id: 'text',
      message_id: 'text',
      type: 'text',
    },
    ...{ succeeded: 'boolean', status: 'smallint', error: 'text', duration_ms: 'integer', sealed_answer: 'bytea' },
    ...{ next_attempt_at: 'timestamptz', created_at: 'timestamptz' },
  },
  OUTCOMES.next,
);
// Every attempt is stored, but only the holder of the claim updates the delivery. The endpoint is updated only when it starts
// failing or recovers, and only for its current URL.
const SETTLE = planned(`
with given as materialized (
  select * from ${OUTCOMES.text}
), settled as (
  update webhook_deliveries d
  set due_at = g.next_at, failures = d.failures + (g.outcome = 'failed')::int,
    status = case when g.next_at is not null then 'pending' when g.outcome = 'delivered' then 'delivered' else 'failed' end
  from given g
  where d.organization_id = g.organization_id and d.message_id = g.message_id and d.endpoint_id = g.endpoint_id
    and d.claim = g.claim and d.due_at is not null
), attempts as (
  insert into webhook_attempts (organization_id, environment, endpoint_id, id, message_id, type, succeeded, status, error,
    duration_ms, sealed_answer, next_attempt_at, created_at)
  select organization_id, environment, endpoint_id, id, message_id, type, succeeded, status, error,
    duration_ms, sealed_answer, next_attempt_at, created_at
  from ${ATTEMPTS.text}
), health as materialized (
  select organization_id, endpoint_id, url, bool_or(outcome = 'delivered') as is_healthy from given
  where outcome in ('delivered', 'failed') group by organization_id, endpoint_id, url
)
update webhook_endpoints e set failing_since = case when h.is_healthy then null else $1::timestamptz end
from health h
where e.organization_id = h.organization_id and e.id = h.endpoint_id and e.url = h.url
  and (e.failing_since is not null) = h.is_healthy`);

export async function settle(pool: pg.Pool, settlements: readonly Settlement[], now: Date): Promise<void> {
  const given = settlements.map(({ delivery, outcome, nextAt }) => ({ ...delivery, outcome, next_at: nextAt }));
  const attempts = settlements.flatMap(({ attempt }) => attempt ?? []);
  await pool.query(SETTLE, [now, ...OUTCOMES.values(given), ...ATTEMPTS.values(attempts)]);
}

/** Pending deliveries of all organizations, for a gauge. */
export async function countWaiting(db: Database): Promise<number> {
  const { rows } = await sql<{ n: number }>`
    select count(*)::int as n from webhook_deliveries where due_at is not null`.execute(db.kysely);
  return rows[0]?.n ?? 0;
}

/** Wakes the senders. The payload names an organization and one of its endpoints. */
export const WAKE_CHANNEL = 'foreword_webhooks';

export const wakePayload = (organizationId: string, endpointId: string): string => `${organizationId} ${endpointId}`;

export type Subscriber = Pick<Row<'webhook_endpoints'>, 'organization_id' | 'environment' | 'id' | 'events' | 'active'>;

const FIND_SUBSCRIBERS = planned(`select organization_id, environment, id, events, active from webhook_endpoints
    where organization_id = any($1::text[])`);

/** The endpoints of these organizations, also those that are off. */
export const findSubscribers = async (db: Db, organizationIds: readonly string[]) =>
  (await db.executeQuery<Subscriber>(CompiledQuery.raw(FIND_SUBSCRIBERS, [organizationIds]))).rows;

const MESSAGES = inputRows(
  'm',
  {
    ...{ organization_id: 'text', environment: 'text', id: 'text', type: 'text' },
    ...{ sealed_payload: 'bytea', object_id: 'text' },
  },
  5,
);
const DELIVERIES = inputRows(
  'd',
  { organization_id: 'text', environment: 'text', message_id: 'text', endpoint_id: 'text', status: 'text' },
  MESSAGES.next,
);
const INSERT = planned(`
with messages as (
  insert into webhook_messages (organization_id, environment, id, type, sealed_payload, object_id, created_at)
  select organization_id, environment, id, type, sealed_payload, object_id, $1::timestamptz
  from ${MESSAGES.text}
), deliveries as (
  insert into webhook_deliveries (organization_id, environment, message_id, endpoint_id, status, due_at, created_at)
  select organization_id, environment, message_id, endpoint_id, status, case status when 'pending' then $2::timestamptz end, $1::timestamptz
  from ${DELIVERIES.text}
)
select hint($3, payload) from unnest($4::text[]) as payload`);

export type NewMessage = Pick<
  Row<'webhook_messages'>,
  'organization_id' | 'environment' | 'id' | 'type' | 'sealed_payload' | 'object_id'
>;
export type NewDelivery = Pick<
  Row<'webhook_deliveries'>,
  'organization_id' | 'environment' | 'message_id' | 'endpoint_id' | 'status'
>;

/** Inserts messages with their deliveries and wakes the senders afterwards. */
export async function insertMessages(
  db: Db,
  added: { messages: readonly NewMessage[]; deliveries: readonly NewDelivery[]; wakePayloads: ReadonlySet<string> },
  { createdAt, dueAt }: { createdAt: Date; dueAt: Date },
): Promise<void> {
  const rows = [...MESSAGES.values(added.messages), ...DELIVERIES.values(added.deliveries)];
  await db.executeQuery(CompiledQuery.raw(INSERT, [createdAt, dueAt, WAKE_CHANNEL, [...added.wakePayloads], ...rows]));
}
