import { HOUR_MS } from '@foreword/contract';
import { escapeText, writeLines } from './content-lines.ts';
import { textsIn } from './texts/index.ts';
import { formatPhone, type PageView } from './view.ts';

/** The length of a visit is unknown; calendars default to an hour. */
const DEFAULT_DURATION_MS = HOUR_MS;

interface CalendarEvent {
  readonly name: string;
  readonly notes: string | null;
  readonly startsAtMs: number;
  readonly endsAtMs: number;
}

function toEvent(view: PageView): CalendarEvent | null {
  const { appointment, member, organization } = view;
  if (appointment === null) return null;
  const phone = member.phone ?? organization.officePhone;
  const texts = textsIn(view.language);
  return {
    name: texts.eventName(`${member.firstName} ${member.lastName}`, organization.name),
    notes: phone === null ? null : texts.eventNotes(formatPhone(phone)),
    startsAtMs: appointment.startsAtMs,
    endsAtMs: appointment.startsAtMs + DEFAULT_DURATION_MS,
  };
}

const isoSeconds = (ms: number): string => `${new Date(ms).toISOString().slice(0, 19)}Z`;
/** 20300312T193000Z */
const compact = (ms: number): string => isoSeconds(ms).replaceAll(/[-:]/g, '');

/** RFC 5545, 3.2: a quoted parameter must not contain a quote. */
const quote = (text: string): string => `"${text.replaceAll('"', "'")}"`;

/** Null without an appointment. Times are in UTC, which every calendar converts, so no time zone has to be defined. */
export function writeCalendarFile(view: PageView): string | null {
  const event = toEvent(view);
  if (event === null) return null;
  const { hostname } = new URL(view.url);
  const lines = [
    'BEGIN:VCALENDAR',
    'VERSION:2.0',
    `PRODID:-//Foreword//Appointment//${view.language.toUpperCase()}`,
    'CALSCALE:GREGORIAN',
    'BEGIN:VEVENT',
    // Stable, so that a second download updates the entry instead of adding another.
    `UID:${view.introId}@${hostname}`,
    `DTSTAMP:${compact(view.madeAtMs)}`,
    `DTSTART:${compact(event.startsAtMs)}`,
    `DTEND:${compact(event.endsAtMs)}`,
    `SUMMARY:${escapeText(event.name)}`,
    ...(event.notes === null ? [] : [`DESCRIPTION:${escapeText(event.notes)}`]),
    // The organizer must be an address. Calendars treat this one as empty, and the member's own stays private.
    `ORGANIZER;CN=${quote(event.name)}:invalid:nomail`,
    'STATUS:CONFIRMED',
    'TRANSP:OPAQUE',
    'END:VEVENT',
    'END:VCALENDAR',
  ];
  return writeLines(lines);
}

export function calendarLinks(view: PageView) {
  const event = toEvent(view);
  if (event === null) return null;
  const google = new URLSearchParams({
    action: 'TEMPLATE',
    text: event.name,
    dates: `${compact(event.startsAtMs)}/${compact(event.endsAtMs)}`,
    ...(event.notes !== null && { details: event.notes }),
  });
  const outlook = new URLSearchParams({
    path: '/calendar/action/compose',
    rru: 'addevent',
    subject: event.name,
    startdt: isoSeconds(event.startsAtMs),
    enddt: isoSeconds(event.endsAtMs),
    ...(event.notes !== null && { body: event.notes }),
  });
  return {
    google: `https://calendar.google.com/calendar/render?${google}`,
    outlook: `https://outlook.live.com/calendar/0/action/compose?${outlook}`,
  };
}
