import { EVENT_FAILURES } from '../errors.ts';
import { ACCEPTED, FAILED, PENDING, PROCESSED } from './objects/events.ts';
import { REQUESTED } from './objects/intros.ts';
import { NEW_APPOINTMENT } from './objects/team.ts';
import type { Examples } from './types.ts';

type EventRequests = Examples['createTouchpointEvent']['requests'];

const EVENT_REQUESTS: EventRequests = {
  appointment: {
    summary: 'An appointment was booked',
    value: {
      touchpoint: 'new_appointment',
      occurred_at: '2026-03-10T14:15:00Z',
      member: { external_id: 'rep_17' },
      recipient: { first_name: 'Dana', last_name: 'Reyes', phone: '+14155550123' },
      reference: { source: 'acme_crm', type: 'appointment', id: 'appt_8812' },
      context: {
        appointment: { starts_at: '2026-03-12T14:30:00', timezone: 'America/Chicago' },
        lane: 'retail',
      },
      metadata: { crm_owner: 'west', priority: 2 },
    },
  },
  status: {
    summary: 'A job moved on, with the trade',
    value: {
      touchpoint: 'project_update',
      occurred_at: '2026-03-10T10:02:40-05:00',
      member: { email: 'ana@acme.example' },
      recipient: { first_name: 'Grace', phone: '+13125550172' },
      reference: { source: 'acme_crm', type: 'job', id: 'job_502' },
      context: { trade: 'gutters' },
    },
  },
  spanish: {
    summary: 'For a recipient who prefers Spanish',
    value: {
      touchpoint: 'on_my_way',
      occurred_at: '2026-03-10T15:20:00Z',
      member: { external_id: 'rep_17' },
      recipient: { first_name: 'Rosa', last_name: 'Silva', phone: '+13125550162', language: 'es' },
    },
  },
  minimal: {
    summary: 'Only the required fields',
    value: {
      touchpoint: 'project_complete',
      occurred_at: '2026-03-10T15:45:00Z',
      member: { external_id: 'rep_17' },
      recipient: { first_name: 'Luis', phone: '+13125550199' },
    },
  },
};

const WOULD_BE_PROCESSED: Examples['dryRun']['responses'][string]['value'] = {
  object: 'dry_run',
  status: 'processed',
  touchpoint: { slug: NEW_APPOINTMENT.slug, name: NEW_APPOINTMENT.name },
  member: REQUESTED.member,
  intro: {
    recipient: REQUESTED.recipient,
    reference: REQUESTED.reference,
    context: REQUESTED.context,
    instructions: { script: REQUESTED.instructions?.script ?? '', script_language: 'en', words: 32, seconds: 12.8 },
    recipient_opted_out: false,
    delivery: { responsibility: 'service' },
    metadata: REQUESTED.metadata,
    expires_at: '2026-03-12T19:30:00.000Z',
  },
  error: null,
  environment: 'test',
};

export const EVENT_EXAMPLES = {
  createTouchpointEvent: {
    idempotencyKey: 'acme_crm:appt_8812:new_appointment:2026-03-12T19:30Z',
    requests: EVENT_REQUESTS,
    responses: {
      accepted: { summary: 'The event is stored', value: ACCEPTED },
      duplicate: { summary: 'The same request again', value: { ...ACCEPTED, status: 'duplicate' } },
    },
  },
  listEvents: {
    query: { status: 'failed' },
    responses: {
      page: {
        summary: 'The newest two events, and more follow',
        value: { object: 'list', data: [PROCESSED, FAILED], has_more: true },
      },
      lastPage: { summary: 'The last page', value: { object: 'list', data: [FAILED], has_more: false } },
      empty: { summary: 'Nothing matches', value: { object: 'list', data: [], has_more: false } },
    },
  },
  retrieveEvent: {
    responses: {
      processed: { summary: 'Processed: it created an intro', value: PROCESSED },
      accepted: { summary: 'Not processed yet', value: PENDING },
      failed: { summary: 'Failed: the recipient has opted out', value: FAILED },
    },
  },
  retryEvent: {
    idempotencyKey: 'acme_crm:job_501:project_update:retry:1',
    requests: null,
    responses: { accepted: { summary: 'It is processed again', value: PENDING } },
  },
  dryRun: {
    requests: EVENT_REQUESTS,
    responses: {
      processed: { summary: 'It would create this intro', value: WOULD_BE_PROCESSED },
      failed: {
        summary: 'It would fail: the recipient has opted out',
        value: {
          ...WOULD_BE_PROCESSED,
          status: 'failed',
          intro: null,
          error: { code: 'recipient_opted_out', message: EVENT_FAILURES.recipient_opted_out },
        },
      },
    },
  },
} satisfies Partial<Examples>;
