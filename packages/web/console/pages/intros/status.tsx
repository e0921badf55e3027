import type { ConsoleEventRow, ConsoleIntroRow } from '@foreword/contract';
import { Badge } from '../../parts/badge.tsx';
import type { Tone } from '../../parts/notice.tsx';
import { EVENT_STATUS_NAMES, INTROS } from '../../texts/intros.ts';
import { STATUS_NAMES } from '../../texts/names.ts';

type Shown = Pick<ConsoleIntroRow, 'status' | 'delivery_error' | 'opened_at' | 'watched_percent'>;

/** The furthest step that the intro has reached. */
export function IntroStatus({ status, delivery_error, opened_at, watched_percent }: Shown) {
  if (delivery_error !== null && (status === 'ready' || status === 'sent')) {
    return <Badge tone="bad">{INTROS.notDelivered}</Badge>;
  }
  if (status === 'requested') return <Badge tone="warn">{STATUS_NAMES.requested}</Badge>;
  if (status === 'ready') return <Badge tone="info">{STATUS_NAMES.ready}</Badge>;
  if (status !== 'sent') return <Badge>{STATUS_NAMES[status]}</Badge>;
  if (watched_percent > 0) return <Badge tone="good">{INTROS.watched(watched_percent)}</Badge>;
  return <Badge tone="good">{opened_at === null ? STATUS_NAMES.sent : INTROS.opened}</Badge>;
}

const EVENT_TONES: Record<ConsoleEventRow['status'], Tone | undefined> = {
  accepted: 'info',
  processed: undefined,
  failed: 'bad',
};

export function EventStatus({ status }: Pick<ConsoleEventRow, 'status'>) {
  const tone = EVENT_TONES[status];
  return <Badge {...(tone !== undefined && { tone })}>{EVENT_STATUS_NAMES[status]}</Badge>;
}
