import { type NamedStatement, namedQuery } from '../../db/named-statement.ts';
import type { Db } from '../../db/tenancy.ts';

/** Wakes the senders. The payload names an organization and one of its endpoints. */
export const WAKE_CHANNEL = 'foreword_webhooks';

export const wakePayload = (organizationId: string, endpointId: string): string => `${organizationId} ${endpointId}`;

export interface Subscriber {
  readonly organization_id: string;
  readonly environment: string;
  readonly id: string;
  readonly events: string[];
}

const FIND_SUBSCRIBERS: NamedStatement = {
  name: 'find webhook subscribers',
  text: `select organization_id, environment, id, events from webhook_endpoints
    where organization_id = any($1::text[]) and active`,
};

/** The active endpoints of these organizations. */
export const findSubscribers = async (db: Db, organizationIds: readonly string[]) =>
  (await db.executeQuery<Subscriber>(namedQuery(FIND_SUBSCRIBERS, [organizationIds]))).rows;

const INSERT: NamedStatement = {
  name: 'insert webhooks',
  text: `
with messages as (
  insert into webhook_messages (organization_id, environment, id, type, sealed_payload, object_id, created_at)
  select organization_id, environment, id, type, sealed_payload, object_id, $3::timestamptz
  from json_to_recordset($1::json)
    as m(organization_id text, environment text, id text, type text, sealed_payload bytea, object_id text)
), deliveries as (
  insert into webhook_deliveries (organization_id, environment, message_id, endpoint_id, status, due_at, created_at)
  select organization_id, environment, message_id, endpoint_id, 'pending', $4::timestamptz, $3::timestamptz
  from json_to_recordset($2::json) as d(organization_id text, environment text, message_id text, endpoint_id text)
)
select hint($5, payload) from unnest($6::text[]) as payload`,
};

/** Inserts messages with their deliveries and wakes the senders afterwards. */
export async function insertMessages(
  db: Db,
  added: { messages: readonly object[]; deliveries: readonly object[]; wakePayloads: ReadonlySet<string> },
  { createdAt, dueAt }: { createdAt: Date; dueAt: Date },
): Promise<void> {
  const rows = [JSON.stringify(added.messages), JSON.stringify(added.deliveries)];
  await db.executeQuery(namedQuery(INSERT, [...rows, createdAt, dueAt, WAKE_CHANNEL, [...added.wakePayloads]]));
}
