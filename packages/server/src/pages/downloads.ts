import { HOUR_MS } from '@foreword/contract';
import { textsIn } from './texts/index.ts';
import { formatPhone, type PageView } from './view.ts';

// Files for the recipient's phone: calendar files (RFC 5545, 3.1 and 3.3.11) and contact cards (RFC 2425 and 2426), which share one syntax
// of lines.

const LINE_BYTES = 75;

/** A value that is text. No character in it can begin another line. */
const escapeText = (text: string): string =>
  text
    .replaceAll(/[\\;,]/g, '\\$&')
    .replaceAll(/\r\n|[\r\n\u0085\u2028\u2029]/g, '\\n')
    .replaceAll(/\p{Cc}/gu, '');

/** Folds a line at 75 bytes, never inside a character. */
function fold(line: string): string {
  const lines: string[] = [];
  let current = '';
  let bytes = 0;
  for (const character of line) {
    const size = Buffer.byteLength(character);
    if (bytes + size > LINE_BYTES) {
      lines.push(current);
      // The space that marks a continuation line counts too.
      current = ' ';
      bytes = 1;
    }
    current += character;
    bytes += size;
  }
  return [...lines, current].join('\r\n');
}

const writeLines = (lines: readonly string[]): string => `${lines.map(fold).join('\r\n')}\r\n`;

/** The length of a visit is unknown; calendars default to an hour. */
const DEFAULT_DURATION_MS = HOUR_MS;

function toEvent(view: PageView) {
  const { appointment, member, organization } = view;
  if (appointment === null) return null;
  const phone = member.phone ?? organization.office_phone;
  const texts = textsIn(view.language);
  return {
    name: texts.eventName(`${member.first_name} ${member.last_name}`, organization.name),
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

type ContactView = Pick<PageView, 'member' | 'organization' | 'textsFrom'>;

/** The office, then the numbers that text: the member's own, and the one that sends the texts. Each once. */
function numbersOf({ member, organization, textsFrom }: ContactView) {
  const all = [
    { type: 'WORK,VOICE', phone: organization.office_phone },
    { type: 'CELL', phone: member.phone },
    { type: 'CELL', phone: textsFrom },
  ];
  return all.flatMap(({ type, phone }, index) =>
    phone === null || all.findIndex((other) => other.phone === phone) < index ? [] : [{ type, phone }],
  );
}

/** Phones hide texts of numbers that they do not know, so a card without a number is of no use. */
export const hasContact = (view: ContactView): boolean => numbersOf(view).length > 0;

/** A vCard 3.0, which phones of every age read. Null without a number. */
export function writeContactCard(view: ContactView, photo: Buffer | null): string | null {
  const { member, organization } = view;
  if (!hasContact(view)) return null;
  const [first, last] = [escapeText(member.first_name), escapeText(member.last_name)];
  return writeLines([
    'BEGIN:VCARD',
    'VERSION:3.0',
    `N:${last};${first};;;`,
    `FN:${first} ${last}`,
    `ORG:${escapeText(organization.name)}`,
    ...(member.title === null ? [] : [`TITLE:${escapeText(member.title)}`]),
    ...numbersOf(view).map(({ type, phone }) => `TEL;TYPE=${type}:${phone}`),
    ...(organization.website === null ? [] : [`URL:${new URL(organization.website).href}`]),
    ...(photo === null ? [] : [`PHOTO;ENCODING=b;TYPE=JPEG:${photo.toString('base64')}`]),
    'END:VCARD',
  ]);
}

/** Phones open a card that is shown inline, and name the file after the person when they save it. */
export function contactDisposition({ member }: Pick<PageView, 'member'>): string {
  const name = `${member.first_name} ${member.last_name}`.replaceAll(/[^\p{L}\p{M}\p{N} -]/gu, '').trim() || 'contact';
  const plain =
    name
      .normalize('NFKD')
      .replaceAll(/[^\w -]/g, '')
      .trim() || 'contact';
  return `inline; filename="${plain}.vcf"; filename*=UTF-8''${encodeURIComponent(name)}.vcf`;
}
