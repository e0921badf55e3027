import type { OverviewDays } from '@foreword/contract';
import { OVERVIEW_DAYS } from '@foreword/contract/plain';

/** Reads the period from the address bar; ignores unknown values. */
export function readOverviewSearch(search: Record<string, unknown>): { readonly days?: OverviewDays } {
  const days = OVERVIEW_DAYS.find((each) => String(each) === String(search.days));
  return days === undefined ? {} : { days };
}
