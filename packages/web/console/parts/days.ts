import { DAY_MS } from '@foreword/contract/plain/times';
import { formatTime } from '../format.ts';
import { PARTS } from '../texts.ts';
import { useNowMs, useZone } from './time.tsx';

interface Day<Item> {
  /** The date in the organization's time zone. */
  readonly date: string;
  readonly items: readonly Item[];
}

/** Keeps the order: a day ends where the next item has another date. */
export function groupByDay<Item extends { readonly at: string }>(items: readonly Item[], zone: string): Day<Item>[] {
  const days: { date: string; items: Item[] }[] = [];
  for (const item of items) {
    const date = formatTime(item.at, 'day', zone);
    const last = days.at(-1);
    if (last?.date === date) last.items.push(item);
    else days.push({ date, items: [item] });
  }
  return days;
}

/** The items by day, with "Today" and "Yesterday" in the organization's time zone, otherwise the date. */
export function useDays<Item extends { readonly at: string }>(items: readonly Item[]) {
  const [zone, now] = [useZone(), useNowMs()];
  const dateAt = (ms: number) => formatTime(new Date(ms).toISOString(), 'day', zone);
  const nameOf = (date: string) =>
    date === dateAt(now) ? PARTS.today : date === dateAt(now - DAY_MS) ? PARTS.yesterday : date;
  return groupByDay(items, zone).map((day) => ({ ...day, name: nameOf(day.date) }));
}
