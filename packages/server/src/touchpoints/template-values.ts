import { wallTime } from '../platform/instants.ts';

const WEEKDAYS = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday'];
const MONTHS = [
  ...['January', 'February', 'March', 'April', 'May', 'June'],
  ...['July', 'August', 'September', 'October', 'November', 'December'],
];

export const templateVariables: readonly { path: string; says: string }[] = [
  { path: 'recipient.first_name', says: 'First name of the person who gets the video' },
  { path: 'recipient.last_name', says: 'Last name of the person who gets the video; empty when it was not sent' },
  { path: 'member.first_name', says: 'First name of the team member who records the video' },
  { path: 'member.last_name', says: 'Last name of the team member who records the video' },
  { path: 'organization.name', says: 'Name of your organization' },
  {
    path: 'appointment',
    says: 'The appointment in full, like Thursday, March 12 at 2:30 PM; empty when there is none',
  },
  { path: 'appointment.weekday', says: 'Day of the week of the appointment, like Thursday' },
  { path: 'appointment.date', says: 'Date of the appointment, like March 12' },
  { path: 'appointment.time', says: 'Time of the appointment where it takes place, like 2:30 PM' },
  { path: 'trade', says: 'The trade, like roofing; empty when it was not sent' },
  { path: 'lane', says: 'The lane, retail or insurance; empty when it was not sent' },
];

export interface TemplateValues {
  recipient: { first_name: string; last_name: string | null };
  member: { first_name: string; last_name: string };
  organization: { name: string };
  appointment: { startsAt: Date; timezone: string } | null;
  trade: string | null;
  lane: string | null;
}

/** What the template sees: the values, with the appointment already put into words. */
export type Scope = Omit<TemplateValues, 'appointment'> & {
  appointment: { weekday: string; date: string; time: string; toString: () => string } | null;
};

export const SAMPLE_VALUES: Scope = {
  recipient: { first_name: 'Sarah', last_name: 'Miller' },
  member: { first_name: 'Jake', last_name: 'Turner' },
  organization: { name: 'Summit Home Group' },
  appointment: appointmentWords('Thursday', 'March 12', '2:30 PM'),
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

/** A title and a script are rendered from the same values; an appointment is put into words once. */
const scopes = new WeakMap<TemplateValues, Scope>();

export function scopeOf(values: TemplateValues): Scope {
  const known = scopes.get(values);
  if (known !== undefined) return known;
  const { appointment } = values;
  const words = appointment && appointmentAt(appointment.startsAt, appointment.timezone);
  const scope = { ...values, appointment: words };
  scopes.set(values, scope);
  return scope;
}

function appointmentAt(startsAt: Date, timezone: string): Scope['appointment'] {
  const local = wallTime(startsAt, timezone);
  const hour = local.getUTCHours();
  const minute = String(local.getUTCMinutes()).padStart(2, '0');
  return appointmentWords(
    WEEKDAYS[local.getUTCDay()] ?? '',
    `${MONTHS[local.getUTCMonth()]} ${local.getUTCDate()}`,
    `${hour % 12 === 0 ? 12 : hour % 12}:${minute} ${hour < 12 ? 'AM' : 'PM'}`,
  );
}

function appointmentWords(weekday: string, date: string, time: string): Scope['appointment'] {
  return { weekday, date, time, toString: () => `${weekday}, ${date} at ${time}` };
}
