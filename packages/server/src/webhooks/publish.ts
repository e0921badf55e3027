import type { WebhookEventType } from '@foreword/contract';
import { CompiledQuery, type Transaction } from 'kysely';
import type pg from 'pg';
import { newId } from '../platform/ids.ts';
import type { Tables, Tenant } from '../tables.ts';
import { dueAtOnce, wants } from './rules.ts';

/** Workers are woken here, with the organization and the endpoint that something waits for. */
export const WAKE_CHANNEL = 'foreword_webhooks';

export interface DomainEvent {
  readonly tenant: Tenant;
  readonly type: WebhookEventType;
  /** The object as the API returns it, as this transaction sees it; asked for only when somebody wants it. */
  data(): object | Promise<object>;
}

interface Wanting {
  readonly organization_id: string;
  readonly environment: string;
  readonly id: string;
  readonly events: string[];
}

interface Statement {
  readonly name: string;
  readonly text: string;
}

const WHO_WANTS: Statement = {
  name: 'who wants webhooks',
  text: `select organization_id, environment, id, events from webhook_endpoints
    where organization_id = any($1::text[]) and active`,
};

const WRITE: Statement = {
  name: 'write webhooks',
  text: `
with messages as (
  insert into webhook_messages (organization_id, environment, id, type, payload, object_id, created_at)
  select organization_id, environment, id, type, payload, object_id, $3::timestamptz
  from json_to_recordset($1::json)
    as m(organization_id text, environment text, id text, type text, payload text, object_id text)
), deliveries as (
  insert into webhook_deliveries (organization_id, environment, message_id, endpoint_id, status, due_at, created_at)
  select organization_id, environment, message_id, endpoint_id, 'pending', $4::timestamptz, $3::timestamptz
  from json_to_recordset($2::json) as d(organization_id text, environment text, message_id text, endpoint_id text)
)
select pg_notify($5, waiting) from unnest($6::text[]) as waiting`,
};

/** A transaction under way: of the pool, or of Kysely. */
export type AnyTransaction = pg.ClientBase | Transaction<Tables>;

async function run<Row extends pg.QueryResultRow>(within: AnyTransaction, statement: Statement, values: unknown[]) {
  if ('executeQuery' in within) {
    return (await within.executeQuery<Row>(CompiledQuery.raw(statement.text, values))).rows;
  }
  return (await within.query<Row>({ ...statement, values })).rows;
}

export const wakeFor = (organizationId: string, endpointId: string): string => `${organizationId} ${endpointId}`;

/**
 * Tells the endpoints that want to know. In the transaction of the change: told if, and only if, it happened. `now` is the time
 * of the change. For organizations without an endpoint that wants it, this is one small look-up for all changes together.
 */
export async function publish(within: AnyTransaction, changes: readonly DomainEvent[], now: Date): Promise<void> {
  if (changes.length === 0) return;
  const organizations = [...new Set(changes.map(({ tenant }) => tenant.organizationId))];
  const endpoints = await run<Wanting>(within, WHO_WANTS, [organizations]);
  if (endpoints.length === 0) return;
  const messages: object[] = [];
  const deliveries: object[] = [];
  const waiting = new Set<string>();
  for (const { tenant, type, data } of changes) {
    const { organizationId: organization_id, environment } = tenant;
    const wanting = endpoints.filter(
      (endpoint) =>
        endpoint.organization_id === organization_id &&
        endpoint.environment === environment &&
        wants(endpoint.events, type),
    );
    if (wanting.length === 0) continue;
    const id = newId('msg', now);
    const object = await data();
    const payload = JSON.stringify({ type, timestamp: now.toISOString(), data: object });
    // What has no id of its own is not asked for by one.
    const object_id = 'id' in object ? object.id : null;
    messages.push({ organization_id, environment, id, type, payload, object_id });
    for (const endpoint of wanting) {
      deliveries.push({ organization_id, environment, message_id: id, endpoint_id: endpoint.id });
      waiting.add(wakeFor(organization_id, endpoint.id));
    }
  }
  if (messages.length === 0) return;
  const rows = [JSON.stringify(messages), JSON.stringify(deliveries)];
  await run(within, WRITE, [...rows, now, dueAtOnce(now), WAKE_CHANNEL, [...waiting]]);
}
