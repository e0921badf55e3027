import type { AcceptedEvent, CreateTouchpointEvent, TouchpointEvent } from '@foreword/contract';
import { completeReference } from '../intros/index.ts';
import type { EventWithMatch } from './store.ts';

export function presentReceipt(
  event: { id: string; environment: 'test'; createdAt: Date; request: CreateTouchpointEvent },
  status: 'accepted' | 'duplicate',
): AcceptedEvent {
  return {
    id: event.id,
    object: 'touchpoint_event',
    status,
    touchpoint: event.request.touchpoint,
    reference: completeReference(event.request.reference),
    environment: event.environment,
    created_at: event.createdAt.toISOString(),
  };
}

export function presentEvent(row: EventWithMatch): TouchpointEvent {
  const { error_code: code, error_message: message } = row;
  return {
    id: row.id,
    object: 'touchpoint_event',
    status: row.status,
    touchpoint: row.request.touchpoint,
    reference: completeReference(row.request.reference),
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
