import { formatTime, READER_ZONE } from '../../format.ts';
import { Time } from '../../parts/time.tsx';
import { useSession } from '../../session.ts';

/** The organization's zone, by which the filters count days; named where the reader's clock shows another. */
function useStyle() {
  const { timezone } = useSession().organization;
  return { zone: timezone, style: timezone === READER_ZONE ? 'dateTime' : 'dateTimeZone' } as const;
}

/** Day and time of something that happened to an intro. */
export const Moment = ({ at }: { at: string }) => <Time at={at} {...useStyle()} />;

/** The same for the middle of a sentence. */
export function useFormatMoment(): (at: string) => string {
  const { zone, style } = useStyle();
  return (at) => formatTime(at, style, zone);
}
