import type { Language } from '@foreword/contract';
import { wallTime } from '../platform/instants.ts';

/** Values as they are spoken in each language. */
interface Vocabulary {
  readonly weekdays: readonly string[];
  readonly months: readonly string[];
  readonly date: (month: string, day: number) => string;
  readonly halves: readonly [morning: string, afternoon: string];
  readonly appointment: (weekday: string, date: string, time: string) => string;
  /** Trades without an entry keep their name. */
  readonly trades: Readonly<Record<string, string>>;
}

const VOCABULARIES: Readonly<Record<Language, Vocabulary>> = {
  en: {
    weekdays: ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday'],
    months: [
      ...['January', 'February', 'March', 'April', 'May', 'June'],
      ...['July', 'August', 'September', 'October', 'November', 'December'],
    ],
    date: (month, day) => `${month} ${day}`,
    halves: ['AM', 'PM'],
    appointment: (weekday, date, time) => `${weekday}, ${date} at ${time}`,
    trades: {},
  },
  es: {
    weekdays: ['domingo', 'lunes', 'martes', 'miércoles', 'jueves', 'viernes', 'sábado'],
    months: [
      ...['enero', 'febrero', 'marzo', 'abril', 'mayo', 'junio'],
      ...['julio', 'agosto', 'septiembre', 'octubre', 'noviembre', 'diciembre'],
    ],
    date: (month, day) => `${day} de ${month}`,
    // Without periods, which would be doubled at the end of a sentence.
    halves: ['AM', 'PM'],
    // "a la 1:30", but "a las 2:30".
    appointment: (weekday, date, time) => `${weekday} ${date} a ${time.startsWith('1:') ? 'la' : 'las'} ${time}`,
    trades: {
      roofing: 'techo',
      siding: 'revestimiento',
      windows: 'ventanas',
      doors: 'puertas',
      gutters: 'canaletas',
    },
  },
};

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
  appointment: {
    weekday: 'Thursday',
    date: 'March 12',
    time: '2:30 PM',
    toString: () => 'Thursday, March 12 at 2:30 PM',
  },
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

/** A title and a script are rendered from the same values, so each appointment is formatted once for a language. */
const scopes: Readonly<Record<Language, WeakMap<TemplateValues, Scope>>> = { en: new WeakMap(), es: new WeakMap() };

export function scopeOf(values: TemplateValues, language: Language): Scope {
  const known = scopes[language].get(values);
  if (known !== undefined) return known;
  const { appointment, trade } = values;
  const scope = {
    ...values,
    appointment: appointment && formatAppointment(appointment.startsAt, appointment.timezone, VOCABULARIES[language]),
    trade: trade && (VOCABULARIES[language].trades[trade] ?? trade),
  };
  scopes[language].set(values, scope);
  return scope;
}

function formatAppointment(startsAt: Date, timezone: string, vocabulary: Vocabulary): Scope['appointment'] {
  const { weekdays, months, halves } = vocabulary;
  const local = wallTime(startsAt, timezone);
  const hour = local.getUTCHours();
  const minute = String(local.getUTCMinutes()).padStart(2, '0');
  const weekday = weekdays[local.getUTCDay()] ?? '';
  const date = vocabulary.date(months[local.getUTCMonth()] ?? '', local.getUTCDate());
  const time = `${hour % 12 === 0 ? 12 : hour % 12}:${minute} ${halves[hour < 12 ? 0 : 1]}`;
  return { weekday, date, time, toString: () => vocabulary.appointment(weekday, date, time) };
}
