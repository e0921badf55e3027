import type { ConsoleIntroRow } from '@foreword/contract';
import { DELIVERY_STATUS_NAMES, INTRO_PROBLEM_NAMES } from '@foreword/contract/plain';
import { Badge, type Tone } from '../../parts/display.tsx';
import { STATUS_NAMES } from '../../texts.ts';
import { INTROS } from './list-texts.ts';

type Shown = Pick<ConsoleIntroRow, 'status' | 'problem' | 'delivery_status' | 'opened_at' | 'watched_percent'>;

interface Look {
  readonly tone?: Tone | undefined;
  readonly text: string;
}

const TONES: Partial<Record<ConsoleIntroRow['status'], Tone>> = { requested: 'warn', ready: 'info' };

/** The problem, or the furthest step that the intro has reached. */
export function lookOf({ status, problem, delivery_status: delivery, opened_at, watched_percent }: Shown): Look {
  if (problem !== null) return { tone: 'bad', text: INTRO_PROBLEM_NAMES[problem] };
  if (delivery === 'not_sent' || delivery === 'not_delivered') {
    return { tone: 'bad', text: DELIVERY_STATUS_NAMES[delivery] };
  }
  if (status === 'sent' && watched_percent > 0) return { tone: 'good', text: INTROS.watched(watched_percent) };
  if (status === 'sent' && opened_at !== null) return { tone: 'good', text: 'Opened' };
  if (delivery === 'simulated') return { text: DELIVERY_STATUS_NAMES[delivery] };
  return { tone: TONES[status], text: delivery === null ? STATUS_NAMES[status] : DELIVERY_STATUS_NAMES[delivery] };
}

/** The color only repeats the text. */
export function IntroStatus(shown: Shown) {
  const { tone, text } = lookOf(shown);
  return <Badge tone={tone}>{text}</Badge>;
}
