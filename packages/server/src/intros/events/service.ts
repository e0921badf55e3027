import type { AcceptedEvent, CreateTouchpointEvent, List, ListEventsQuery, TouchpointEvent } from '@foreword/contract';
import type { Services } from '../../app/services.ts';
import { readPage, readPeriod } from '../../db/lists.ts';
import type { Database, Db, Tenant } from '../../db/tenancy.ts';
import { type Answer, conflict, createKeyedBatch, type Keyed, type KeyedBatch } from '../../http/idempotency/index.ts';
import { explainMismatch } from '../../members/index.ts';
import { ApiError, invalid } from '../../platform/errors.ts';
import { createdAtOf, ID_PATTERN, newId } from '../../platform/ids.ts';
import { parseInstant, toRfc3339 } from '../../platform/instants.ts';
import type { ReadObjects } from '../../webhooks/index.ts';
import { completeReference, decideIntro, type Failure, failure, isFailure } from '../index.ts';
import { type AcceptanceResult, acceptEvents, type IncomingEvent } from './store/acceptance.ts';
import { readEventContext } from './store/processing.ts';
import { type EventRow, findEvent, findEvents, moveToAccepted, readEventBatch } from './store.ts';

/** Fields that are returned as they were sent. */
const presentRequest = ({ reference, metadata = {}, occurred_at }: CreateTouchpointEvent) => ({
  reference: completeReference(reference),
  metadata,
  // Validated before it was stored.
  occurred_at: parseInstant(occurred_at)?.toISOString() ?? occurred_at,
});

function presentReceipt(
  event: { id: string; environment: 'test'; createdAt: Date; request: CreateTouchpointEvent },
  status: 'accepted' | 'duplicate',
): AcceptedEvent {
  return {
    id: event.id,
    object: 'touchpoint_event',
    status,
    touchpoint: event.request.touchpoint,
    ...presentRequest(event.request),
    environment: event.environment,
    created_at: event.createdAt.toISOString(),
  };
}

function presentEvent(row: EventRow): TouchpointEvent {
  const { error_code: code, error_message: message } = row;
  return {
    id: row.id,
    object: 'touchpoint_event',
    status: row.status,
    touchpoint: row.request.touchpoint,
    ...presentRequest(row.request),
    environment: row.environment,
    created_at: row.created_at.toISOString(),
    resolved: {
      touchpoint: { slug: row.touchpoint_slug, name: row.touchpoint_name },
      member: { id: row.member_id, external_id: row.member_external_id },
    },
    intro: row.intro_id,
    ...(code !== null && { error: { code, message: message ?? '' } }),
  };
}

export async function retrieveEvent(db: Db, tenant: Tenant, id: string): Promise<TouchpointEvent> {
  const row = ID_PATTERN.test(id) ? await findEvent(db, tenant, id) : null;
  if (row === null) throw new ApiError('not_found', 'No event with this id in this organization and environment.');
  return presentEvent(row);
}

/** For webhooks. */
export const readEventObjects: ReadObjects = async (db, events) =>
  (await readEventBatch(db, events)).map((row) => ({
    organization_id: row.organization_id,
    object: presentEvent(row),
  }));

export const listEvents = (db: Db, tenant: Tenant, query: ListEventsQuery): Promise<List<TouchpointEvent>> =>
  readPage(query, {
    exists: async (id) => (await findEvent(db, tenant, id)) !== null,
    rows: (page) =>
      findEvents(db, tenant, {
        ...page,
        ...readPeriod(query),
        statuses: query.status ?? [],
        touchpoint: query.touchpoint,
        referenceId: query.reference_id,
      }),
    present: presentEvent,
  });

/** Why processing the event would fail at this time; null if it would create an intro. */
export async function explainRetry({ pool }: Database, tenant: Tenant, id: string, now: Date): Promise<Failure | null> {
  const event = await readEventContext(pool, tenant, id);
  if (event === null) throw new Error('the event does not exist');
  if (event.request.recipient.phone === '') return failure('recipient_erased');
  const outcome = decideIntro(event, now);
  return isFailure(outcome) ? outcome : null;
}

/** Queues a failed event again. A second request changes nothing. */
export async function retryEvent(db: Db, tenant: Tenant, id: string): Promise<TouchpointEvent> {
  const isQueued = ID_PATTERN.test(id) && (await moveToAccepted(db, tenant, id));
  const event = await retrieveEvent(db, tenant, id);
  if (isQueued) return event;
  const messages = {
    accepted: 'This event is already waiting to be processed.',
    processed: 'This event did not fail. It created an intro.',
    failed: 'The recipient of this event was erased.',
  };
  const message = messages[event.status as keyof typeof messages];
  throw new ApiError('event_not_failed', message);
}

type KeyedEvent = Keyed<CreateTouchpointEvent>;

/** The fingerprint covers the times as sent; what is stored can be read by every version. */
function withStandardTimes(body: CreateTouchpointEvent): CreateTouchpointEvent {
  const { occurred_at, context } = body;
  const appointment = context?.appointment;
  return {
    ...body,
    occurred_at: toRfc3339(occurred_at),
    ...(appointment !== undefined && {
      context: { ...context, appointment: { ...appointment, starts_at: toRfc3339(appointment.starts_at) } },
    }),
  };
}

/** Checks are in the documented order of precedence. Null: retry, because a concurrent request bound the key. */
function toAnswer(item: IncomingEvent, result: AcceptanceResult): Answer | ApiError | null {
  const { id, createdAt: now, body: request, tenant } = item;
  const { environment } = tenant;
  if (result.created) return { body: presentReceipt({ id, environment, createdAt: now, request }, 'accepted') };
  if (result.bound_fingerprint !== null) {
    const { bound_id: boundId } = result;
    // The event may have been removed. Its id has the time of its creation.
    const createdAt = result.bound_at ?? (boundId === null ? null : createdAtOf(boundId));
    if (!result.bound_fingerprint.equals(item.fingerprint) || boundId === null || createdAt === null)
      return conflict(boundId);
    return { body: presentReceipt({ id: boundId, environment, createdAt, request }, 'duplicate'), replayed: true };
  }
  return explainRefusal(request, result);
}

/** Why the event is rejected, given what it resolved to; null if it is accepted. */
export function explainRefusal(
  request: CreateTouchpointEvent,
  matched: Pick<AcceptanceResult, 'touchpoint_context' | 'members'>,
): ApiError | null {
  if (matched.touchpoint_context === null) {
    const message = `No active touchpoint has the slug "${request.touchpoint}". GET /v1/touchpoints lists them.`;
    return new ApiError('touchpoint_not_found', message, { field: 'touchpoint' });
  }
  if (matched.touchpoint_context === 'appointment' && request.context?.appointment === undefined) {
    return invalid('context.appointment', `is required by the touchpoint "${request.touchpoint}"`);
  }
  return explainMismatch(request.member, matched.members);
}

export type EventAcceptor = KeyedBatch<CreateTouchpointEvent>;

export function createEventAcceptor(deps: Pick<Services, 'db' | 'testClocks' | 'metrics' | 'traces'>): EventAcceptor {
  const { db, testClocks, metrics, traces } = deps;

  async function flush(items: KeyedEvent[]): Promise<(Answer | ApiError | null)[]> {
    const batch = items.map((item): IncomingEvent => {
      const createdAt = testClocks.now(item.tenant);
      return { ...item, createdAt, id: newId('evt', createdAt), request: JSON.stringify(withStandardTimes(item.body)) };
    });
    // Before the events exist, because a worker takes them within milliseconds.
    await traces.remember(db.pool, batch);
    const results = await acceptEvents(db.pool, batch);
    return batch.map((item, i) => toAnswer(item, results[i] as AcceptanceResult));
  }

  return createKeyedBatch({ name: 'events', path: '/v1/touchpoint-events', metrics, traces, flush });
}
