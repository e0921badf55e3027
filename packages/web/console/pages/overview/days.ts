import type { OverviewDays } from '@foreword/contract';

export type { OverviewDays } from '@foreword/contract';

/** Repeated here because the web app imports only types from the contract. */
export const OVERVIEW_DAYS = [7, 30, 90] as const satisfies readonly OverviewDays[];
export const DEFAULT_DAYS: OverviewDays = 30;
