import type { List } from '../../resources.ts';
import type { TimelineStep } from '../../timeline.ts';
import { ACCEPTED } from './events.ts';
import { WATCHED } from './intros.ts';

const RECORDING = 'rec_01kkc2nyf2w0048e0mqar1e9fp';

/** Of the intro `WATCHED`. */
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
  ],
  has_more: false,
};
