const DAY_FORMAT = { weekday: 'long', month: 'long', day: 'numeric' } as const;
/** Marks that turn the reading direction of what follows. */
const DIRECTION_MARKS = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;

export const plain = (text: string): string => text.replaceAll(DIRECTION_MARKS, '');

const inZone = (ms: number, timezone: string, fields: Intl.DateTimeFormatOptions): string =>
  // Node 24 writes a narrow no-break space before AM and PM, which old fonts show as a box.
  new Intl.DateTimeFormat('en-US', { timeZone: timezone, ...fields }).format(ms).replaceAll('\u202f', ' ');

function zoneName(ms: number, timezone: string): string {
  const parts = new Intl.DateTimeFormat('en-US', { timeZone: timezone, timeZoneName: 'long' }).formatToParts(ms);
  return parts.find(({ type }) => type === 'timeZoneName')?.value ?? timezone;
}

export interface WrittenTime {
  readonly day: string;
  readonly time: string;
  readonly zone: string;
}

/** In the zone of the appointment, wherever the reader is. The year stands only when it is another than the page's own. */
export function writeAppointment(startsAtMs: number, timezone: string, madeAtMs: number): WrittenTime {
  const year = { year: 'numeric' } as const;
  const sameYear = inZone(startsAtMs, timezone, year) === inZone(madeAtMs, timezone, year);
  return {
    day: inZone(startsAtMs, timezone, sameYear ? DAY_FORMAT : { ...DAY_FORMAT, ...year }),
    time: inZone(startsAtMs, timezone, { hour: 'numeric', minute: '2-digit' }),
    zone: zoneName(startsAtMs, timezone),
  };
}

export const writeDate = (ms: number, timezone: string): string => inZone(ms, timezone, { dateStyle: 'long' });

/** North American numbers as people there write them; others as they came. */
export function writePhone(phone: string): string {
  const [, area, exchange, line] = /^\+1(\d{3})(\d{3})(\d{4})$/.exec(phone) ?? [];
  return area === undefined ? phone : `(${area}) ${exchange}-${line}`;
}

export function writeDuration(ms: number): string {
  const seconds = Math.max(1, Math.round(ms / 1000));
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`;
}

const letters = new Intl.Segmenter('en', { granularity: 'grapheme' });

const firstLetter = (name: string): string => {
  const [first] = letters.segment(name.trim());
  return first?.segment ?? '';
};

/** For a portrait that nobody has uploaded. */
export const initials = (firstName: string, lastName: string): string =>
  (firstLetter(firstName) + firstLetter(lastName)).toLocaleUpperCase('en');
