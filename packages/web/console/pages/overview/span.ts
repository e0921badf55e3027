import type { OverviewDays } from '@foreword/contract';

export type { OverviewDays } from '@foreword/contract';

/** As the contract has them; types alone come from there. */
export const OVERVIEW_DAYS = [7, 30, 90] as const satisfies readonly OverviewDays[];
export const USUAL_DAYS: OverviewDays = 30;
