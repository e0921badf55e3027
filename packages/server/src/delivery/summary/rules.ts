import { localDate, parseZonedTime } from '../../platform/instants.ts';

/** Monday morning, before the week is planned. */
const SEND_AT = '08:00:00';
/** After a longer outage, the summary would arrive in the middle of the week, and is left out. */
const SENT_UNTIL_MS = 24 * 3_600_000;
const DAY_MS = 86_400_000;
const WEEK_DAYS = 7;

export interface SummaryWeek {
  /** The Monday on which the summary is sent, such as `2026-03-09`. */
  readonly week: string;
  readonly dueAt: Date;
  /** The seven days before, and those before them: from midnight to midnight in the time zone. */
  readonly before: Date;
  readonly from: Date;
  readonly until: Date;
}

const plusDays = (date: string, days: number): string =>
  new Date(Date.parse(`${date}T12:00:00Z`) + days * DAY_MS).toISOString().slice(0, 10);

function startOf(date: string, time: string, timezone: string): Date {
  const at = parseZonedTime(`${date}T${time}`, timezone);
  if (at === null) throw new Error(`${date} has no ${time} in ${timezone}`);
  return at;
}

/** The week whose summary is sent on the Monday of the current week. Weeks with a clock change have 167 or 169 hours. */
export function summaryWeek(now: Date, timezone: string): SummaryWeek {
  const today = localDate(now, timezone);
  const daysSinceMonday = (new Date(`${today}T12:00:00Z`).getUTCDay() + WEEK_DAYS - 1) % WEEK_DAYS;
  const week = plusDays(today, -daysSinceMonday);
  const midnight = (days: number) => startOf(plusDays(week, days), '00:00:00', timezone);
  return {
    week,
    dueAt: startOf(week, SEND_AT, timezone),
    before: midnight(-2 * WEEK_DAYS),
    from: midnight(-WEEK_DAYS),
    until: midnight(0),
  };
}

export const isDue = ({ dueAt }: SummaryWeek, now: Date): boolean =>
  now >= dueAt && now.getTime() < dueAt.getTime() + SENT_UNTIL_MS;

/** The first and the last day of the week that a summary is about. */
export const daysOf = (week: string): { first: string; last: string } => ({
  first: plusDays(week, -WEEK_DAYS),
  last: plusDays(week, -1),
});
