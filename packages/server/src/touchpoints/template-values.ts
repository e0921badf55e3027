import { wallTime } from '../platform/instants.ts';

const WEEKDAYS = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday'];
const MONTHS = [
  ...['January', 'February', 'March', 'April', 'May', 'June'],
  ...['July', 'August', 'September', 'October', 'November', 'December'],
];

export const templateVariables: readonly { path: string; says: string }[] = [
  { path: 'recipient.first_name', says: 'First name of the recipient' },
  { path: 'recipient.last_name', says: 'Last name of the recipient; empty if not sent' },
  { path: 'member.first_name', says: 'First name of the member who records the video' },
  { path: 'member.last_name', says: 'Last name of the member who records the video' },
  { path: 'organization.name', says: 'Name of your organization' },
  {
    path: 'appointment',
    says: 'The full appointment, such as Thursday, March 12 at 2:30 PM; empty if there is none',
  },
  { path: 'appointment.weekday', says: 'Weekday of the appointment, such as Thursday' },
  { path: 'appointment.date', says: 'Date of the appointment, such as March 12' },
  { path: 'appointment.time', says: 'Local time of the appointment, such as 2:30 PM' },
  { path: 'trade', says: 'The trade, such as roofing; empty if not sent' },
  { path: 'lane', says: 'The lane, retail or insurance; empty if not sent' },
];

export interface TemplateValues {
  recipient: { first_name: string; last_name: string | null };
  member: { first_name: string; last_name: string };
  organization: { name: string };
  appointment: { startsAt: Date; timezone: string } | null;
  trade: string | null;
  lane: string | null;
}

/** The values as the template sees them, with the appointment formatted. */
export type Scope = Omit<TemplateValues, 'appointment'> & {
  appointment: { weekday: string; date: string; time: string; toString: () => string } | null;
};

export const SAMPLE_VALUES: Scope = {
  recipient: { first_name: 'Sarah', last_name: 'Miller' },
  member: { first_name: 'Jake', last_name: 'Turner' },
  organization: { name: 'Summit Home Group' },
  appointment: formattedAppointment('Thursday', 'March 12', '2:30 PM'),
  trade: 'roofing',
  lane: 'retail',
};
export const BARE_SAMPLE_VALUES: Scope = {
  ...SAMPLE_VALUES,
  recipient: { first_name: 'Sarah', last_name: null },
  appointment: null,
  trade: null,
  lane: null,
};

/** A title and a script are rendered from the same values, so each appointment is formatted once. */
const scopes = new WeakMap<TemplateValues, Scope>();

export function scopeOf(values: TemplateValues): Scope {
  const known = scopes.get(values);
  if (known !== undefined) return known;
  const { appointment } = values;
  const scope = {
    ...values,
    appointment: appointment && formatAppointment(appointment.startsAt, appointment.timezone),
  };
  scopes.set(values, scope);
  return scope;
}

function formatAppointment(startsAt: Date, timezone: string): Scope['appointment'] {
  const local = wallTime(startsAt, timezone);
  const hour = local.getUTCHours();
  const minute = String(local.getUTCMinutes()).padStart(2, '0');
  return formattedAppointment(
    WEEKDAYS[local.getUTCDay()] ?? '',
    `${MONTHS[local.getUTCMonth()]} ${local.getUTCDate()}`,
    `${hour % 12 === 0 ? 12 : hour % 12}:${minute} ${hour < 12 ? 'AM' : 'PM'}`,
  );
}

function formattedAppointment(weekday: string, date: string, time: string): Scope['appointment'] {
  return { weekday, date, time, toString: () => `${weekday}, ${date} at ${time}` };
}
