import {
  type AttentionIntro,
  DAY_MS,
  INTRO_PROBLEMS,
  type IntroStatistics,
  type OverviewIssue,
  type RecordingTimes,
} from '@foreword/contract';
import { localDate, parseZonedTime } from '../../platform/instants.ts';

/** The last `days` dates, today included, oldest first. Dates, because a day may have 23 or 25 hours. */
export function datesUntil(now: Date, days: number, timezone: string): readonly string[] {
  const noonMs = Date.parse(`${localDate(now, timezone)}T12:00:00Z`);
  return Array.from({ length: days }, (_, index) =>
    new Date(noonMs - (days - 1 - index) * DAY_MS).toISOString().slice(0, 10),
  );
}

/** Midnight of the date in the time zone. */
export const startOfDate = (date: string, timezone: string): Date =>
  parseZonedTime(`${date}T00:00:00`, timezone) ?? new Date(`${date}T00:00:00Z`);

/** Recorded intros with a similar duration: their number and total duration. */
interface Bucket {
  readonly bucket: number | null;
  readonly recorded: number;
  readonly seconds: number | null;
}

/** The time in ms within which `share` of the intros were recorded. */
function quantile(buckets: readonly Bucket[], share: number): number | null {
  const total = buckets.reduce((sum, { recorded }) => sum + recorded, 0);
  let wanted = Math.ceil(total * share);
  for (const { recorded, seconds } of buckets) {
    wanted -= recorded;
    if (wanted <= 0 && recorded > 0) return Math.round(((seconds ?? 0) / recorded) * 1000);
  }
  return null;
}

/** Merges rows of the same bucket first, because they may come from several touchpoints. */
export function recordingTimes(rows: readonly Bucket[]): RecordingTimes {
  const merged = new Map<number, { bucket: number; recorded: number; seconds: number }>();
  for (const { bucket, recorded, seconds } of rows) {
    if (bucket === null || recorded === 0) continue;
    const found = merged.get(bucket) ?? { bucket, recorded: 0, seconds: 0 };
    found.recorded += recorded;
    found.seconds += seconds ?? 0;
    merged.set(bucket, found);
  }
  const sorted = [...merged.values()].sort((a, b) => a.bucket - b.bucket);
  return { median_ms: quantile(sorted, 0.5), p90_ms: quantile(sorted, 0.9) };
}

const COUNTS = ['requested', 'recorded', 'sent', 'opened', 'watched'] as const satisfies (keyof IntroStatistics)[];

export function addUp(rows: readonly IntroStatistics[]): IntroStatistics {
  const sum = { requested: 0, recorded: 0, sent: 0, opened: 0, watched: 0 };
  for (const row of rows) for (const name of COUNTS) sum[name] += row[name];
  return sum;
}

/** Before everything else: until it is fixed, nothing can be sent. */
const isBlocking = (issue: OverviewIssue): boolean => issue.kind === 'carrier';

/** One line for each member who was not reached, with the number of their intros, in the place of the first. */
function mergeNotReached(intros: readonly AttentionIntro[]): AttentionIntro[] {
  const groups = Map.groupBy(intros, ({ problem, id, member }) => (problem === 'member_not_reached' ? member.id : id));
  return [...groups.values()].flatMap((group) =>
    group.slice(0, 1).map((first) => ({ ...first, amount: group.length })),
  );
}

/**
 * First the problems that stop everything, then intros that expire within a day, then by problem and age; problems of the setup last.
 */
export function orderAttention(
  intros: readonly AttentionIntro[],
  issues: readonly OverviewIssue[],
  now: Date,
): (AttentionIntro | OverviewIssue)[] {
  const soon = now.getTime() + DAY_MS;
  const rankOf = ({ problem, expires_at: due }: AttentionIntro): number =>
    due !== null && Date.parse(due) < soon ? -1 : INTRO_PROBLEMS.indexOf(problem);
  const ordered = intros.toSorted((a, b) => rankOf(a) - rankOf(b) || Date.parse(a.at) - Date.parse(b.at));
  return [...issues.filter(isBlocking), ...mergeNotReached(ordered), ...issues.filter((issue) => !isBlocking(issue))];
}
