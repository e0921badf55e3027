/** "Thu, Mar 12, 2:30 PM CDT": always in the zone that counts, whatever the phone says. The year only where it is another. */
export function formatMoment(at: string, timezone: string, nowMs: number): string {
  const yearOf = (ms: number) => new Intl.DateTimeFormat('en-US', { timeZone: timezone, year: 'numeric' }).format(ms);
  const atMs = Date.parse(at);
  const format = new Intl.DateTimeFormat('en-US', {
    timeZone: timezone,
    weekday: 'short',
    month: 'short',
    day: 'numeric',
    hour: 'numeric',
    minute: '2-digit',
    timeZoneName: 'short',
    ...(yearOf(atMs) !== yearOf(nowMs) && { year: 'numeric' }),
  });
  return format.format(atMs);
}

/** An appointment is the last moment for its video, so that most deadlines say nothing new. */
export const isAnotherMoment = (deadline: string, appointment: { readonly starts_at: string } | null): boolean =>
  appointment === null || Date.parse(deadline) !== Date.parse(appointment.starts_at);
