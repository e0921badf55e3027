import { OVERVIEW_DAYS, type OverviewDays } from './span.ts';

/** What stands in the address bar of the overview; the usual span stands for anything else. */
export function readOverviewSearch(search: Record<string, unknown>): { readonly days?: OverviewDays } {
  const days = OVERVIEW_DAYS.find((one) => String(one) === String(search.days));
  return days === undefined ? {} : { days };
}
