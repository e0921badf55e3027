/** "Thu, Mar 12, 2:30 PM CDT": always in the given zone; with the year if it is not the current one. */
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

/** Most videos are due at the appointment; such a deadline is not shown again. */
export const differsFromAppointment = (deadline: string, appointment: { readonly starts_at: string } | null): boolean =>
  appointment === null || Date.parse(deadline) !== Date.parse(appointment.starts_at);
