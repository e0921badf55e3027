import { formatTime } from './format.ts';

export interface Day<Item> {
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
