import type { Queryable } from '../platform/db.ts';
import type { Tables, Tenant } from '../tables.ts';

/** An intro is told of a handful of times; what goes beyond is of a caller that marks and cancels in circles. */
const SHOWN = 50;

export interface DeliveryOfMessage {
  readonly endpoint_id: string;
  readonly url: string | null;
  readonly status: 'pending' | 'delivered' | 'failed';
  readonly due_at: Date | null;
  readonly attempts: readonly {
    readonly id: string;
    readonly succeeded: boolean;
    readonly status: number | null;
    readonly error: string | null;
    readonly duration_ms: number;
    readonly created_at: Date;
  }[];
}

export interface ObjectWebhook {
  readonly id: string;
  readonly type: string;
  readonly payload: string;
  readonly created_at: Date;
  readonly deliveries: readonly DeliveryOfMessage[];
}

/** What was told of one object, to whom, and how that went; the newest first. */
export async function listObjectWebhooks(
  db: Queryable<Tables>,
  tenant: Tenant,
  objectId: string,
): Promise<readonly ObjectWebhook[]> {
  const own = { organization_id: tenant.organizationId, environment: tenant.environment };
  const messages = await db
    .selectFrom('webhook_messages')
    .select(['id', 'type', 'payload', 'created_at'])
    .where((of) => of.and({ ...own, object_id: objectId }))
    .orderBy('id', 'desc')
    .limit(SHOWN)
    .execute();
  if (messages.length === 0) return [];
  const ids = messages.map(({ id }) => id);
  const [deliveries, attempts, endpoints] = await Promise.all([
    db
      .selectFrom('webhook_deliveries')
      .select(['message_id', 'endpoint_id', 'status', 'due_at'])
      .where((of) => of.and(own))
      .where('message_id', 'in', ids)
      .orderBy('endpoint_id')
      .execute(),
    db
      .selectFrom('webhook_attempts')
      .select(['message_id', 'endpoint_id', 'id', 'succeeded', 'status', 'error', 'duration_ms', 'created_at'])
      .where((of) => of.and(own))
      .where('message_id', 'in', ids)
      .orderBy('id', 'desc')
      .execute(),
    db
      .selectFrom('webhook_endpoints')
      .select(['id', 'url'])
      .where((of) => of.and(own))
      .execute(),
  ]);
  const urls = new Map(endpoints.map(({ id, url }) => [id, url]));
  return messages.map((message) => ({
    ...message,
    deliveries: deliveries
      .filter(({ message_id }) => message_id === message.id)
      .map(({ endpoint_id, status, due_at }) => ({
        endpoint_id,
        url: urls.get(endpoint_id) ?? null,
        status,
        due_at,
        attempts: attempts.filter((one) => one.message_id === message.id && one.endpoint_id === endpoint_id),
      })),
  }));
}
