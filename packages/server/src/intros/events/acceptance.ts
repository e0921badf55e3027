import type { CreateTouchpointEvent } from '@foreword/contract';
import type { Services } from '../../app/services.ts';
import { type Answer, conflict, createKeyedBatch, type Keyed, type KeyedBatch } from '../../http/idempotency/index.ts';
import { explainMismatch } from '../../members/index.ts';
import { ApiError, invalid } from '../../platform/errors.ts';
import { createdAtOf, newId } from '../../platform/ids.ts';
import { toRfc3339 } from '../../platform/instants.ts';
import { presentReceipt } from './service.ts';
import { type AcceptanceResult, acceptEvents, type IncomingEvent } from './store/acceptance.ts';

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
