/** "Thu, Mar 12, 2:30 PM CDT": always in the appointment's own zone, whatever the phone says. */
export function formatAppointment(startsAt: string, timezone: string): string {
  const format = new Intl.DateTimeFormat('en-US', {
    timeZone: timezone,
    weekday: 'short',
    month: 'short',
    day: 'numeric',
    hour: 'numeric',
    minute: '2-digit',
    timeZoneName: 'short',
  });
  return format.format(Date.parse(startsAt));
}
