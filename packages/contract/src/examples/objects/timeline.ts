import type { List } from '../../resources.ts';
import type { TimelineStep } from '../../timeline.ts';
import { ACCEPTED } from './events.ts';
import { EXPIRED, UNDELIVERABLE, WATCHED } from './intros.ts';

const RECORDING = 'rec_01kkc2nyf2w0048e0mqar1e9fp';
const REFUSED_TAKE = 'rec_01kkcmhw83w00skzwj6csaxwq4';
const NEXT_TAKE = 'rec_01kkcmmcv0w00dger5m8q21nb5';

/** Timeline of the intro `WATCHED`. */
export const WATCHED_TIMELINE: List<TimelineStep> = {
  object: 'list',
  data: [
    { at: WATCHED.created_at, type: 'asked', cause: 'integration', detail: { event: ACCEPTED.id } },
    { at: '2026-03-10T14:15:02.918Z', type: 'member_told', cause: 'service', detail: { channel: 'text' } },
    { at: '2026-03-10T14:31:10.642Z', type: 'opened_by_member', cause: 'member', detail: null },
    { at: '2026-03-10T14:33:41.090Z', type: 'recorded', cause: 'member', detail: { recording: RECORDING } },
    { at: '2026-03-10T14:33:47.465Z', type: 'processed', cause: 'service', detail: { recording: RECORDING } },
    { at: '2026-03-10T14:33:49.207Z', type: 'sent', cause: 'service', detail: { channel: 'text' } },
    { at: '2026-03-10T14:33:52.730Z', type: 'delivered', cause: 'carrier', detail: { channel: 'text' } },
    { at: '2026-03-10T14:52:20.884Z', type: 'opened', cause: 'recipient', detail: null },
    { at: '2026-03-10T14:52:25.307Z', type: 'watched', cause: 'recipient', detail: { percent: 25 } },
    { at: '2026-03-10T14:52:29.671Z', type: 'watched', cause: 'recipient', detail: { percent: 50 } },
    { at: '2026-03-10T14:52:34.052Z', type: 'watched', cause: 'recipient', detail: { percent: 75 } },
    { at: '2026-03-10T14:52:38.416Z', type: 'watched', cause: 'recipient', detail: { percent: 100 } },
    {
      at: '2026-03-10T14:52:51.930Z',
      type: 'replied',
      cause: 'recipient',
      detail: { reply: 'confirm', label: 'See you then' },
    },
    { at: '2026-03-10T14:52:52.318Z', type: 'reply_forwarded', cause: 'service', detail: { channel: 'text' } },
  ],
  has_more: false,
};

/** Timeline of the intro `UNDELIVERABLE`. */
export const UNDELIVERABLE_TIMELINE: List<TimelineStep> = {
  object: 'list',
  data: [
    {
      at: UNDELIVERABLE.created_at,
      type: 'asked',
      cause: 'integration',
      detail: { event: 'evt_01kkcmfrexw00v1fxa744hc5r5' },
    },
    { at: '2026-03-10T19:44:53.390Z', type: 'member_told', cause: 'service', detail: { channel: 'text' } },
    { at: '2026-03-10T19:45:27.902Z', type: 'opened_by_member', cause: 'member', detail: null },
    { at: '2026-03-10T19:46:02.115Z', type: 'recorded', cause: 'member', detail: { recording: REFUSED_TAKE } },
    {
      at: '2026-03-10T19:46:04.871Z',
      type: 'recording_refused',
      cause: 'service',
      detail: { code: 'broken', recording: REFUSED_TAKE },
    },
    { at: '2026-03-10T19:47:24.640Z', type: 'recorded', cause: 'member', detail: { recording: NEXT_TAKE } },
    { at: '2026-03-10T19:47:30.118Z', type: 'processed', cause: 'service', detail: { recording: NEXT_TAKE } },
    {
      at: '2026-03-10T19:47:32.406Z',
      type: 'not_sent',
      cause: 'carrier',
      detail: {
        channel: 'text',
        code: 'invalid_number',
        message: 'According to the carrier, this mobile number does not exist.',
      },
    },
  ],
  has_more: false,
};

/** Timeline of the intro `EXPIRED`. */
export const EXPIRED_TIMELINE: List<TimelineStep> = {
  object: 'list',
  data: [
    { at: EXPIRED.created_at, type: 'asked', cause: 'integration', detail: null },
    { at: '2026-03-02T17:11:10.006Z', type: 'member_told', cause: 'service', detail: { channel: 'email' } },
    { at: '2026-03-08T17:11:09.283Z', type: 'member_reminded', cause: 'service', detail: { channel: 'email' } },
    { at: '2026-03-09T17:11:09.283Z', type: 'expired', cause: 'service', detail: null },
  ],
  has_more: false,
};
