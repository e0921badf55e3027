import { sql } from 'kysely';
import type pg from 'pg';
import type { Database } from '../../platform/db.ts';
import type { Tables, WebhookAttemptRow } from '../../tables.ts';

export interface EndpointKey {
  readonly organizationId: string;
  readonly endpointId: string;
}

/**
 * The endpoints for which something is due. Their rows in the index are skipped over by endpoint, so the size of a backlog does
 * not matter, only how many endpoints have one.
 */
const LOOK = {
  name: 'look for webhooks',
  text: `
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
select organization_id as "organizationId", endpoint_id as "endpointId" from waiting where due_at <= $1`,
};

export async function findWaiting(pool: pg.Pool, now: Date): Promise<EndpointKey[]> {
  return (await pool.query<EndpointKey>({ ...LOOK, values: [now] })).rows;
}

/** A message to send to an endpoint, and the right to settle it. */
export interface Delivery {
  readonly organization_id: string;
  readonly environment: 'test';
  readonly endpoint_id: string;
  readonly message_id: string;
  readonly claim: number;
  readonly failures: number;
  readonly type: string;
  readonly payload: string;
  /** Null: the endpoint was deleted in between. */
  readonly url: string | null;
  readonly active: boolean | null;
  readonly secret: Buffer;
  readonly previous_secret: Buffer | null;
  readonly previous_secret_expires_at: Date | null;
  readonly failing_since: Date | null;
}

/**
 * Takes what is due, for each endpoint as much as there is room for. Taking puts the due time ahead, to when this worker is
 * given up for dead, and raises the claim, so that a worker that was cannot settle it any more.
 */
const CLAIM = {
  name: 'claim webhooks',
  text: `
with due as materialized (
  select d.place from unnest($1::text[], $2::text[], $3::int[]) as w(organization_id, endpoint_id, room)
  cross join lateral (
    select ctid as place from webhook_deliveries
    where organization_id = w.organization_id and endpoint_id = w.endpoint_id and due_at <= $4
    order by due_at limit w.room for update skip locked
  ) d
), claimed as (
  update webhook_deliveries d set claim = d.claim + 1, due_at = $5 from due where d.ctid = due.place
  returning d.organization_id, d.environment, d.endpoint_id, d.message_id, d.claim, d.failures
)
select c.*, m.type, m.payload, e.url, e.active, e.secret, e.previous_secret, e.previous_secret_expires_at, e.failing_since
from claimed c
cross join lateral (
  select type, payload from webhook_messages where organization_id = c.organization_id and id = c.message_id offset 0
) m
left join lateral (
  select url, active, secret, previous_secret, previous_secret_expires_at, failing_since from webhook_endpoints
  where organization_id = c.organization_id and id = c.endpoint_id offset 0
) e on true
order by c.message_id`,
};

export async function claimDue(
  pool: pg.Pool,
  asked: readonly (EndpointKey & { room: number })[],
  now: Date,
  until: Date,
): Promise<Delivery[]> {
  const { rows } = await pool.query<Delivery>({
    ...CLAIM,
    values: [
      asked.map(({ organizationId }) => organizationId),
      asked.map(({ endpointId }) => endpointId),
      asked.map(({ room }) => room),
      now,
      until,
    ],
  });
  return rows;
}

/** What became of a delivery that was taken. */
export interface Settlement {
  readonly delivery: Pick<Delivery, 'organization_id' | 'message_id' | 'endpoint_id' | 'claim' | 'url'>;
  readonly outcome: 'delivered' | 'failed' | 'dropped' | 'released';
  readonly nextAt: Date | null;
  /** None was made when it was dropped or released. */
  readonly attempt: WebhookAttemptRow | null;
}

/**
 * Attempts are kept whoever holds the claim; the delivery moves only for the one who does. An endpoint's row is written only
 * when it begins to fail or is well again, and by what its present address answered: another may have been given meanwhile.
 */
const SETTLE = {
  name: 'settle webhooks',
  text: `
with given as materialized (
  select * from json_to_recordset($1::json) as g(organization_id text, message_id text, endpoint_id text, claim int,
    url text, outcome text, next_at timestamptz)
), settled as (
  update webhook_deliveries d
  set due_at = g.next_at, failures = d.failures + (g.outcome = 'failed')::int,
    status = case when g.next_at is not null then 'pending' when g.outcome = 'delivered' then 'delivered' else 'failed' end
  from given g
  where d.organization_id = g.organization_id and d.message_id = g.message_id and d.endpoint_id = g.endpoint_id
    and d.claim = g.claim and d.due_at is not null
), kept as (
  insert into webhook_attempts (organization_id, environment, endpoint_id, id, message_id, type, succeeded, status, error,
    duration_ms, answer, next_attempt_at, created_at)
  select organization_id, environment, endpoint_id, id, message_id, type, succeeded, status, error,
    duration_ms, answer, next_attempt_at, created_at
  from json_to_recordset($2::json) as a(organization_id text, environment text, endpoint_id text, id text, message_id text,
    type text, succeeded boolean, status smallint, error text, duration_ms int, answer text, next_attempt_at timestamptz,
    created_at timestamptz)
), health as materialized (
  select organization_id, endpoint_id, url, bool_or(outcome = 'delivered') as is_well from given
  where outcome in ('delivered', 'failed') group by organization_id, endpoint_id, url
)
update webhook_endpoints e set failing_since = case when h.is_well then null else $3::timestamptz end
from health h
where e.organization_id = h.organization_id and e.id = h.endpoint_id and e.url = h.url
  and (e.failing_since is not null) = h.is_well`,
};

export async function settle(pool: pg.Pool, settlements: readonly Settlement[], now: Date): Promise<void> {
  const given = settlements.map(({ delivery, outcome, nextAt }) => ({
    organization_id: delivery.organization_id,
    message_id: delivery.message_id,
    endpoint_id: delivery.endpoint_id,
    claim: delivery.claim,
    url: delivery.url,
    outcome,
    next_at: nextAt,
  }));
  const attempts = settlements.flatMap(({ attempt }) => (attempt === null ? [] : [attempt]));
  await pool.query({ ...SETTLE, values: [JSON.stringify(given), JSON.stringify(attempts), now] });
}

/** Deliveries that wait, of all organizations. For a gauge: it counts them. */
export async function countWaiting(db: Database<Tables>): Promise<number> {
  const { rows } = await sql<{ n: number }>`
    select count(*)::int as n from webhook_deliveries where due_at is not null`.execute(db.kysely);
  return rows[0]?.n ?? 0;
}
