import type { ConsoleIntroRow } from '@foreword/contract';
import { isTestNumber } from '@foreword/contract/plain';
import { Icon, type IconName } from '../../parts/display.tsx';
import { STATUS_NAMES } from '../../texts.ts';
import { DECLINES } from './decline-texts.ts';
import { INTROS } from './list-texts.ts';

type Shown = Pick<
  ConsoleIntroRow,
  'status' | 'declined' | 'delivery_error' | 'opened_at' | 'watched_percent' | 'responsibility' | 'recipient'
>;

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

function lookOf({
  status,
  declined,
  delivery_error,
  opened_at,
  watched_percent,
  responsibility,
  recipient,
}: Shown): Look {
  if (declined !== null) return { color: 'failed', icon: 'warn', text: DECLINES.badge };
  if (delivery_error !== null && (status === 'ready' || status === 'sent')) {
    return { color: 'failed', icon: 'warn', text: status === 'ready' ? INTROS.notSent : INTROS.notDelivered };
  }
  if (status === 'sent' && watched_percent > 0) {
    return { color: 'opened', icon: 'play', text: INTROS.watched(watched_percent) };
  }
  if (status === 'sent' && opened_at !== null) return { color: 'opened', icon: 'eye', text: INTROS.opened };
  // Nothing was sent to a test number.
  if (status === 'sent' && responsibility === 'service' && isTestNumber(recipient.phone)) {
    return { color: 'simulated', icon: 'phone', text: INTROS.simulated };
  }
  return { color: status, icon: ICONS[status], text: STATUS_NAMES[status] };
}

/** The furthest step that the intro has reached. The color and the icon only repeat the text. */
export function IntroStatus(shown: Shown) {
  const { color, icon, text } = lookOf(shown);
  return (
    <span className={`badge status status-${color}`}>
      <Icon name={icon} />
      {text}
    </span>
  );
}
