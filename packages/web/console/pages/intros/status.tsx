import type { ConsoleIntroRow } from '@foreword/contract';
import { DELIVERY_STATUS_NAMES, INTRO_PROBLEM_NAMES } from '@foreword/contract/plain';
import { Badge, Icon, type IconName, type Tone } from '../../parts/display.tsx';
import { STATUS_NAMES } from '../../texts.ts';
import { INTROS } from './list-texts.ts';

type Shown = Pick<ConsoleIntroRow, 'status' | 'problem' | 'delivery_status' | 'opened_at' | 'watched_percent'>;

interface Look {
  readonly tone?: Tone;
  readonly icon: IconName;
  readonly text: string;
}

const LOOKS: Record<ConsoleIntroRow['status'], Omit<Look, 'text'>> = {
  requested: { tone: 'warn', icon: 'video' },
  ready: { tone: 'info', icon: 'check' },
  sent: { icon: 'send' },
  cancelled: { icon: 'close' },
  expired: { icon: 'clock' },
};

/** The problem, or the furthest step that the intro has reached. */
export function lookOf({ status, problem, delivery_status: delivery, opened_at, watched_percent }: Shown): Look {
  if (problem !== null) return { tone: 'bad', icon: 'warn', text: INTRO_PROBLEM_NAMES[problem] };
  if (delivery === 'not_sent' || delivery === 'not_delivered') {
    return { tone: 'bad', icon: 'warn', text: DELIVERY_STATUS_NAMES[delivery] };
  }
  if (status === 'sent' && watched_percent > 0) {
    return { tone: 'good', icon: 'play', text: INTROS.watched(watched_percent) };
  }
  if (status === 'sent' && opened_at !== null) return { tone: 'good', icon: 'eye', text: INTROS.opened };
  if (delivery === 'simulated') return { icon: 'phone', text: DELIVERY_STATUS_NAMES[delivery] };
  return {
    ...LOOKS[status],
    text: delivery === null ? STATUS_NAMES[status] : DELIVERY_STATUS_NAMES[delivery],
  };
}

/** The color and the icon only repeat the text. */
export function IntroStatus(shown: Shown) {
  const { tone, icon, text } = lookOf(shown);
  return (
    <Badge tone={tone}>
      <Icon name={icon} />
      {text}
    </Badge>
  );
}
