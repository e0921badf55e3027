import { useSyncExternalStore } from 'react';
import { formatRelative, formatTime, nowMs, READER_ZONE, type TimeStyle } from '../format.ts';
import { useSession } from '../session.ts';

const TICK_MS = 30_000;

let currentMs = nowMs();
const listeners = new Set<() => void>();
let ticking: ReturnType<typeof setInterval> | undefined;

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  ticking ??= setInterval(() => {
    currentMs = nowMs();
    for (const each of listeners) each();
  }, TICK_MS);
  return () => {
    listeners.delete(listener);
    if (listeners.size > 0) return;
    clearInterval(ticking);
    ticking = undefined;
  };
}

/** The current time, updated every 30 seconds for all users of the hook at once. */
export const useNowMs = (): number =>
  useSyncExternalStore(subscribe, () => {
    if (ticking === undefined) currentMs = nowMs();
    return currentMs;
  });

interface TimeProps {
  /** ISO 8601. */
  at: string;
  style?: TimeStyle | 'relative';
  /** A time zone such as the organization's; by default the browser's. */
  zone?: string;
}

/** A formatted time, with the full time as a tooltip. */
export function Time({ at, style = 'relative', zone }: TimeProps) {
  const now = useNowMs();
  return (
    <time dateTime={at} title={formatTime(at, 'full', zone)}>
      {style === 'relative' ? formatRelative(at, now) : formatTime(at, style, zone)}
    </time>
  );
}

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
