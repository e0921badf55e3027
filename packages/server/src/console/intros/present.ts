import {
  type ConsoleEventRow,
  type ConsoleIntroRow,
  type ConsoleMessage,
  type ConsoleOutboxMessage,
  type ConsoleRecording,
  type ConsoleWebhook,
  problemOf,
} from '@foreword/contract';
import { bodyOf, type MessageRow, type OutboxRow, stateHolding } from '../../delivery/index.ts';
import type { EventRow } from '../../intros/events/index.ts';
import { type IntroListRow, LISTED_FIELDS, problemsSince, readDeliveryStatus } from '../../intros/index.ts';
import type { Links } from '../../intros/links/index.ts';
import { pageStateOf, THUMBNAIL } from '../../pages/index.ts';
import { pick } from '../../platform/json.ts';
import type { RecordingRow } from '../../recordings/index.ts';
import type { ObjectWebhook } from '../../webhooks/index.ts';

const presentMember = (row: Record<'member_id' | 'member_first_name' | 'member_last_name', string>) => ({
  id: row.member_id,
  first_name: row.member_first_name,
  last_name: row.member_last_name,
});

/** The address of a file of an intro's video. */
export const mediaUrl = (introId: string, file: string): string => `/console/media/${introId}/${file}`;

/** The face, for lists; null when the page does not show the video either. */
function thumbnailUrl({ id, status, sent_at: sentAt, ...row }: IntroListRow, now: Date): string | null {
  const recordingId = row.recording_id;
  const isVideoRemoved = row.video_deleted_at !== null;
  const isShown = recordingId !== null && pageStateOf({ status, sentAt, isVideoRemoved }, now) === 'open';
  return isShown ? mediaUrl(id, THUMBNAIL) : null;
}

function presentDecline({ decline_reason: reason, decline_message: message, declined_at: at }: IntroListRow) {
  return reason === null || at === null ? null : { reason, message, at: at.toISOString() };
}

export function presentIntroRow(row: IntroListRow, now: Date): ConsoleIntroRow {
  const { touchpoint_slug: slug, delivery_error_code: code } = row;
  const delivery = readDeliveryStatus(row);
  return {
    ...pick(row, ...LISTED_FIELDS),
    touchpoint: slug === null ? null : { slug, name: row.touchpoint_name ?? slug },
    member: presentMember(row),
    recipient: {
      first_name: row.recipient_first_name,
      last_name: row.recipient_last_name,
      phone: row.recipient_phone,
    },
    delivery_error: code === null ? null : { code, message: row.delivery_error_message ?? '' },
    delivery_status: delivery,
    problem: problemOf(row, delivery, problemsSince(now)),
    declined: presentDecline(row),
    thumbnail_url: thumbnailUrl(row, now),
  };
}

export function presentEventRow(row: EventRow): ConsoleEventRow {
  const { request, error_code: code } = row;
  return {
    ...pick(row, 'id', 'status', 'intro_id', 'created_at', 'settled_at'),
    touchpoint: { slug: row.touchpoint_slug, name: row.touchpoint_name },
    member: presentMember(row),
    recipient: {
      first_name: request.recipient.first_name,
      last_name: request.recipient.last_name ?? null,
      phone: request.recipient.phone,
    },
    reference_id: request.reference?.id ?? null,
    error: code === null ? null : { code, message: row.error_message ?? '' },
  };
}

export function presentMessage(links: Links, row: MessageRow): ConsoleMessage {
  const { error_code: code, error_message: message } = row;
  return {
    ...pick(row, 'id', 'intro_id', 'audience', 'purpose', 'channel', 'status', 'due_at', 'accepted_at'),
    ...pick(row, 'address', 'subject', 'segments', 'carrier'),
    held_for: row.status === 'scheduled' ? row.held_for : null,
    held_by_state: row.status === 'scheduled' ? stateHolding(row) : null,
    body: bodyOf(links, row),
    error: code === null && message === null ? null : { code, message },
  };
}

export const presentOutboxMessage = (links: Links, row: OutboxRow): ConsoleOutboxMessage => ({
  ...presentMessage(links, row),
  to: { first_name: row.to_first_name, last_name: row.to_last_name },
});

export function presentRecording(row: RecordingRow | null): ConsoleRecording | null {
  if (row === null || row.status === 'discarded') return null;
  return { status: row.status, progress: row.progress, refusal: row.refusal_message };
}

export const presentWebhook = (row: ObjectWebhook): ConsoleWebhook => ({
  ...pick(row, 'id', 'type', 'created_at'),
  payload: JSON.parse(row.payload) as unknown,
  deliveries: row.deliveries.map(({ endpoint_id, url, status, attempts }) => ({
    endpoint_id,
    url,
    status,
    attempts: attempts.map((attempt) => pick(attempt, 'id', 'status', 'error', 'duration_ms', 'created_at')),
  })),
});
