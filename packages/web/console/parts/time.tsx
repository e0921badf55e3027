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

/** The time by now, to half a minute; all that uses it moves on together. */
export const useNowMs = (): number =>
  useSyncExternalStore(subscribe, () => {
    if (ticking === undefined) currentMs = nowMs();
    return currentMs;
  });

interface TimeProps {
  /** As the server sends it. */
  at: string;
  style?: TimeStyle | 'relative';
  /** The zone that counts, such as the organization's; the reader's own when left out. */
  zone?: string;
}

/** A time in words; pointing at it shows it in full. */
export function Time({ at, style = 'relative', zone }: TimeProps) {
  const now = useNowMs();
  return (
    <time dateTime={at} title={formatTime(at, 'full', zone)}>
      {style === 'relative' ? formatRelative(at, now) : formatTime(at, style, zone)}
    </time>
  );
}
