import {
  type HomeAppointment,
  type HomeEvent,
  type HomeIntro,
  type HomeSettings,
  type HomeTask,
  iso,
  type TouchpointEvent,
} from '@foreword/contract';
import type { Row } from '../../db/tenancy.ts';
import type { RecordedRow, ToRecordRow } from '../../intros/index.ts';
import { fileUrl } from '../session.ts';

const STATES: Readonly<Record<NonNullable<ToRecordRow['take_status']>, HomeTask['state']>> = {
  // The upload may have been abandoned. The recorder finds out, and resumes it.
  uploading: 'to_record',
  uploaded: 'processing',
  processing: 'processing',
  // The intro becomes ready in the same transaction.
  ready: 'processing',
  refused: 'refused',
  discarded: 'to_record',
};

export function presentTask(row: ToRecordRow, recordUrl: string): HomeTask {
  const state = row.take_status === null ? 'to_record' : STATES[row.take_status];
  // Stored in the shape of the contract.
  const context = row.context as { readonly appointment?: HomeAppointment | null } | null;
  return {
    id: row.id,
    touchpoint: row.touchpoint_name,
    recipient: { first_name: row.recipient_first_name, last_name: row.recipient_last_name },
    appointment: context?.appointment ?? null,
    deadline: iso(row.expires_at),
    state,
    progress: state === 'processing' ? (row.take_progress ?? 0) : 0,
    reason: state === 'refused' ? row.take_refusal : null,
    record_url: recordUrl,
  };
}

export const presentRecorded = (row: RecordedRow, recordUrl: string): HomeIntro => ({
  id: row.id,
  touchpoint: row.touchpoint_name,
  recipient: { first_name: row.recipient_first_name, last_name: row.recipient_last_name },
  status: row.status,
  responsibility: row.responsibility,
  recorded_at: iso(row.recorded_at),
  sent_at: iso(row.sent_at),
  opened_at: iso(row.opened_at),
  watched_percent: row.watched_percent,
  delivery_problem: row.delivery_error_message,
  record_url: recordUrl,
});

export const presentHomeEvent = (event: TouchpointEvent, recordUrl: string | null): HomeEvent => ({
  id: event.id,
  status: event.status === 'processed' || event.status === 'failed' ? event.status : 'accepted',
  intro_id: event.intro,
  record_url: recordUrl,
  problem: event.error?.message ?? null,
});

export const presentSettings = (row: Row<'members'>): HomeSettings => ({
  first_name: row.first_name,
  last_name: row.last_name,
  email: row.email,
  title: row.title,
  phone: row.phone,
  photo_url: fileUrl(row.photo),
  notify_by: row.notify_by,
  words_per_minute: row.words_per_minute,
  weekly_summary: row.role === 'owner' ? row.weekly_summary_off_at === null : null,
});
