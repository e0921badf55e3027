import { useSyncExternalStore } from 'react';
import { nowMs } from '../clock.ts';
import { formatRelative, formatTime, type TimeStyle } from '../format.ts';

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
