import { DAY_MS, HOUR_MS, RETENTION_GRACE_HOURS, RETENTION_POLICIES, type RetentionRule } from '@foreword/contract';

const GRACE_MS = RETENTION_GRACE_HOURS * HOUR_MS;

/** How often a worker removes old data. */
export const SWEEP_INTERVAL_MS = HOUR_MS;
/** Small, so that a batch holds its locks for milliseconds. */
export const BATCH = 200;
/** Pauses take this many times as long as the batch before them, which leaves the database to requests. */
const PAUSE_FACTOR = 9;
const LONGEST_PAUSE_MS = 5_000;

export const pauseAfter = (batchMs: number): number => Math.min(batchMs * PAUSE_FACTOR, LONGEST_PAUSE_MS);

/** The organization's choice. Null: the default applies. */
export type Choice = {
  readonly days: number;
  readonly earlier_days: number | null;
  readonly changed_at: Date;
} | null;

/** When a shorter period takes effect; null if the chosen one applies already. */
export function effectiveAt(choice: Choice, now: Date): Date | null {
  if (choice === null || choice.earlier_days === null) return null;
  const at = new Date(choice.changed_at.getTime() + GRACE_MS);
  return at <= now ? null : at;
}

/** The days that apply now. */
export function daysAt(rule: RetentionRule, choice: Choice, now: Date): number {
  const chosen = choice?.days ?? RETENTION_POLICIES[rule].default;
  return effectiveAt(choice, now) === null ? chosen : Math.max(chosen, choice?.earlier_days ?? 0);
}

/** The new choice. A shorter period than the one that applies now waits, so that a mistake can be undone. */
export function choose(rule: RetentionRule, current: Choice, days: number, now: Date): NonNullable<Choice> {
  const applies = daysAt(rule, current, now);
  return { days, earlier_days: days < applies ? applies : null, changed_at: now };
}

/** Data from before this time is removed. */
export const removedBefore = (now: Date, days: number): Date => new Date(now.getTime() - days * DAY_MS);

/** Why the days cannot be chosen; null if they can. */
export function explainDays(rule: RetentionRule, days: number): string | null {
  const { min, max } = RETENTION_POLICIES[rule];
  return Number.isInteger(days) && days >= min && days <= max ? null : `must be a whole number from ${min} to ${max}`;
}
