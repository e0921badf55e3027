import { DAY_MS } from '@foreword/contract/plain/times';
import { useSyncExternalStore } from 'react';
import { formatRelative, formatTime, nowMs, type TimeStyle, zoneName } from '../format.ts';
import { useSession } from '../session.ts';
import { PARTS } from '../texts.ts';

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

/** The organization's time zone, in which the console shows all times. */
export const useZone = (): string => useSession().organization.timezone;

interface TimeProps {
  /** ISO 8601. */
  at: string;
  style?: TimeStyle | 'relative';
}

/** A time in the organization's zone, with the full time and the zone as a tooltip. */
export function Time({ at, style = 'relative' }: TimeProps) {
  const now = useNowMs();
  const zone = useZone();
  return (
    <time dateTime={at} title={formatTime(at, 'full', zone)}>
      {style === 'relative' ? formatRelative(at, now, zone) : formatTime(at, style, zone)}
    </time>
  );
}

export const Moment = ({ at }: { at: string }) => <Time at={at} style="dateTime" />;

/** Formats a moment for use within a sentence. */
export function useFormatMoment(): (at: string) => string {
  const zone = useZone();
  return (at) => formatTime(at, 'dateTime', zone);
}

/** For fields in which the user enters a date or time. */
export function useZoneHint(): string {
  const zone = useZone();
  return PARTS.zoneHint(zoneName(zone, useNowMs()));
}

/** The items by their date in this zone. */
export function groupByDay<Item extends { readonly at: string }>(items: readonly Item[], zone: string) {
  const days = new Map<string, Item[]>();
  for (const item of items) {
    const date = formatTime(item.at, 'day', zone);
    days.set(date, [...(days.get(date) ?? []), item]);
  }
  return [...days].map(([date, listed]) => ({ date, items: listed }));
}

/** The items by day, with "Today" and "Yesterday" in the organization's time zone, otherwise the date. */
export function useDays<Item extends { readonly at: string }>(items: readonly Item[]) {
  const [zone, now] = [useZone(), useNowMs()];
  const dateAt = (ms: number) => formatTime(new Date(ms).toISOString(), 'day', zone);
  const nameOf = (date: string) =>
    date === dateAt(now) ? PARTS.today : date === dateAt(now - DAY_MS) ? PARTS.yesterday : date;
  return groupByDay(items, zone).map((day) => ({ ...day, name: nameOf(day.date) }));
}
