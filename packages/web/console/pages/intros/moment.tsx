import { formatTime, READER_ZONE } from '../../format.ts';
import { Time } from '../../parts/time.tsx';
import { useSession } from '../../session.ts';

/** Shows times in the organization's zone, as the filters do, and names the zone if it is not the reader's. */
function useStyle() {
  const { timezone } = useSession().organization;
  return { zone: timezone, style: timezone === READER_ZONE ? 'dateTime' : 'dateTimeZone' } as const;
}

export const Moment = ({ at }: { at: string }) => <Time at={at} {...useStyle()} />;

/** Formats a moment for use within a sentence. */
export function useFormatMoment(): (at: string) => string {
  const { zone, style } = useStyle();
  return (at) => formatTime(at, style, zone);
}
