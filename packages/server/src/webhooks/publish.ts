import type { WebhookEventType } from '@foreword/contract';
import type pg from 'pg';
import { queryableOf } from '../db/pools.ts';
import type { Db, ObjectOfTenant, Tables, Tenant, Tx } from '../db/tenancy.ts';
import { realTime } from '../platform/clock.ts';
import { newId } from '../platform/ids.ts';
import { isSubscribedTo, newMessageDueAt } from './rules.ts';
import type { ContentSeal } from './sealing.ts';
import {
  findSubscribers,
  insertMessages,
  type NewDelivery,
  type NewMessage,
  type Subscriber,
  wakePayload,
} from './store/queue.ts';

/** A transaction of the connection pool or of Kysely. */
export type AnyTransaction = pg.ClientBase | Tx;

/** Reads the objects of a batch that exist, as the API returns them, with one statement. */
export type ReadObjects = (
  db: Db,
  objects: readonly ObjectOfTenant[],
) => Promise<readonly { readonly organization_id: string; readonly object: { readonly id: string } }[]>;

/**
 * Objects are read, in the same transaction, and `data` is called only if an endpoint subscribes to the event. `data` is not async, so
 * that no statement runs for each event.
 */
export type DomainEvent = ({ readonly id: string; readonly read: ReadObjects } | { data(): object }) & {
  readonly tenant: Tenant;
  readonly type: WebhookEventType;
  /** The time of the change, if it is not that of the batch. */
  readonly at?: Date | undefined;
};

/** Publishes domain events in the transaction of their change. */
export type Publish = (within: AnyTransaction, events: readonly DomainEvent[], now: Date) => Promise<void>;

const endpointsOf = ({ tenant, type }: DomainEvent, subscribers: readonly Subscriber[]): Subscriber[] =>
  subscribers.filter(
    ({ organization_id, environment, events }) =>
      organization_id === tenant.organizationId && environment === tenant.environment && isSubscribedTo(events, type),
  );

/** Reads the objects of all events, with one statement for each kind. */
async function readObjects(db: Db, events: readonly DomainEvent[]): Promise<Map<string, object>> {
  const objects = new Map<string, object>();
  const stored = events.filter((event) => 'read' in event);
  for (const [read, ofKind] of Map.groupBy(stored, (event) => event.read)) {
    for (const { organization_id, object } of await read(db, ofKind)) {
      objects.set(`${organization_id} ${object.id}`, object);
    }
  }
  return objects;
}

function objectOf(event: DomainEvent, objects: ReadonlyMap<string, object>): object {
  if (!('read' in event)) return event.data();
  const object = objects.get(`${event.tenant.organizationId} ${event.id}`);
  if (object === undefined) throw new Error(`cannot publish ${event.type}: ${event.id} does not exist`);
  return object;
}

/**
 * Queues webhooks in the transaction of the change, so that they are sent if and only if it commits. `now` is the time of the
 * change; webhooks are sent in real time. If no endpoint subscribes, the cost is one small query for all events.
 */
export const createPublish =
  (contents: ContentSeal): Publish =>
  async (within, events, now) => {
    if (events.length === 0) return;
    const db = queryableOf<Tables>(within);
    const organizations = [...new Set(events.map(({ tenant }) => tenant.organizationId))];
    const subscribers = await findSubscribers(db, organizations);
    const subscribed = events
      .map((event) => ({ event, endpoints: endpointsOf(event, subscribers) }))
      .filter(({ endpoints }) => endpoints.length > 0);
    if (subscribed.length === 0) return;
    const objects = await readObjects(
      db,
      subscribed.map(({ event }) => event),
    );
    const added = { messages: [] as NewMessage[], deliveries: [] as NewDelivery[], wakePayloads: new Set<string>() };
    for (const { event, endpoints } of subscribed) {
      const { type, at = now } = event;
      const { organizationId: organization_id, environment } = event.tenant;
      const id = newId('msg', now);
      const object = objectOf(event, objects);
      const payload = JSON.stringify({ type, timestamp: at.toISOString(), data: object });
      // Messages are looked up by the id of their object; an opted-out recipient has none.
      const object_id = 'id' in object ? String(object.id) : null;
      const sealed_payload = contents.sealPayload({ organization_id, id }, payload);
      added.messages.push({ organization_id, environment, id, type, sealed_payload, object_id });
      for (const endpoint of endpoints) {
        // A replay sends what an endpoint missed while it was off.
        const status = endpoint.active ? 'pending' : 'failed';
        added.deliveries.push({ organization_id, environment, message_id: id, endpoint_id: endpoint.id, status });
        if (endpoint.active) added.wakePayloads.add(wakePayload(organization_id, endpoint.id));
      }
    }
    await insertMessages(db, added, { createdAt: realTime(now), dueAt: newMessageDueAt(realTime(now)) });
  };
