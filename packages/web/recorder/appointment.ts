import { LOCALE, WHEN } from '#recorder-texts';
import { dayNumber, sayHowSoon as sayHowSoonIn } from '../kit/how-soon.ts';
import { wallClockMs } from './engine/clock.ts';

/** "Tuesday, November 24" and "2:00 PM CST": always in the appointment's time zone, not the phone's. */
export function formatAppointment(startsAt: string, timezone: string): { day: string; time: string } {
  const at = Date.parse(startsAt);
  const day = new Intl.DateTimeFormat(LOCALE, { timeZone: timezone, weekday: 'long', month: 'long', day: 'numeric' });
  const time = new Intl.DateTimeFormat(LOCALE, {
    timeZone: timezone,
    hour: 'numeric',
    minute: '2-digit',
    timeZoneName: 'short',
  });
  return { day: day.format(at), time: time.format(at) };
}

/** "tomorrow at 8:00 AM CST", in the recipient's time zone. */
export function sayWhen(at: string, timezone: string, nowMs: number): string {
  const { day, time } = formatAppointment(at, timezone);
  const days = dayNumber(Date.parse(at), timezone) - dayNumber(nowMs, timezone);
  if (days === 0) return WHEN.today(time);
  return days === 1 ? WHEN.tomorrow(time) : WHEN.on(day, time);
}

/** "in 40 minutes", "tomorrow" */
export const sayHowSoon = (at: string, timezone: string): string => sayHowSoonIn(at, timezone, wallClockMs(), LOCALE);
