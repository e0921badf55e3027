import {
  CANCELLED,
  DIRECT,
  DIRECT_READY,
  DIRECT_SENT,
  EXPIRED,
  READY,
  REPLIED,
  REQUESTED,
  SENT,
  TAKEN_DOWN,
  UNDELIVERABLE,
  WAITING,
  WATCHED,
} from './objects/intros.ts';
import { EXPIRED_TIMELINE, UNDELIVERABLE_TIMELINE, WATCHED_TIMELINE } from './objects/timeline.ts';
import type { Examples } from './types.ts';

export const INTRO_EXAMPLES = {
  createIntro: {
    idempotencyKey: 'acme_app:deal_314:hello',
    requests: {
      integration: {
        summary: 'Your system sends the link',
        value: {
          member: { external_id: 'rep_17' },
          recipient: { first_name: 'Sam', last_name: 'Ortega', phone: '+13125550144' },
          reference: { source: 'acme_app', type: 'deal', id: 'deal_314' },
          context: { title: 'A short hello from Ana' },
          instructions: {
            script:
              "Hi Sam, this is Ana from Acme Roofing. Thanks for calling us. I'll look after your roof from here on.",
          },
          delivery: { responsibility: 'integration' },
          metadata: { campaign: 'spring' },
        },
      },
      service: {
        summary: 'Foreword texts the link, before an appointment',
        value: {
          member: { email: 'ana@acme.example' },
          recipient: { first_name: 'Dana', last_name: 'Reyes', phone: '+14155550123' },
          context: {
            title: 'Dana, meet Ana before your visit',
            appointment: { starts_at: '2026-03-12T14:30:00-05:00', timezone: 'America/Chicago' },
          },
          delivery: { responsibility: 'service' },
        },
      },
      spanish: {
        summary: 'For a recipient who prefers Spanish',
        value: {
          member: { external_id: 'rep_17' },
          recipient: { first_name: 'Rosa', phone: '+13125550162', language: 'es' },
          instructions: { script: 'Hola, Rosa, soy Ana, de Acme Roofing. Gracias por llamarnos.' },
        },
      },
      minimal: {
        summary: 'Only the required fields',
        value: {
          member: { external_id: 'rep_17' },
          recipient: { first_name: 'Tom', phone: '+13125550155' },
        },
      },
    },
    responses: { requested: { summary: 'Waiting for the member to record', value: DIRECT } },
  },
  listIntros: {
    query: { status: 'ready' },
    responses: {
      page: {
        summary: 'The newest three intros, and more follow',
        value: { object: 'list', data: [WAITING, UNDELIVERABLE, DIRECT_READY], has_more: true },
      },
      lastPage: {
        summary: 'The last page',
        value: { object: 'list', data: [CANCELLED, EXPIRED], has_more: false },
      },
      empty: { summary: 'Nothing matches', value: { object: 'list', data: [], has_more: false } },
    },
  },
  retrieveIntro: {
    responses: {
      requested: { summary: 'Requested: the member has yet to record', value: REQUESTED },
      ready: { summary: 'Ready: send the link now', value: DIRECT_READY },
      scheduled: { summary: 'Ready: Foreword texts the link in the morning', value: WAITING },
      undeliverable: { summary: 'Ready, but the number does not exist', value: UNDELIVERABLE },
      sent: { summary: 'Sent', value: SENT },
      watched: { summary: 'Sent, opened and watched', value: WATCHED },
      replied: { summary: 'Watched, and the recipient replied', value: REPLIED },
      cancelled: { summary: 'Cancelled', value: CANCELLED },
      expired: { summary: 'Expired: not recorded in time', value: EXPIRED },
      takenDown: { summary: 'Sent, and its page was taken down', value: TAKEN_DOWN },
    },
  },
  cancelIntro: {
    idempotencyKey: 'acme_crm:appt_8805:cancel',
    requests: null,
    responses: {
      cancelled: { summary: 'Cancelled', value: CANCELLED },
      sent: { summary: 'Already sent, so nothing changed', value: SENT },
    },
  },
  markIntroSent: {
    idempotencyKey: 'acme_app:deal_314:hello:sent',
    requests: null,
    responses: { sent: { summary: 'Sent', value: DIRECT_SENT } },
  },
  takeDownIntro: {
    idempotencyKey: 'acme_crm:appt_8812:new_appointment:take_down',
    requests: null,
    responses: { takenDown: { summary: 'The page was taken down', value: TAKEN_DOWN } },
  },
  retryRecording: {
    idempotencyKey: 'acme_crm:appt_8812:new_appointment:retry:1',
    requests: null,
    responses: { requested: { summary: 'The take is being processed', value: REQUESTED } },
  },
  createRecordingLink: {
    id: REQUESTED.id,
    idempotencyKey: 'acme_crm:appt_8812:new_appointment:recording_link',
    requests: {
      fiveMinutes: { summary: 'Expires after five minutes', value: { expires_in: 300 } },
      longest: { summary: 'Expires after 15 minutes, as without a body', value: {} },
    },
    responses: {
      link: {
        summary: 'The link',
        value: {
          object: 'recording_link',
          url: `https://intros.acme.example/r/${REQUESTED.id.slice(4)}0001vztQhtE8zFq7Hc2Vx9LmQ4sRw6T`,
          expires_at: '2026-03-10T14:36:07.000Z',
        },
      },
    },
  },
  retrieveTimeline: {
    id: WATCHED.id,
    responses: {
      watched: { summary: 'From the request to the end of the video', value: WATCHED_TIMELINE },
      refused: { summary: 'A rejected take, and a text that could not be sent', value: UNDELIVERABLE_TIMELINE },
      expired: { summary: 'A direct intro that was not recorded', value: EXPIRED_TIMELINE },
    },
  },
  recordTestIntro: {
    idempotencyKey: 'acme_crm:appt_8812:new_appointment:record',
    requests: null,
    responses: {
      requested: { summary: 'The video is being processed', value: REQUESTED },
      ready: { summary: 'A second take replaces the first one', value: READY },
    },
  },
} satisfies Partial<Examples>;
