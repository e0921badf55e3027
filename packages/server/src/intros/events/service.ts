import type { AcceptedEvent, CreateTouchpointEvent, List, ListEventsQuery, TouchpointEvent } from '@foreword/contract';
import type { Database, Db, Tenant } from '../../db/tenancy.ts';
import { ApiError } from '../../platform/errors.ts';
import { ID_PATTERN } from '../../platform/ids.ts';
import { parseInstant } from '../../platform/instants.ts';
import { readPage, readPeriod } from '../../platform/paging.ts';
import type { ReadObjects } from '../../webhooks/index.ts';
import { completeReference, decideIntro, type Failure, failure, isFailure } from '../index.ts';
import { findEvents } from './store/list.ts';
import { readEventContext } from './store/processing.ts';
import { type EventRow, findEvent, moveToAccepted, readEventBatch } from './store.ts';

/** Fields that are returned as they were sent. */
const presentRequest = ({ reference, metadata = {}, occurred_at }: CreateTouchpointEvent) => ({
  reference: completeReference(reference),
  metadata,
  // Validated before it was stored.
  occurred_at: parseInstant(occurred_at)?.toISOString() ?? occurred_at,
});

export function presentReceipt(
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
