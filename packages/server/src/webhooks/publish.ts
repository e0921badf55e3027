import type { WebhookEventType } from '@foreword/contract';
import { realTime } from '../platform/clock.ts';
import { newId } from '../platform/ids.ts';
import type { Tenant } from '../tables.ts';
import { type ContentSeal, toHex } from './contents.ts';
import { isSubscribedTo, newMessageDueAt } from './rules.ts';
import { type AnyTransaction, findSubscribers, insertMessages, wakePayload } from './store/publishing.ts';

export interface DomainEvent {
  readonly tenant: Tenant;
  readonly type: WebhookEventType;
  /** The object as the API returns it, read in the same transaction. Called only if an endpoint subscribes to the event. */
  data(): object | Promise<object>;
  /** The time of the change, if it is not that of the batch. */
  readonly at?: Date | undefined;
}

/** Publishes domain events in the transaction of their change. */
export type Publish = (within: AnyTransaction, events: readonly DomainEvent[], now: Date) => Promise<void>;

export const createPublish =
  (contents: ContentSeal): Publish =>
  (within, events, now) =>
    publish(contents, within, events, now);

/**
 * Queues webhooks in the transaction of the change, so that they are sent if and only if it commits. `now` is the time of the
 * change; webhooks are sent in real time. If no endpoint subscribes, the cost is one small query for all events.
 */
async function publish(
  contents: ContentSeal,
  within: AnyTransaction,
  events: readonly DomainEvent[],
  now: Date,
): Promise<void> {
  if (events.length === 0) return;
  const organizations = [...new Set(events.map(({ tenant }) => tenant.organizationId))];
  const subscribers = await findSubscribers(within, organizations);
  if (subscribers.length === 0) return;
  const messages: object[] = [];
  const deliveries: object[] = [];
  const wakePayloads = new Set<string>();
  for (const { tenant, type, data, at = now } of events) {
    const { organizationId: organization_id, environment } = tenant;
    const endpoints = subscribers.filter(
      (endpoint) =>
        endpoint.organization_id === organization_id &&
        endpoint.environment === environment &&
        isSubscribedTo(endpoint.events, type),
    );
    if (endpoints.length === 0) continue;
    const id = newId('msg', now);
    const object = await data();
    const payload = JSON.stringify({ type, timestamp: at.toISOString(), data: object });
    // Messages are looked up by the id of their object; an opted-out recipient has none.
    const object_id = 'id' in object ? object.id : null;
    const sealed_payload = toHex(contents.sealPayload({ organization_id, id }, payload));
    messages.push({ organization_id, environment, id, type, sealed_payload, object_id });
    for (const endpoint of endpoints) {
      deliveries.push({ organization_id, environment, message_id: id, endpoint_id: endpoint.id });
      wakePayloads.add(wakePayload(organization_id, endpoint.id));
    }
  }
  if (messages.length === 0) return;
  await insertMessages(
    within,
    { messages, deliveries, wakePayloads },
    { createdAt: realTime(now), dueAt: newMessageDueAt(realTime(now)) },
  );
}
