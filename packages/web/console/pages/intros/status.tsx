import type { ConsoleIntroRow } from '@foreword/contract';
import { DELIVERY_STATUS_NAMES, INTRO_PROBLEM_NAMES } from '@foreword/contract/plain';
import { Icon, type IconName } from '../../parts/display.tsx';
import { STATUS_NAMES } from '../../texts.ts';
import { INTROS } from './list-texts.ts';

type Shown = Pick<ConsoleIntroRow, 'status' | 'problem' | 'delivery_status' | 'opened_at' | 'watched_percent'>;

interface Look {
  /** The part of the class name that sets the color. */
  readonly color: ConsoleIntroRow['status'] | 'failed' | 'opened' | 'simulated';
  readonly icon: IconName;
  readonly text: string;
}

const ICONS: Record<ConsoleIntroRow['status'], IconName> = {
  requested: 'video',
  ready: 'check',
  sent: 'send',
  cancelled: 'close',
  expired: 'clock',
};

/** The problem, or the furthest step that the intro has reached. */
export function lookOf({ status, problem, delivery_status: delivery, opened_at, watched_percent }: Shown): Look {
  if (problem !== null) return { color: 'failed', icon: 'warn', text: INTRO_PROBLEM_NAMES[problem] };
  if (delivery === 'not_sent' || delivery === 'not_delivered') {
    return { color: 'failed', icon: 'warn', text: DELIVERY_STATUS_NAMES[delivery] };
  }
  if (status === 'sent' && watched_percent > 0) {
    return { color: 'opened', icon: 'play', text: INTROS.watched(watched_percent) };
  }
  if (status === 'sent' && opened_at !== null) return { color: 'opened', icon: 'eye', text: INTROS.opened };
  if (delivery === 'simulated') return { color: 'simulated', icon: 'phone', text: DELIVERY_STATUS_NAMES[delivery] };
  return {
    color: status,
    icon: ICONS[status],
    text: delivery === null ? STATUS_NAMES[status] : DELIVERY_STATUS_NAMES[delivery],
  };
}

/** The color and the icon only repeat the text. */
export function IntroStatus(shown: Shown) {
  const { color, icon, text } = lookOf(shown);
  return (
    <span className={`badge status status-${color}`}>
      <Icon name={icon} />
      {text}
    </span>
  );
}
