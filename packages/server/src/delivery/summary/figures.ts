import type { WeekCounts } from '../../intros/index.ts';

/** An intro that is not recorded yet. */
export interface WaitingIntro {
  readonly id: string;
  readonly recipient: string;
  readonly member: string;
  readonly since: string;
}

/** Stored with the summary, so that each owner gets the same figures, whenever the mail server accepts them. */
export interface SummaryFigures extends WeekCounts {
  /** The intros that have waited the longest. */
  readonly longest: readonly WaitingIntro[];
}
