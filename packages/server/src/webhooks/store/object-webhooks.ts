import { type Db, forTenant, type Tenant } from '../../db/tenancy.ts';
import type { ContentSeal } from '../contents.ts';

/** An intro has a handful of messages. More come only from an integration that repeats the same actions. */
const MAX_MESSAGES = 50;

/** The messages about one object with their deliveries and attempts, newest first. */
export async function listObjectWebhooks(db: Db, contents: ContentSeal, tenant: Tenant, objectId: string) {
  const scope = forTenant(db, tenant);
  const messages = await scope
    .selectFrom('webhook_messages')
    .select(['organization_id', 'id', 'type', 'sealed_payload', 'created_at'])
    .where('object_id', '=', objectId)
    .orderBy('id', 'desc')
    .limit(MAX_MESSAGES)
    .execute();
  if (messages.length === 0) return [];
  const ids = messages.map(({ id }) => id);
  const [deliveries, attempts, endpoints] = await Promise.all([
    scope
      .selectFrom('webhook_deliveries')
      .select(['message_id', 'endpoint_id', 'status', 'due_at'])
      .where('message_id', 'in', ids)
      .orderBy('endpoint_id')
      .execute(),
    scope
      .selectFrom('webhook_attempts')
      .select(['message_id', 'endpoint_id', 'id', 'succeeded', 'status', 'error', 'duration_ms', 'created_at'])
      .where('message_id', 'in', ids)
      .orderBy('id', 'desc')
      .execute(),
    scope.selectFrom('webhook_endpoints').select(['id', 'url']).execute(),
  ]);
  const urls = new Map(endpoints.map(({ id, url }) => [id, url]));
  return messages.map((message) => ({
    id: message.id,
    type: message.type,
    payload: contents.openPayload(message),
    created_at: message.created_at,
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

export type ObjectWebhook = Awaited<ReturnType<typeof listObjectWebhooks>>[number];
