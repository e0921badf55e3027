/** Folder: the objects that the examples show. */

import { NOTIFICATION_FAILURES } from '../../errors.ts';
import type { Intro, Member } from '../../resources.ts';
import { ANA, MARCUS } from './team.ts';

const memberOf = ({ id, external_id, first_name, last_name }: Member): Intro['member'] => ({
  id,
  external_id,
  first_name,
  last_name,
});

const UNSENT: Intro['delivery'] = {
  responsibility: 'service',
  recipient_url: null,
  scheduled_for: null,
  reason: null,
  error: null,
};

/** Ana's video on the page with this address. */
const videoAt = (page_url: string, duration_seconds: number): Intro['media'] => ({
  page_url,
  poster_url: `${page_url}/poster.jpg`,
  preview_url: `${page_url}/preview.webp`,
  duration_seconds,
  share_text: `Ana from Acme Roofing recorded a short video for you: ${page_url}`,
});

const NOTHING_YET = {
  recorded_at: null,
  sent_at: null,
  opened_at: null,
  watched_at: null,
  cancelled_at: null,
  taken_down_at: null,
  likeness_withdrawn_at: null,
  erased_at: null,
} as const;

const NOTIFIED_AT = '2026-03-10T14:15:02.608Z';

/** From a touchpoint event, before and after Ana records it, and as far as Dana gets. */
export const REQUESTED: Intro = {
  id: 'int_01kkc1kstqw00vm17f7jkshy89',
  object: 'intro',
  status: 'requested',
  touchpoint: 'new_appointment',
  member: memberOf(ANA),
  recipient: { first_name: 'Dana', last_name: 'Reyes', phone: '+14155550123', language: 'en' },
  reference: { source: 'acme_crm', type: 'appointment', id: 'appt_8812' },
  context: {
    title: 'Dana, meet Ana before your visit',
    appointment: { starts_at: '2026-03-12T19:30:00.000Z', timezone: 'America/Chicago' },
    trade: null,
    lane: 'retail',
  },
  instructions: {
    script_language: 'en',
    script:
      "Hi Dana, I'm Ana from Acme Roofing, and I'll be the one coming out on Thursday, March 12, at 2:30 PM. We'll look at your " +
      "home together, and you'll get straight answers.",
  },
  recipient_opted_out: false,
  delivery: UNSENT,
  media: null,
  reply: null,
  declined: null,
  member_notified_at: null,
  notification_error: null,
  metadata: { crm_owner: 'west', priority: 2 },
  environment: 'test',
  version: 1,
  created_at: '2026-03-10T14:15:02.231Z',
  expires_at: '2026-03-12T19:30:00.000Z',
  ...NOTHING_YET,
};

export const REASSIGNED: Intro = { ...REQUESTED, member: memberOf(MARCUS), version: 2 };

/** Ana has no number, and her address bounces. */
export const UNREACHABLE: Intro = {
  ...REQUESTED,
  version: 2,
  notification_error: { code: 'email_bounces', message: NOTIFICATION_FAILURES.email_bounces },
};

/** Ana is away. */
export const DECLINED: Intro = {
  ...REQUESTED,
  version: 2,
  member_notified_at: NOTIFIED_AT,
  declined: { reason: 'away', message: null, declined_at: '2026-03-10T14:20:11.482Z' },
};

export const READY: Intro = {
  ...REQUESTED,
  member_notified_at: NOTIFIED_AT,
  status: 'ready',
  delivery: { ...UNSENT, recipient_url: 'https://intros.acme.example/i/7Kq2mXw9TzLb' },
  media: videoAt('https://intros.acme.example/i/7Kq2mXw9TzLb', 14.6),
  version: 2,
  expires_at: '2026-04-09T14:33:47.465Z',
  recorded_at: '2026-03-10T14:33:47.465Z',
};

export const SENT: Intro = {
  ...READY,
  status: 'sent',
  version: 3,
  expires_at: null,
  sent_at: '2026-03-10T14:33:49.207Z',
};

export const OPENED: Intro = { ...SENT, version: 4, opened_at: '2026-03-10T14:52:20.884Z' };

export const WATCHED: Intro = { ...OPENED, version: 5, watched_at: '2026-03-10T14:52:38.416Z' };

/** Dana taps a reply after the video, and asks a question later. */
export const REPLIED: Intro = {
  ...WATCHED,
  version: 6,
  reply: {
    type: 'confirm',
    label: 'See you then',
    message: null,
    channel: 'page',
    replied_at: '2026-03-10T14:52:51.930Z',
  },
};

export const ASKED: Intro = {
  ...REPLIED,
  version: 7,
  reply: {
    type: 'question',
    label: 'I have a question',
    message: 'Do you need access to the attic?',
    channel: 'page',
    replied_at: '2026-03-10T18:05:12.604Z',
  },
};

/** The page was taken down after Dana watched the video. */
export const TAKEN_DOWN: Intro = { ...WATCHED, version: 6, media: null, taken_down_at: '2026-03-11T15:20:09.417Z' };

/** Recorded at night: the text to the recipient waits until the morning. */
export const WAITING: Intro = {
  ...REQUESTED,
  id: 'int_01kkdc8dk5w00vykp4z9xjd230',
  status: 'ready',
  touchpoint: 'estimate_follow_up',
  recipient: { first_name: 'Priya', last_name: 'Shah', phone: '+13125550148', language: 'en' },
  reference: { source: 'acme_crm', type: 'job', id: 'job_498' },
  context: { title: 'Priya, a word about your estimate', appointment: null, trade: 'windows', lane: null },
  instructions: {
    script_language: 'en',
    script:
      "Hi Priya, it's Ana from Acme Roofing, following up on the estimate for your windows. Take your time with it. If " +
      "anything isn't clear, call me, and we'll go through it line by line.",
  },
  delivery: {
    ...UNSENT,
    recipient_url: 'https://intros.acme.example/i/Rf4Jc0sVnY8e',
    scheduled_for: '2026-03-11T13:00:00.000Z',
    reason: 'quiet_hours',
  },
  media: videoAt('https://intros.acme.example/i/Rf4Jc0sVnY8e', 12.2),
  metadata: {},
  version: 2,
  created_at: '2026-03-11T02:40:18.021Z',
  expires_at: '2026-04-10T02:51:06.330Z',
  recorded_at: '2026-03-11T02:51:06.330Z',
};

/** To a test number, which gets no real text. */
export const TEST_NUMBER: Intro = {
  ...SENT,
  id: 'int_01kkcb7vrmw00j7cq42x9e0wdr',
  recipient: { first_name: 'Dana', last_name: 'Reyes', phone: '+15005550100', language: 'en' },
  reference: null,
  delivery: { ...SENT.delivery, recipient_url: 'https://intros.acme.example/i/dW8sLr3PfX0k' },
  media: videoAt('https://intros.acme.example/i/dW8sLr3PfX0k', 6.0),
  metadata: {},
  created_at: '2026-03-10T17:03:16.756Z',
  recorded_at: '2026-03-10T17:03:24.160Z',
  sent_at: '2026-03-10T17:03:25.034Z',
};

/** The carrier says that the number does not exist. */
export const UNDELIVERABLE: Intro = {
  ...REQUESTED,
  id: 'int_01kkcmfrgrw00dxac3sg1k79f1',
  status: 'ready',
  touchpoint: 'on_my_way',
  recipient: { first_name: 'Luis', last_name: null, phone: '+13125550199', language: 'en' },
  reference: { source: 'acme_crm', type: 'appointment', id: 'appt_8790' },
  context: { title: 'Ana is on the way to you', appointment: null, trade: null, lane: null },
  instructions: {
    script_language: 'en',
    script:
      "Hi Luis, Ana from Acme Roofing here, and I'm on my way to you now. This is the face you'll see at the door, so you know " +
      "it's me. See you soon.",
  },
  delivery: {
    ...UNSENT,
    recipient_url: 'https://intros.acme.example/i/pX3uH6aWd1Zk',
    reason: 'invalid_number',
    error: { code: 'invalid_number', message: 'According to the carrier, this mobile number does not exist.' },
  },
  media: videoAt('https://intros.acme.example/i/pX3uH6aWd1Zk', 9.8),
  metadata: {},
  version: 3,
  created_at: '2026-03-10T19:44:52.760Z',
  expires_at: '2026-04-09T19:47:30.118Z',
  recorded_at: '2026-03-10T19:47:30.118Z',
};

/** The customer cancelled the appointment before Ana recorded. */
export const CANCELLED: Intro = {
  ...REQUESTED,
  id: 'int_01kk9wd00rw00aan853rew0h3y',
  status: 'cancelled',
  recipient: { first_name: 'Grace', last_name: 'Okafor', phone: '+13125550172', language: 'en' },
  reference: { source: 'acme_crm', type: 'appointment', id: 'appt_8805' },
  context: {
    title: 'Grace, meet Ana before your visit',
    appointment: { starts_at: '2026-03-11T15:00:00.000Z', timezone: 'America/Chicago' },
    trade: null,
    lane: 'retail',
  },
  instructions: {
    script_language: 'en',
    script:
      "Hi Grace, I'm Ana from Acme Roofing, and I'll be the one coming out on Wednesday, March 11, at 10:00 AM. We'll look at your " +
      "home together, and you'll get straight answers.",
  },
  metadata: {},
  version: 2,
  created_at: '2026-03-09T18:05:27.448Z',
  expires_at: null,
  cancelled_at: '2026-03-09T21:12:40.973Z',
};

/** Not recorded in time. */
export const EXPIRED: Intro = {
  ...REQUESTED,
  id: 'int_01kjqrgh73w00ykmmzvy82cw0g',
  status: 'expired',
  touchpoint: null,
  member: memberOf(MARCUS),
  recipient: { first_name: 'Tom', last_name: 'Lindqvist', phone: '+13125550155', language: 'en' },
  reference: null,
  context: null,
  instructions: null,
  delivery: { ...UNSENT, responsibility: 'integration' },
  metadata: {},
  version: 2,
  created_at: '2026-03-02T17:11:09.283Z',
  expires_at: '2026-03-09T17:11:09.283Z',
};

/** Created directly; the caller sends the link. */
export const DIRECT: Intro = {
  ...REQUESTED,
  id: 'int_01kkc8sjs7w00ym0rvvzh4s9yf',
  touchpoint: null,
  recipient: { first_name: 'Sam', last_name: 'Ortega', phone: '+13125550144', language: 'en' },
  reference: { source: 'acme_app', type: 'deal', id: 'deal_314' },
  context: { title: 'A short hello from Ana', appointment: null, trade: null, lane: null },
  instructions: {
    script_language: 'en',
    script: "Hi Sam, this is Ana from Acme Roofing. Thanks for calling us. I'll look after your roof from here on.",
  },
  delivery: { ...UNSENT, responsibility: 'integration' },
  metadata: { campaign: 'spring' },
  created_at: '2026-03-10T16:20:31.655Z',
  expires_at: '2026-03-17T16:20:31.655Z',
};

export const DIRECT_READY: Intro = {
  ...DIRECT,
  status: 'ready',
  delivery: { ...DIRECT.delivery, recipient_url: 'https://intros.acme.example/i/B5nGyQe2oMvS' },
  media: videoAt('https://intros.acme.example/i/B5nGyQe2oMvS', 11.3),
  version: 2,
  expires_at: '2026-04-09T16:41:58.702Z',
  recorded_at: '2026-03-10T16:41:58.702Z',
};

export const DIRECT_SENT: Intro = {
  ...DIRECT_READY,
  status: 'sent',
  version: 3,
  expires_at: null,
  sent_at: '2026-03-10T16:42:03.518Z',
};
