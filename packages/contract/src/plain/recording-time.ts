export const HOUR_MINUTES = 60;
export const DAY_MINUTES = 24 * HOUR_MINUTES;

/** How long a touchpoint may give a member to record, in minutes. With less than five, no one can. */
export const RECORDING_TIME = { shortest: 5, longest: 365 * DAY_MINUTES } as const;

export type TimeUnit = 'minute' | 'hour' | 'day';
export const UNIT_MINUTES: Readonly<Record<TimeUnit, number>> = { minute: 1, hour: HOUR_MINUTES, day: DAY_MINUTES };

/** The largest unit in which the time is a whole number: 90 minutes, 2 hours, 3 days. */
export function unitOf(minutes: number): TimeUnit {
  if (minutes % DAY_MINUTES === 0) return 'day';
  return minutes % HOUR_MINUTES === 0 ? 'hour' : 'minute';
}
