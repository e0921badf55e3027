import { EVENT_FAILURES } from '../../errors.ts';
import type { AcceptedEvent, TouchpointEvent } from '../../resources.ts';
import { REQUESTED } from './intros.ts';
import { ANA, MARCUS, NEW_APPOINTMENT, PROJECT_UPDATE } from './team.ts';

/** The event that created the intro `REQUESTED`. */
export const ACCEPTED: AcceptedEvent = {
  id: 'evt_01kkc1kss8w00d7hgn7s1a31f2',
  object: 'touchpoint_event',
  status: 'accepted',
  touchpoint: NEW_APPOINTMENT.slug,
  reference: { source: 'acme_crm', type: 'appointment', id: 'appt_8812' },
  metadata: { crm_owner: 'west', priority: 2 },
  occurred_at: '2026-03-10T14:15:00.000Z',
  environment: 'test',
  created_at: '2026-03-10T14:15:02.184Z',
};

const RESOLVED: TouchpointEvent['resolved'] = {
  touchpoint: { slug: NEW_APPOINTMENT.slug, name: NEW_APPOINTMENT.name },
  member: { id: ANA.id, external_id: ANA.external_id },
};

/** As retrieved before it is processed. */
export const PENDING: TouchpointEvent = { ...ACCEPTED, resolved: RESOLVED, intro: null };

export const PROCESSED: TouchpointEvent = { ...PENDING, status: 'processed', intro: REQUESTED.id };

/** Its recipient opted out of text messages earlier. */
export const FAILED: TouchpointEvent = {
  id: 'evt_01kk9qgwbyw006fdrw76dh1b5v',
  object: 'touchpoint_event',
  status: 'failed',
  touchpoint: PROJECT_UPDATE.slug,
  reference: { source: 'acme_crm', type: 'job', id: 'job_501' },
  metadata: {},
  occurred_at: '2026-03-09T16:40:05.000Z',
  environment: 'test',
  created_at: '2026-03-09T16:40:11.902Z',
  resolved: {
    touchpoint: { slug: PROJECT_UPDATE.slug, name: PROJECT_UPDATE.name },
    member: { id: MARCUS.id, external_id: MARCUS.external_id },
  },
  intro: null,
  error: { code: 'recipient_opted_out', message: EVENT_FAILURES.recipient_opted_out },
};
