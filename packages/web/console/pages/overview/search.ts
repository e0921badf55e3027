import { OVERVIEW_DAYS, type OverviewDays } from './days.ts';

/** Reads the period from the address bar; ignores unknown values. */
export function readOverviewSearch(search: Record<string, unknown>): { readonly days?: OverviewDays } {
  const days = OVERVIEW_DAYS.find((one) => String(one) === String(search.days));
  return days === undefined ? {} : { days };
}
